// SPDX-License-Identifier: Apache-2.0
#include "base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto values = [] {
    std::array<std::int8_t, 256> made{};
    made.fill(-1);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        made[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    return made;
}();

// What stands for six bits, and behind it how long it is; what a header of ours may not hold is
// percent-encoded.
struct Letter {
    std::array<char, 3> text{};
    char length = 1;
};

constexpr auto letters = [] {
    std::array<Letter, 64> made{};
    for (std::size_t i = 0; i < alphabet.size(); ++i) made[i].text[0] = alphabet[i];
    made[62] = {{'%', '2', 'B'}, 3};
    made[63] = {{'%', '2', 'F'}, 3};
    return made;
}();

// Writes four bytes whatever the length; what comes next writes over the rest.
char* put_letter(char* to, std::uint32_t bits) noexcept {
    const Letter& letter = letters[bits & 63U];
    std::memcpy(to, &letter, sizeof letter);
    return to + letter.length;
}

char* put_padding(char* to) noexcept {
    constexpr std::string_view sign = "%3D";
    return std::ranges::copy(sign, to).out;
}

}  // namespace

void append_escaped_base64(std::string& out, std::string_view bytes) {
    const std::size_t before = out.size();
    // Room for the worst: twelve characters for every three bytes, and what the last writes too many.
    out.resize(before + (bytes.size() + 2) / 3 * 12 + 1);
    char* to = out.data() + before;
    const auto byte = [&](std::size_t i) {
        return std::uint32_t{static_cast<unsigned char>(bytes[i])};
    };
    std::size_t i = 0;
    for (; i + 2 < bytes.size(); i += 3) {
        const std::uint32_t bits = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        to = put_letter(put_letter(to, bits >> 18U), bits >> 12U);
        to = put_letter(put_letter(to, bits >> 6U), bits);
    }
    if (i < bytes.size()) {
        const bool two = i + 1 < bytes.size();
        const std::uint32_t bits = byte(i) << 16U | (two ? byte(i + 1) << 8U : 0U);
        to = put_letter(put_letter(to, bits >> 18U), bits >> 12U);
        to = put_padding(two ? put_letter(to, bits >> 6U) : put_padding(to));
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

bool decode_base64(std::string_view text, std::string& bytes) {
    bytes.clear();
    if (text.size() % 4 != 0) return false;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const std::int8_t value = values[static_cast<unsigned char>(c)];
        if (value < 0) return false;
        bits = bits << 6U | static_cast<std::uint32_t>(value);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes += static_cast<char>(static_cast<unsigned char>(bits >> held));
        bits &= (1U << held) - 1U;
    }
    return held < 6 && bits == 0;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
