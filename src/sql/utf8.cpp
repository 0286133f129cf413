// SPDX-License-Identifier: Apache-2.0
#include "utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

struct Lead {
    std::size_t length;  // of the whole sequence; 0: no lead byte
    unsigned char low;   // of the second byte: shuts out overlong forms, surrogates and what lies
    unsigned char high;  // beyond U+10FFFF
};

constexpr Lead lead_of(unsigned char byte) noexcept {
    if (byte < 0x80) return {1, 0, 0};
    if (byte < 0xC2) return {0, 0, 0};
    if (byte < 0xE0) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte < 0xF0) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte < 0xF4) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

// Nearly all text is: eight bytes at a time.
std::size_t ascii_at_front(std::string_view text) noexcept {
    constexpr std::uint64_t high_bits = 0x8080808080808080u;
    std::size_t at = 0;
    for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if ((word & high_bits) != 0) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        text.remove_prefix(ascii_at_front(text));
        if (text.empty()) break;
        const Lead lead = lead_of(static_cast<unsigned char>(text.front()));
        if (lead.length == 0 || lead.length > text.size()) return false;
        if (lead.length > 1) {
            const auto second = static_cast<unsigned char>(text[1]);
            if (second < lead.low || second > lead.high) return false;
            const std::string_view rest = text.substr(2, lead.length - 2);
            const bool follows = std::ranges::all_of(
                rest, [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; });
            if (!follows) return false;
        }
        text.remove_prefix(lead.length);
    }
    return true;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
