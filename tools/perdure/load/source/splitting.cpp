// SPDX-License-Identifier: Apache-2.0
#include "load/source/splitting.hpp"

#include <algorithm>

namespace tool::load {

namespace {

// std::string_view::find of a character is memchr.
std::size_t find(std::string_view text, char wanted, std::size_t from, std::size_t to) noexcept {
    const std::size_t found = text.substr(from, to - from).find(wanted);
    return found == std::string_view::npos ? std::string_view::npos : from + found;
}

void meet_line_end(std::size_t behind, Seam& seam) noexcept {
    if (seam.lines++ == 0) seam.first_line_end = behind;
}

void pass(std::string_view text, std::size_t to, Seam& seam) noexcept {
    for (std::size_t at = seam.at; (at = find(text, '\n', at, to)) != std::string_view::npos;)
        meet_line_end(++at, seam);
    seam.at = to;
}

// The next quote that opens a field before `to`.
std::size_t opening_quote(std::string_view text, char separator, std::size_t from,
                          std::size_t to) noexcept {
    std::size_t at = find(text, '"', from, to);
    while (at != std::string_view::npos && at != 0 && text[at - 1] != separator)
        at = find(text, '"', at + 1, to);
    return at;
}

// True when the quote was closed within the text.
bool close_quote(std::string_view text, Seam& seam) noexcept {
    for (;;) {
        const std::size_t quote = find(text, '"', seam.at, text.size());
        pass(text, quote == std::string_view::npos ? text.size() : quote, seam);
        // Whether the last character of the text is one half of a doubled quote is not known yet.
        if (quote == std::string_view::npos || quote + 1 == text.size()) return false;
        seam.at = quote + 1;
        if (text[seam.at] != '"') return true;
        ++seam.at;
    }
}

std::optional<std::size_t> csv_end(std::string_view text, char separator, Seam& seam) noexcept {
    for (;;) {
        if (seam.quoted) {
            if (!close_quote(text, seam)) return std::nullopt;
            seam.quoted = false;
        }
        const std::size_t line_end = find(text, '\n', seam.at, text.size());
        const std::size_t stop = std::min(line_end, text.size());
        const std::size_t quote = opening_quote(text, separator, seam.at, stop);
        if (quote != std::string_view::npos) {
            seam.quoted = true;
            seam.at = quote + 1;
            continue;
        }
        seam.at = stop;
        if (line_end == std::string_view::npos) return std::nullopt;
        meet_line_end(line_end + 1, seam);
        return line_end + 1;
    }
}

}  // namespace

std::optional<std::size_t> record_end(std::string_view text, const SplitRules& rules,
                                      Seam& seam) noexcept {
    if (rules.format == Format::csv) return csv_end(text, rules.separator, seam);
    const std::size_t line_end = find(text, '\n', seam.at, text.size());
    seam.at = std::min(line_end, text.size());
    if (line_end == std::string_view::npos) return std::nullopt;
    meet_line_end(line_end + 1, seam);
    return line_end + 1;
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
