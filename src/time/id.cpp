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

std::string new_id() { return new_id(unpredictable_random()); }

std::string new_id(Random& random) {
    std::array<std::uint64_t, 2> bits{random.bits(), random.bits()};
    // The version, 4, in the seventh byte and the variant in the ninth: RFC 9562, section 5.4.
    bits[0] = (bits[0] & ~(0xf0ULL << 48U)) | 0x40ULL << 48U;
    bits[1] = (bits[1] & ~0xc0ULL) | 0x80ULL;
    std::string text(36, '-');
    const std::uint8_t* place = places.data();
    for (std::uint64_t word : bits)
        for (int byte = 0; byte < 8; ++byte, word >>= 8U)
            std::memcpy(text.data() + *place++, pairs.data() + 2 * (word & 0xffU), 2);
    return text;
}

}  // namespace v0
}  // namespace perdure
