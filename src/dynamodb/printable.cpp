// SPDX-License-Identifier: Apache-2.0
#include "printable.hpp"

#include <array>
#include <cstdint>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

struct Character {
    std::size_t bytes = 1;
    bool shown = false;
};

// RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
Character next_of(std::string_view text) {
    const auto byte = [&](std::size_t at) {
        return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
    };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) return {1, lead >= 0x20 && lead != 0x7f};
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
    if (lead < 0xc2 || lead > 0xf4) return {};
    std::uint32_t value = lead & (0x7fU >> bytes);
    for (std::size_t at = 1; at < bytes; ++at) {
        if ((byte(at) & 0xc0U) != 0x80) return {};
        value = value << 6U | (byte(at) & 0x3fU);
    }
    if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
    const bool control = value < 0xa0;
    const bool turns = (value >= 0x202a && value <= 0x202e) || (value >= 0x2066 && value <= 0x2069);
    const bool breaks = value == 0x2028 || value == 0x2029;
    return {bytes, !control && !turns && !breaks};
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
    std::string made;
    while (!text.empty()) {
        const Character character = next_of(text);
        const std::string_view shown =
            character.shown ? text.substr(0, character.bytes) : std::string_view{" "};
        if (made.size() + shown.size() > longest) break;
        made += shown;
        text.remove_prefix(character.bytes);
    }
    return made;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
