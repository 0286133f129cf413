// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <cstddef>

#include "json_scan.hpp"
#include "perdure/call/json_text.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

std::uint32_t hex_value(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (const char c : digits) {
        const auto digit = static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
        value = value << 4U | digit;
    }
    return value;
}

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte & 0xffU); };
    if (code < 0x80) return put(code);
    if (code < 0x800) put(0xc0U | code >> 6U);
    else if (code < 0x10000) put(0xe0U | code >> 12U);
    else put(0xf0U | code >> 18U);
    if (code >= 0x10000) put(0x80U | (code >> 12U & 0x3fU));
    if (code >= 0x800) put(0x80U | (code >> 6U & 0x3fU));
    put(0x80U | (code & 0x3fU));
}

bool is_high(std::uint32_t code) noexcept { return code >= 0xd800 && code < 0xdc00; }
bool is_low(std::uint32_t code) noexcept { return code >= 0xdc00 && code < 0xe000; }

// "\u00fc…" or a pair of them; gives back how much of the text that was.
std::size_t append_code(std::string& out, std::string_view text) {
    const std::uint32_t first = hex_value(text.substr(2, 4));
    if (is_high(first) && text.substr(6).starts_with("\\u")) {
        const std::uint32_t second = hex_value(text.substr(8, 4));
        if (is_low(second)) {
            append_utf8(out, 0x10000U + ((first - 0xd800U) << 10U) + (second - 0xdc00U));
            return 12;
        }
    }
    if (is_high(first) || is_low(first)) out += replacement_character;
    else append_utf8(out, first);
    return 6;
}

char unescaped(char kind) noexcept {
    switch (kind) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return kind;
    }
}

}  // namespace

void append_unescaped(std::string& out, std::string_view inside) {
    while (!inside.empty()) {
        const std::size_t plain = inside.find('\\');
        out += inside.substr(0, plain);
        if (plain == std::string_view::npos) return;
        inside.remove_prefix(plain);
        if (inside[1] == 'u') {
            inside.remove_prefix(append_code(out, inside));
        } else {
            out += unescaped(inside[1]);
            inside.remove_prefix(2);
        }
    }
}

bool is_utf8(std::string_view text) noexcept {
    return text.empty() || simdjson::validate_utf8(text.data(), text.size());
}

Failure unreadable(std::string_view what, Trouble trouble) {
    std::string message{what};
    message.append(" cannot be read: ").append(trouble);
    return {.cause = Cause::corrupt, .code = "unreadable-answer", .message = std::move(message)};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
