// SPDX-License-Identifier: Apache-2.0
#include "load/source/splitting_array.hpp"

#include <array>

namespace tool::load {

namespace {

using Stage = ArraySeam::Stage;

enum class Byte : std::uint8_t { other, quote, backslash, open, close, line_end };

constexpr std::array<Byte, 256> bytes_of_json = [] {
    std::array<Byte, 256> table{};
    table['"'] = Byte::quote;
    table['\\'] = Byte::backslash;
    table['{'] = table['['] = Byte::open;
    table['}'] = table[']'] = Byte::close;
    table['\n'] = Byte::line_end;
    return table;
}();

Byte byte_at(std::string_view text, std::size_t at) noexcept {
    return bytes_of_json[static_cast<unsigned char>(text[at])];
}

// False when the text ends with them.
bool pass_array_spaces(std::string_view text, ArraySeam& seam) noexcept {
    for (; seam.at < text.size(); ++seam.at) {
        const char c = text[seam.at];
        if (c == '\n') ++seam.lines;
        else if (c != ' ' && c != '\t' && c != '\r') return true;
    }
    return false;
}

void begin_element(ArraySeam& seam) noexcept {
    seam.begin = seam.at;
    seam.begin_lines = seam.lines;
}

// seam.at is at its first byte, which is looked at again by the stage that follows.
void enter_element(char first, ArraySeam& seam) noexcept {
    begin_element(seam);
    const bool nested = first == '{' || first == '[';
    seam.stage = nested ? Stage::element : first == '"' ? Stage::string : Stage::word;
    if (first == '"') ++seam.at;
}

ArrayFound end_at_comma(ArraySeam& seam) noexcept {
    seam.at = seam.begin + 1;
    seam.lines = seam.begin_lines;
    seam.fault = "is a comma with no element beside it";
    return ArrayFound::element;
}

// Both return whether the piece's end is known.
bool pass_lead(std::string_view text, ArraySeam& seam) noexcept {
    const char first = text[seam.at];
    if (first == ',') {
        begin_element(seam);
        ++seam.at;
        seam.stage = Stage::behind_comma;
        return seam.before == '[';
    }
    if (first == ']') {
        ++seam.at;
        seam.stage = Stage::closed;
        return false;
    }
    if (seam.before != '[' && seam.before != ',') seam.fault = "has no comma before it";
    enter_element(first, seam);
    return false;
}

bool pass_behind_comma(std::string_view text, ArraySeam& seam) noexcept {
    const char first = text[seam.at];
    if (first == ',' || first == ']') return true;
    enter_element(first, seam);
    return false;
}

// Through the closing quote. False when the text ends first.
bool pass_string(std::string_view text, ArraySeam& seam) noexcept {
    std::size_t at = seam.at;
    if (seam.escaped && at < text.size()) {
        seam.escaped = false;
        if (text[at++] == '\n') ++seam.lines;
    }
    for (; at < text.size(); ++at) {
        const Byte byte = byte_at(text, at);
        if (byte == Byte::quote) {
            seam.at = at + 1;
            return true;
        }
        if (byte == Byte::line_end) ++seam.lines;
        if (byte != Byte::backslash) continue;
        if (at + 1 == text.size()) seam.escaped = true;
        else if (text[++at] == '\n') ++seam.lines;
    }
    seam.at = at;
    return false;
}

// Through the bracket that closes the element, or to a string in it; false when the text ends first.
bool pass_brackets(std::string_view text, ArraySeam& seam) noexcept {
    for (std::size_t at = seam.at; at < text.size(); ++at) {
        const Byte byte = byte_at(text, at);
        if (byte == Byte::other || byte == Byte::backslash) continue;
        if (byte == Byte::line_end) ++seam.lines;
        if (byte == Byte::open) ++seam.depth;
        const bool closes = byte == Byte::close && --seam.depth == 0;
        if (!closes && byte != Byte::quote) continue;
        if (byte == Byte::quote) seam.stage = Stage::string;
        seam.at = at + 1;
        return true;
    }
    seam.at = text.size();
    return false;
}

bool pass_word(std::string_view text, ArraySeam& seam) noexcept {
    seam.at = text.find_first_of(" \t\r\n,]{[\"", seam.at);
    if (seam.at != std::string_view::npos) return true;
    seam.at = text.size();
    return false;
}

}  // namespace

ArrayFound find_element(std::string_view text, ArraySeam& seam) noexcept {
    for (;;) {
        switch (seam.stage) {
            case Stage::lead:
                if (!pass_array_spaces(text, seam)) return ArrayFound::more;
                if (pass_lead(text, seam)) return end_at_comma(seam);
                break;
            case Stage::behind_comma:
                if (!pass_array_spaces(text, seam)) return ArrayFound::more;
                if (pass_behind_comma(text, seam)) return end_at_comma(seam);
                break;
            case Stage::element:
                if (!pass_brackets(text, seam)) return ArrayFound::more;
                if (seam.depth == 0) return ArrayFound::element;
                break;
            case Stage::string:
                if (!pass_string(text, seam)) return ArrayFound::more;
                if (seam.depth == 0) return ArrayFound::element;
                seam.stage = Stage::element;
                break;
            case Stage::word: return pass_word(text, seam) ? ArrayFound::element : ArrayFound::more;
            case Stage::closed:
                return pass_array_spaces(text, seam) ? ArrayFound::text_behind : ArrayFound::more;
        }
    }
}

}  // namespace tool::load
