// SPDX-License-Identifier: Apache-2.0
//
// How does text from anywhere become a JSON string? Quoted, escaped, and valid UTF-8 whatever came in.
//
//     append_json_text(json, failure.code);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {

// Bytes that are no UTF-8 become U+FFFD, so that no reader stumbles over a line. Any thread.
void append_json_text(std::string& json, std::string_view text);

// How many bytes the UTF-8 character at the beginning of `text`, which is not empty, has; 0: it is none.
std::size_t valid_character(std::string_view text) noexcept;
inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";

}  // namespace v0
}  // namespace perdure
