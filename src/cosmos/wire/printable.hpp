// SPDX-License-Identifier: Apache-2.0
//
// How does a stranger's text get into a log without harm? Valid UTF-8, no control characters, no marks
// that turn the direction of writing, no runs of spaces, and not too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// At most `longest` bytes, cut between characters. What cannot be shown becomes a space. Pure.
std::string printable(std::string_view text, std::size_t longest);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
