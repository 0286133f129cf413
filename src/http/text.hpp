// SPDX-License-Identifier: Apache-2.0
//
// Which bytes may stand where in a message? One table for all who read or check a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace http {
namespace detail {

enum Class : std::uint8_t {
    token = 1,       // method and header names
    field_text = 2,  // header values and reasons: no control character but the tab
    target = 4,      // a request's target: visible ASCII
    digit = 8,
    hex = 16,
};

constexpr bool is_letter(unsigned byte) noexcept {
    return (byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z' && byte < 0x80;
}
constexpr bool is_decimal(unsigned byte) noexcept { return byte >= '0' && byte <= '9'; }

constexpr std::uint8_t classes_of(unsigned byte) noexcept {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    const bool alnum = is_letter(byte) || is_decimal(byte);
    unsigned classes = 0;
    if (alnum || (byte != 0 && marks.find(static_cast<char>(byte)) != std::string_view::npos))
        classes |= token;
    if (byte == '\t' || (byte >= 0x20 && byte != 0x7f)) classes |= field_text;
    if (byte > 0x20 && byte < 0x7f) classes |= target;
    if (is_decimal(byte)) classes |= digit | hex;
    if (is_letter(byte) && (byte | 0x20U) <= 'f') classes |= hex;
    return static_cast<std::uint8_t>(classes);
}

inline constexpr auto byte_classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) table[byte] = classes_of(byte);
    return table;
}();

constexpr bool is(char byte, Class wanted) noexcept {
    return (byte_classes[static_cast<unsigned char>(byte)] & wanted) != 0;
}

// How many bytes from the beginning are of this class.
constexpr std::size_t run_of(std::string_view text, Class wanted) noexcept {
    std::size_t at = 0;
    while (at < text.size() && is(text[at], wanted)) ++at;
    return at;
}

constexpr bool all_are(std::string_view text, Class wanted) noexcept {
    return run_of(text, wanted) == text.size();
}

constexpr char lower(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

// Without the spaces and tabs around it.
constexpr std::string_view trimmed(std::string_view text) noexcept {
    const auto blank = [](char byte) { return byte == ' ' || byte == '\t'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace detail
}  // namespace http
}  // namespace v0
}  // namespace perdure
