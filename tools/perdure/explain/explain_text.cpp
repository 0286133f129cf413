// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include "explain/explain.hpp"

namespace tool {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 16;  // of a column that wraps; below it lines grow instead

std::string padded(std::string_view text, std::size_t width) {
    std::string cell{text};
    cell.resize(std::max(width, text.size()), ' ');
    return cell;
}

// Words, broken at spaces; lines after the first begin at `indent`, where the first one stands.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
    const std::size_t room = std::max(narrowest, width > indent ? width - indent : 0);
    std::string lines;
    std::size_t used = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        if (used > 0 && used + 1 + word.size() > room) {
            lines += "\n" + std::string(indent, ' ');
            used = 0;
        }
        if (used > 0) lines += ' ';
        lines += word;
        used += word.size() + (used > 0 ? 1 : 0);
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return lines + "\n";
}

std::string_view meaning_of(Effect effect) {
    switch (effect) {
        case Effect::none: return "surely not applied";
        case Effect::unknown: return "may have been applied";
        case Effect::applied: return "applied";
    }
    return {};
}

std::string yes_or_why_not(Stop stop) {
    return stop == Stop::none ? "yes" : "no (" + std::string{to_string(stop)} + ")";
}

std::string repeat_in_words(const Repeat& repeat) {
    return "read " + yes_or_why_not(repeat.read) + ", idempotent " +
           yes_or_why_not(repeat.idempotent) + ", once " + yes_or_why_not(repeat.once);
}

using Cells = std::array<std::string, 4>;

// Of a database the letters say more than the effect.
Cells cells_of(const ErrorRow& row) {
    return {row.code, std::string{to_string(row.failure.cause)},
            row.reactions.empty() ? std::string{to_string(row.failure.effect)} : row.reactions,
            std::string{in_short(repeat_of(row))}};
}

// "K,T,A" in words.
std::string letters_in_words(std::string_view letters) {
    std::string text;
    for (const char letter : letters) {
        if (letter == ',') text += ", ";
        if (letter == 'K') text += "K the session is dropped";
        if (letter == 'S') text += "S a statement by itself was not applied";
        if (letter == 'T') text += "T the whole transaction is repeated";
        if (letter == 'C') text += "C connecting is repeated";
        if (letter == 'A') text += "A a COMMIT under way stays open";
        if (letter == 'N')
            text += letters.find('C') != std::string_view::npos ? "N otherwise not repeated"
                                                                : "N not repeated";
    }
    return text;
}

std::string commit_in_words(std::string_view at_commit) {
    return at_commit == "ambiguous" ? "ambiguous: it may have been committed"
                                    : "definite: it is not committed";
}

std::string group_table(std::span<const ErrorRow> rows, std::size_t width) {
    const bool database = !rows.front().reactions.empty();
    std::vector<Cells> lines{{"code", "cause", database ? "letters" : "effect", "repeated"}};
    for (const ErrorRow& row : rows) lines.push_back(cells_of(row));
    std::array<std::size_t, 4> widths{};
    for (const Cells& cells : lines)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], cells[i].size() + gap);

    std::string text;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i) line += padded(lines[at][i], widths[i]);
        text += line + wrapped(at == 0 ? "meaning" : std::string_view{rows[at - 1].name},
                               line.size(), width);
    }
    return text;
}

}  // namespace

std::string as_list() {
    std::string text = "services whose errors can be explained:\n";
    for (const Service& service : services())
        text += "  " + padded(service.name, 10) + "  " + std::string{service.summary} + "\n";
    return text +
           "`perdure explain SERVICE` prints its table, `perdure explain SERVICE CODE` a row.\n";
}

std::string as_table(const Service& service, std::size_t width) {
    const std::vector<ErrorRow> rows = service.rows();
    std::string text;
    for (auto from = rows.begin(); from != rows.end();) {
        const auto to = std::find_if(from, rows.end(),
                                     [&](const ErrorRow& row) { return row.group != from->group; });
        if (!text.empty()) text += "\n";
        text += std::string{from->group} + "\n" + group_table({from, to}, width);
        from = to;
    }
    return text;
}

std::string as_text(const ErrorRow& row, std::size_t width) {
    constexpr std::size_t indent = 8;
    std::string text = row.code + " " + std::string{row.name} + "\n";
    const auto add = [&](std::string_view label, std::string_view value) {
        text += padded(label, indent) + wrapped(value, indent, width);
    };
    const Failure& failure = row.failure;
    const std::string remedies = to_string(failure.remedies);
    add("cause", to_string(failure.cause));
    add("effect",
        std::string{to_string(failure.effect)} + ": " + std::string{meaning_of(failure.effect)});
    add("repeat", repeat_in_words(repeat_of(row)));
    add("remedy", remedies.empty() ? "none" : remedies);
    if (row.reactions.empty()) {
        add("rule", std::string{rule_of(failure)} +
                        (row.rule.empty() ? ", or the plan's default" : ": " + row.rule));
    } else {
        add("letters", letters_in_words(row.reactions));
        add("COMMIT", commit_in_words(row.at_commit));
        add("rule", row.rule.empty() ? "none: not repeated"
                                     : std::string{rule_of(failure)} + ": " + row.rule);
    }
    if (!row.reads.empty()) {
        add("reads", row.reads);
        add("writes", row.writes);
    }
    add("why", row.why);
    if (!row.hint.empty()) add("hint", row.hint);
    if (!row.differs.empty()) add("differs", row.differs);
    add("source", row.source);
    return text;
}

}  // namespace tool
