// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/json_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace perdure {
inline namespace v0 {

namespace {

struct Shape {
    std::size_t bytes;
    std::uint32_t bits;    // of the first byte
    std::uint32_t lowest;  // a shorter form of the same character is not valid
};

Shape shape_of(unsigned char first) noexcept {
    if (first < 0x80) return {1, first, 0};
    if (first >= 0xc2 && first < 0xe0) return {2, first & 0x1fU, 0x80};
    if (first >= 0xe0 && first < 0xf0) return {3, first & 0x0fU, 0x800};
    if (first >= 0xf0 && first < 0xf5) return {4, first & 0x07U, 0x10000};
    return {0, 0, 0};
}

void append_ascii(std::string& json, char c) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
        json += c;
        return;
    }
    std::array<char, 8> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
    json += escaped.data();
}

}  // namespace

std::size_t valid_character(std::string_view text) noexcept {
    const Shape shape = shape_of(static_cast<unsigned char>(text[0]));
    if (shape.bytes > text.size()) return 0;
    std::uint32_t code = shape.bits;
    for (std::size_t i = 1; i < shape.bytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) != 0x80U) return 0;
        code = code << 6U | (byte & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < shape.lowest || code > 0x10ffff || surrogate ? 0 : shape.bytes;
}

void append_json_text(std::string& json, std::string_view text) {
    json += '"';
    while (!text.empty()) {
        const std::size_t length = valid_character(text);
        if (length == 1) append_ascii(json, text[0]);
        else if (length == 0) json += replacement_character;
        else json += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    json += '"';
}

}  // namespace v0
}  // namespace perdure
