// SPDX-License-Identifier: Apache-2.0
//
// How do bytes travel as letters? As base64, with padding and without anything else.
#pragma once

#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// The letters + / = percent-encoded, as a header of ours wants them.
void append_escaped_base64(std::string& out, std::string_view bytes);

// Strict: no line ends, no missing padding, no bits behind the last byte. On false `bytes` is
// whatever was read so far.
[[nodiscard]] bool decode_base64(std::string_view text, std::string& bytes);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
