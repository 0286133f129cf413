// SPDX-License-Identifier: Apache-2.0
#include "text/visible.hpp"

#include <algorithm>
#include <cstdint>

namespace tool {

namespace {

constexpr std::size_t npos = std::string_view::npos;

std::uint8_t byte_of(std::string_view text, std::size_t at) noexcept {
    return static_cast<std::uint8_t>(text[at]);
}

// Of up to three bytes; those that are longer are never controls.
unsigned code_point(std::string_view character) noexcept {
    if (character.size() == 1) return byte_of(character, 0);
    if (character.size() > 3) return 0x10000;
    unsigned code = byte_of(character, 0) & (character.size() == 2 ? 0x1fu : 0x0fu);
    for (const char c : character.substr(1)) code = code << 6u | (static_cast<unsigned>(c) & 0x3fu);
    return code;
}

bool drives_terminal(unsigned code) noexcept {
    if (code == '\n' || code == '\t') return false;
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || direction;
}

void append_hex(std::string& text, std::string_view lead, unsigned number, unsigned digits) {
    text += lead;
    for (unsigned i = digits; i-- > 0;) text += "0123456789abcdef"[number >> 4 * i & 0xfu];
}

// A URL's neighbours in a text do not belong to it.
bool ends_url(char c) noexcept { return std::string_view{" \t\r\n\"'<>"}.find(c) != npos; }

// What stands from `begin` on up to the next blank, quote or end; \\" is no end in JSON.
struct Word {
    std::size_t end = 0;
    std::size_t last_at = npos;  // of its @
};

Word word_from(std::string_view text, std::size_t begin) noexcept {
    Word word{};
    std::size_t i = begin;
    for (; i < text.size() && !ends_url(text[i]); ++i) {
        if (text[i] == '\\') ++i;
        else if (text[i] == '@') word.last_at = i;
    }
    word.end = std::min(i, text.size());
    return word;
}

// What follows a colon: a number of up to five digits, and then the path or the end.
bool begins_with_port(std::string_view text) noexcept {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    return digits > 0 && digits <= 5 && (digits == text.size() || text[digits] == '/');
}

// "[::1]": its colons are not those of a password.
std::size_t length_of_ipv6(std::string_view text) noexcept {
    if (!text.starts_with('[')) return 0;
    const std::size_t end = text.find_first_not_of("0123456789abcdefABCDEF:.", 1);
    return end != npos && text[end] == ']' ? end + 1 : 0;
}

// Where the name and password that begin `text`, which is up to its word's end, end: at an @. 0: there
// are none. A password may hold anything. A colon that no port follows makes a / part of a password, so
// that the word's last @ ends it; any colon makes a ? part of one. In doubt too much is left out.
std::size_t userinfo_length(std::string_view text, std::size_t last_at) noexcept {
    std::size_t length = 0;
    bool colon = false;
    bool password = false;
    for (std::size_t i = length_of_ipv6(text); i < text.size(); ++i) {
        if (text[i] == '\\') ++i;
        else if (text[i] == '@') length = i;
        else if (text[i] == ':') {
            colon = true;
            password = password || !begins_with_port(text.substr(i + 1));
        } else if (text[i] == '/') return password ? std::max(last_at, length) : length;
        else if (text[i] == '?' && !colon) return length;
    }
    return length;
}

}  // namespace

std::size_t utf8_length(std::string_view text) noexcept {
    const std::uint8_t first = byte_of(text, 0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_of(text, i) & 0xc0U) != 0x80) return 0;
    // Too long a form for a small number, a surrogate, or beyond the last character.
    const unsigned two = first * 256U + byte_of(text, 1);
    const bool good = !(two >= 0xe080 && two < 0xe0a0) && !(two >= 0xeda0 && two <= 0xedbf) &&
                      !(two >= 0xf080 && two < 0xf090) && two < 0xf490;
    return length == 2 || good ? length : 0;
}

std::string visible(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        if (length == 0) append_hex(shown, "\\x", byte_of(text, 0), 2);
        else if (drives_terminal(code_point(character)) && !text.starts_with("\r\n"))
            append_hex(shown, "\\u", code_point(character), 4);
        else shown += character;
        text.remove_prefix(character.size());
    }
    return shown;
}

std::string without_passwords(std::string_view text) {
    constexpr std::string_view mark = "://";
    std::string shown;
    Word word{};  // kept while marks are in it, so that each byte is looked at a few times only
    for (std::size_t from = 0;;) {
        const std::size_t at = text.find(mark, from);
        if (at == npos) return shown.append(text.substr(from));
        const std::size_t begin = at + mark.size();
        shown.append(text.substr(from, begin - from));
        if (begin >= word.end) word = word_from(text, begin);
        const std::size_t last_at =
            word.last_at == npos || word.last_at < begin ? 0 : word.last_at - begin;
        const std::size_t secret = userinfo_length(text.substr(begin, word.end - begin), last_at);
        if (secret > 0) shown += "***";
        from = begin + secret;
    }
}

}  // namespace tool
