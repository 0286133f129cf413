// SPDX-License-Identifier: Apache-2.0
//
// What did the server say in the body of a refusal? One line for people, for Failure::message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/http/response.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Long enough for the sentence most services give, short enough for a line of a log.
inline constexpr std::size_t longest_excerpt = 200;

// The beginning of `text` as one line of at most `longest_excerpt` bytes of valid UTF-8. Runs of white
// space and control characters become one space, other bytes that are not UTF-8 become '?'; "…" ends
// a text that was cut.
[[nodiscard]] std::string one_line(std::string_view text);

// The excerpt of a body whose type is text/*, application/json or …+json; empty for every other body, and
// for one that cannot be decompressed within a small bound.
[[nodiscard]] std::string excerpt_of(const Response& response);

}  // namespace http
}  // namespace v0
}  // namespace perdure
