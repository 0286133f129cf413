// SPDX-License-Identifier: Apache-2.0
#include "printable.hpp"

#include <array>

#include "perdure/call/json_text.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool is_shown(std::string_view character) {
    if (character.size() == 1) return character[0] > ' ' && character[0] != 0x7f;
    if (character[0] == '\xc2') return static_cast<unsigned char>(character[1]) >= 0xa0;
    // U+2028 to 202E end lines and turn the direction; 2066 to 2069 turn it too.
    if (!character.starts_with("\xe2\x80") && !character.starts_with("\xe2\x81")) return true;
    const auto last = static_cast<unsigned char>(character[2]);
    return character[1] == '\x80' ? last < 0xa8 || last > 0xae : last < 0xa6 || last > 0xa9;
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
    std::string made;
    bool spaced = false;
    while (!text.empty()) {
        const std::size_t length = valid_character(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(character.size());
        if (length == 0 || !is_shown(character)) {
            spaced = !made.empty();
            continue;
        }
        if (made.size() + character.size() + (spaced ? 1 : 0) > longest) break;
        if (spaced) made += ' ';
        spaced = false;
        made += character;
    }
    return made;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
