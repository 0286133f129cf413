// SPDX-License-Identifier: Apache-2.0
//
// A text without the white space around it, as it comes with what is copied from a portal.
#pragma once

#include <algorithm>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view space = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(space), text.size()));
    return text.substr(0, text.find_last_not_of(space) + 1);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
