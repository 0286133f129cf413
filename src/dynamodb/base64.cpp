// SPDX-License-Identifier: Apache-2.0
#include "base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t no_letter = 0x8000'0000;

constexpr std::array<std::uint32_t, 256> letters_to_bits() {
    std::array<std::uint32_t, 256> bits{};
    bits.fill(no_letter);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        bits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint32_t>(i);
    return bits;
}
constexpr auto bits_of = letters_to_bits();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) noexcept {
    return static_cast<unsigned char>(bytes[i]);
}

char letter(std::uint32_t bits) noexcept { return alphabet[bits & 63U]; }

std::uint32_t letters_at(std::string_view text, std::size_t at, std::size_t count) noexcept {
    std::uint32_t bits = 0, wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t next = bits_of[static_cast<unsigned char>(text[at + i])];
        wrong |= next & no_letter;
        bits = bits << 6U | next;
    }
    return wrong ? no_letter : bits;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
    const std::size_t whole = bytes.size() / 3 * 3, rest = bytes.size() - whole;
    std::size_t at = out.size();
    out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
    for (std::size_t i = 0; i < whole; i += 3) {
        const std::uint32_t bits =
            byte_at(bytes, i) << 16U | byte_at(bytes, i + 1) << 8U | byte_at(bytes, i + 2);
        out[at++] = letter(bits >> 18U);
        out[at++] = letter(bits >> 12U);
        out[at++] = letter(bits >> 6U);
        out[at++] = letter(bits);
    }
    if (rest == 0) return;
    const std::uint32_t bits =
        byte_at(bytes, whole) << 16U | (rest == 2 ? byte_at(bytes, whole + 1) << 8U : 0);
    out[at] = letter(bits >> 18U);
    out[at + 1] = letter(bits >> 12U);
    if (rest == 2) out[at + 2] = letter(bits >> 6U);
}

bool decode_base64(std::string_view text, std::string& bytes) {
    bytes.clear();
    if (text.size() % 4 != 0) return false;
    if (text.empty()) return true;
    const std::size_t padding = text.back() != '=' ? 0 : text[text.size() - 2] != '=' ? 1 : 2;
    const std::size_t whole = padding ? text.size() - 4 : text.size();
    bytes.resize(text.size() / 4 * 3 - padding);
    std::size_t to = 0;
    for (std::size_t i = 0; i < whole; i += 4) {
        const auto at = [&](std::size_t k) {
            return bits_of[static_cast<unsigned char>(text[i + k])];
        };
        const std::uint32_t a = at(0), b = at(1), c = at(2), d = at(3);
        if (((a | b | c | d) & no_letter) != 0) return false;
        const std::uint32_t bits = a << 18U | b << 12U | c << 6U | d;
        bytes[to++] = static_cast<char>(bits >> 16U & 0xffU);
        bytes[to++] = static_cast<char>(bits >> 8U & 0xffU);
        bytes[to++] = static_cast<char>(bits & 0xffU);
    }
    if (padding == 0) return true;
    const std::uint32_t bits = letters_at(text, whole, 4 - padding);
    const std::uint32_t behind = padding == 1 ? 0x3U : 0xfU;
    if (bits == no_letter || (bits & behind) != 0) return false;
    bytes[to] = static_cast<char>((padding == 1 ? bits >> 10U : bits >> 4U) & 0xffU);
    if (padding == 1) bytes[to + 1] = static_cast<char>(bits >> 2U & 0xffU);
    return true;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
