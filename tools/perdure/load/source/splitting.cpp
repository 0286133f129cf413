// SPDX-License-Identifier: Apache-2.0
#include "load/source/splitting.hpp"

#include <algorithm>

namespace tool::load {

namespace {

// std::string_view::find of a character is memchr.
std::size_t find(std::string_view text, char wanted, std::size_t from, std::size_t to,
                 Seam& seam) noexcept {
    const std::size_t found = text.substr(from, to - from).find(wanted);
    seam.searched += found < to - from ? found + 1 : to - from;
    return found == std::string_view::npos ? std::string_view::npos : from + found;
}

void meet_line_end(std::size_t behind, Seam& seam) noexcept {
    if (seam.lines++ == 0) seam.first_line_end = behind;
}

void pass(std::string_view text, std::size_t to, Seam& seam) noexcept {
    for (std::size_t at = seam.at; (at = find(text, '\n', at, to, seam)) != std::string_view::npos;)
        meet_line_end(++at, seam);
    seam.at = to;
}

// The next quote that opens a field before `to`.
std::size_t opening_quote(std::string_view text, char separator, std::size_t to,
                          Seam& seam) noexcept {
    std::size_t at = find(text, '"', seam.at, to, seam);
    while (at != std::string_view::npos && at != 0 && text[at - 1] != separator)
        at = find(text, '"', at + 1, to, seam);
    return at;
}

// True when the quote was closed within the text.
bool close_quote(std::string_view text, Seam& seam) noexcept {
    for (;;) {
        const std::size_t quote = find(text, '"', seam.at, text.size(), seam);
        pass(text, quote == std::string_view::npos ? text.size() : quote, seam);
        // Whether the last character of the text is one half of a doubled quote is not known yet.
        if (quote == std::string_view::npos || quote + 1 == text.size()) return false;
        seam.at = quote + 1;
        if (text[seam.at] != '"') return true;
        ++seam.at;
    }
}

// Where the line that goes on at `from` stops: at its LF, or at a CR that is alone. At the end of the
// text, or at a CR there, if neither comes.
struct Stop {
    std::size_t at = 0;
    bool ends_line = false;
};
// Byte by byte: the search for one of the two alone passes the whole text where only the other occurs.
Stop line_stop_at_cr(std::string_view text, Seam& seam) noexcept {
    std::size_t at = seam.at;
    while (at < text.size() && text[at] != '\n' && text[at] != '\r') ++at;
    seam.searched += at - seam.at;
    if (at == text.size() || text[at] == '\n') return {at, at < text.size()};
    if (at + 1 == text.size()) return {at, false};
    return {text[at + 1] == '\n' ? at + 1 : at, true};
}
inline Stop line_stop(std::string_view text, const SplitRules& rules, Seam& seam) noexcept {
    if (rules.has_lone_cr) return line_stop_at_cr(text, seam);
    const std::size_t line_feed = find(text, '\n', seam.at, text.size(), seam);
    if (line_feed != std::string_view::npos) return {line_feed, true};
    const bool cr = seam.at < text.size() && text.back() == '\r';
    return {text.size() - (cr ? 1 : 0), false};
}

std::optional<std::size_t> csv_end(std::string_view text, const SplitRules& rules,
                                   Seam& seam) noexcept {
    std::optional<Stop> stop;  // holds for all fields up to it
    for (;;) {
        if (seam.quoted) {
            if (!close_quote(text, seam)) return std::nullopt;
            seam.quoted = false;
        }
        if (!stop || stop->at < seam.at) stop = line_stop(text, rules, seam);
        const std::size_t quote = opening_quote(text, rules.separator, stop->at, seam);
        if (quote != std::string_view::npos) {
            seam.quoted = true;
            seam.at = quote + 1;
            continue;
        }
        seam.at = stop->at;
        if (!stop->ends_line) return std::nullopt;
        meet_line_end(stop->at + 1, seam);
        return stop->at + 1;
    }
}

}  // namespace

std::optional<std::size_t> record_end(std::string_view text, const SplitRules& rules,
                                      Seam& seam) noexcept {
    if (rules.format == Format::csv) return csv_end(text, rules, seam);
    const std::size_t line_end = find(text, '\n', seam.at, text.size(), seam);
    seam.at = std::min(line_end, text.size());
    if (line_end == std::string_view::npos) return std::nullopt;
    meet_line_end(line_end + 1, seam);
    return line_end + 1;
}

bool has_lone_cr(std::string_view text) noexcept {
    constexpr std::size_t step =
        64;  // a known number, so that compilers make it a few instructions
    const auto lone = [&](std::size_t i) {
        return static_cast<unsigned char>(text[i] == '\r' && text[i + 1] != '\n' ? 1 : 0);
    };
    std::size_t at = 0;
    for (; at + step < text.size(); at += step) {
        unsigned char any = 0;
        for (std::size_t i = 0; i < step; ++i) any |= lone(at + i);
        if (any != 0) return true;
    }
    for (; at + 1 < text.size(); ++at)
        if (lone(at) != 0) return true;
    return false;
}

std::optional<std::size_t> line_end(std::string_view text, const SplitRules& rules) noexcept {
    if (rules.format != Format::csv) {
        const std::size_t line_feed = text.find('\n');
        return line_feed == std::string_view::npos ? std::nullopt : std::optional{line_feed + 1};
    }
    Seam seam;
    const Stop stop = line_stop(text, rules, seam);
    return stop.ends_line ? std::optional{stop.at + 1} : std::nullopt;
}

bool ends_open(std::string_view text, const Seam& seam) noexcept {
    const bool closes = seam.at + 1 == text.size() && text.back() == '"';
    return seam.quoted && !closes;
}

std::string_view without_line_end(std::string_view record) noexcept {
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    return record;
}

bool is_blank(std::string_view record, Format format) noexcept {
    record = without_line_end(record);
    if (record.empty() || format == Format::csv) return record.empty();
    // Records begin with a brace: the search ends at the first byte.
    return record.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace tool::load
