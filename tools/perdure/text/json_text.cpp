// SPDX-License-Identifier: Apache-2.0
#include "text/json_text.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "text/visible.hpp"

namespace tool {

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
