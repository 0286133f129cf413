// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/id.hpp"

#include <cstddef>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace {

// x: random, 4: the version, v: one of 8, 9, a, b (the variant). RFC 9562, section 5.4.
constexpr std::string_view layout = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";
constexpr std::string_view digits = "0123456789abcdef";

}  // namespace

std::string new_id() { return new_id(system_random()); }

std::string new_id(Random& random) {
    std::string text{layout};
    std::uint64_t pool = 0;
    int nibbles = 0;
    for (char& letter : text) {
        if (letter != 'x' && letter != 'v') continue;
        if (nibbles == 0) {
            pool = random.bits();
            nibbles = 16;
        }
        const auto nibble = static_cast<std::size_t>(pool & 15U);
        letter = digits[letter == 'v' ? 8U | (nibble & 3U) : nibble];
        pool >>= 4;
        --nibbles;
    }
    return text;
}

}  // namespace v0
}  // namespace perdure
