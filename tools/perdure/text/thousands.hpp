// SPDX-License-Identifier: Apache-2.0
//
// How is a large number written so that it is read at a glance? thousands(1234567) is "1,234,567".
#pragma once

#include <cstdint>
#include <string>

namespace tool {

inline std::string thousands(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, 1, ',');
    return text;
}

}  // namespace tool
