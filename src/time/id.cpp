// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/id.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace {

// "000102…ff": both digits of a byte in one step.
constexpr auto pairs = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, 512> all{};
    for (std::size_t i = 0; i < 256; ++i) {
        all[2 * i] = digits[i / 16];
        all[2 * i + 1] = digits[i % 16];
    }
    return all;
}();

// Where the sixteen bytes stand in "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
constexpr std::array<std::uint8_t, 16> places = {0,  2,  4,  6,  9,  11, 14, 16,
                                                 19, 21, 24, 26, 28, 30, 32, 34};

}  // namespace

std::string new_id() { return new_id(system_random()); }

std::string new_id(Random& random) {
    const std::array<std::uint64_t, 2> bits{random.bits(), random.bits()};
    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::uint8_t>(bits[i / 8] >> (8 * (i % 8)));
    // The version, 4, and the variant: RFC 9562, section 5.4.
    bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);
    bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);
    std::string text(36, '-');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        std::memcpy(text.data() + places[i], pairs.data() + 2 * std::size_t{bytes[i]}, 2);
    return text;
}

}  // namespace v0
}  // namespace perdure
