// SPDX-License-Identifier: Apache-2.0
#include "text/json_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace tool {

namespace {

// How many bytes the character at the front of `text` has; 0 if it is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (byte(0) < 0x80) return 1;
    const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0U) != 0x80) return 0;
    // Too long a form for a small number, a surrogate, or beyond the last character.
    const unsigned two = byte(0) * 256U + byte(1);
    const bool good = !(two >= 0xe080 && two < 0xe0a0) && !(two >= 0xeda0 && two <= 0xedbf) &&
                      !(two >= 0xf080 && two < 0xf090) && two < 0xf490;
    return length == 2 || good ? length : 0;
}

}  // namespace

std::string json_text(std::string_view value) {
    std::string json = "\"";
    while (!value.empty()) {
        const std::size_t length = utf8_length(value);
        const char c = value.front();
        if (length == 0) {
            json += "\\ufffd";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escaped.data();
        } else {
            if (c == '"' || c == '\\') json += '\\';
            json += value.substr(0, length);
        }
        value.remove_prefix(length == 0 ? 1 : length);
    }
    return json + '"';
}

void JsonLine::key(std::string_view name) {
    if (json_.size() > 1) json_ += ',';
    json_ += json_text(name) + ':';
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
    key(name);
    json_ += json_text(value);
    return *this;
}

JsonLine& JsonLine::number(std::string_view name, long long value) {
    return raw(name, std::to_string(value));
}

JsonLine& JsonLine::raw(std::string_view name, std::string_view json) {
    key(name);
    json_ += json;
    return *this;
}

std::string JsonLine::end() && { return std::move(json_) + "}\n"; }

}  // namespace tool
