// SPDX-License-Identifier: Apache-2.0
#include "get/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "text/duration_text.hpp"
#include "text/visible.hpp"

namespace tool {

namespace {

// What a column of a bar shows. The first seven are the phases, in their order.
enum Sign : unsigned char {
    first_phase = 0,
    some_work = phase_count,  // an attempt without phases
    wait,
    good,
    failed,
    cut_off,
    blank,
    sign_count
};

struct Drawn {
    std::string_view ascii, unicode, colour, name;
};

constexpr std::array<Drawn, sign_count> signs{{
    {"p", "┄", "90", "pool"},
    {"d", "░", "36", "dns"},
    {"c", "▒", "34", "connect"},
    {"t", "▓", "35", "tls"},
    {"s", "▪", "33", "send"},
    {"-", "─", "32", "first byte"},
    {"#", "█", "32", "body"},
    {"=", "═", "32", "attempt"},
    {"~", "·", "90", "wait"},
    {"+", "✓", "32", "answered"},
    {"x", "✗", "31", "failed"},
    {"/", "╱", "33", "cut off"},
    {" ", " ", "", ""},
}};

constexpr Sign sign_of(int phase) { return static_cast<Sign>(first_phase + phase); }

std::string_view words(Phase phase) { return signs[static_cast<std::size_t>(phase)].name; }

struct Row {
    std::string label;
    const AttemptRecord* record = nullptr;  // null: the label is all there is
    Duration start{};
};

std::string label_of(const AttemptRecord& record, std::size_t leg) {
    const std::string place = leg == 0 ? "" : "redirect " + std::to_string(leg) + ", ";
    return place + (record.hedge ? "hedge " : "attempt ") + std::to_string(record.number);
}

std::vector<Row> rows_of(const std::vector<Leg>& legs) {
    std::vector<Row> rows;
    for (std::size_t leg = 0; leg < legs.size(); ++leg)
        for (std::size_t i = 0; i < legs[leg].attempts.size(); ++i) {
            const AttemptRecord& record = legs[leg].attempts[i];
            if (i == Diagnostics::first_kept && legs[leg].left_out > 0)
                rows.push_back({"(" + std::to_string(legs[leg].left_out) + " more)"});
            rows.push_back({label_of(record, leg), &record, legs[leg].began + record.started});
        }
    return rows;
}

class Drawing {
public:
    Drawing(std::size_t label, Duration elapsed, const TimelineStyle& style)
        : label_{label}, elapsed_{std::max<Duration>(elapsed, 1ns)}, style_{style} {
        const std::size_t around = label + 3;  // two spaces, and the sign at the end
        columns_ = style.width > around + least_columns ? style.width - around : least_columns;
    }

    [[nodiscard]] std::string axis() const {
        const std::string end = in_words(elapsed_);
        std::string line(label_ + 2, ' ');
        line += '0';
        line.append(columns_ - std::min(columns_, end.size()), ' ');
        return line + end;
    }

    std::string bar(const Row& row) {
        std::vector<Sign> cells(columns_ + 1, blank);
        const AttemptRecord& record = *row.record;
        fill(cells, row.start - record.waited_before - record.overslept, row.start, wait);
        const std::size_t from = column(row.start);
        const std::size_t to = column(row.start + record.took);
        if (record.phases) fill_phases(cells, row.start, *record.phases);
        else fill(cells, row.start, row.start + record.took, some_work);
        // Too short to be seen, but not to be shown.
        if (from == to && from < columns_) cells[from] = longest(record);
        const std::size_t end = std::max(to, std::min(from + 1, columns_));
        cells[end] = record.succeeded ? good : record.cut_off ? cut_off : failed;
        return padded(row.label) + painted(cells);
    }

    // Of the signs that were used, in lines of their own.
    [[nodiscard]] std::vector<std::string> legend() const {
        std::vector<std::string> lines;
        std::size_t room = 0;
        for (std::size_t i = 0; i < blank; ++i) {
            if (!used_[i]) continue;
            const std::size_t needed = signs[i].name.size() + 4;  // its sign, and spaces around it
            const bool fits = needed <= room;
            if (!fits) lines.push_back(padded(""));
            room = fits ? room - needed : columns_ + 2 - std::min(needed, columns_ + 2);
            lines.back() +=
                (fits ? "  " : "") + sign(static_cast<Sign>(i)) + " " + std::string{signs[i].name};
        }
        return lines;
    }

    [[nodiscard]] std::string padded(const std::string& label) const {
        return label + std::string(label_ + 2 - std::min(label.size(), label_ + 2), ' ');
    }

private:
    static constexpr std::size_t least_columns = 20;

    [[nodiscard]] std::size_t column(Duration at) const {
        const double share = std::chrono::duration<double>(at) / elapsed_;
        const double place = std::round(share * static_cast<double>(columns_));
        return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(columns_)));
    }

    void fill(std::vector<Sign>& cells, Duration from, Duration to, Sign what) const {
        for (std::size_t i = column(from); i < column(to); ++i) cells[i] = what;
    }

    void fill_phases(std::vector<Sign>& cells, Duration start, const Phases& phases) const {
        for (int i = 0; i < phase_count; ++i) {
            const Duration took = phases[static_cast<Phase>(i)];
            fill(cells, start, start + took, sign_of(i));
            start += took;
        }
    }

    static Sign longest(const AttemptRecord& record) {
        if (!record.phases) return some_work;
        const auto& took = record.phases->took;
        const auto most = std::ranges::max_element(took);
        if (*most == Duration::zero()) return sign_of(static_cast<int>(record.phases->reached));
        return sign_of(static_cast<int>(most - took.begin()));
    }

    [[nodiscard]] std::string coloured(std::string_view text, Sign what) const {
        if (style_.colour == Colour::off || what == blank) return std::string{text};
        return "\x1b[" + std::string{signs[what].colour} + "m" + std::string{text} + "\x1b[0m";
    }

    [[nodiscard]] std::string sign(Sign what) const {
        const Drawn& drawn = signs[what];
        return coloured(style_.letters == Letters::ascii ? drawn.ascii : drawn.unicode, what);
    }

    std::string painted(const std::vector<Sign>& cells) {
        std::string line;
        const auto last =
            std::find_if(cells.rbegin(), cells.rend(), [](Sign cell) { return cell != blank; });
        for (auto at = cells.begin(); at != last.base();) {
            const Sign what = *at;
            std::string run;
            for (; at != last.base() && *at == what; ++at)
                run += style_.letters == Letters::ascii ? signs[what].ascii : signs[what].unicode;
            line += coloured(run, what);
            used_[what] = true;
        }
        return line;
    }

    std::size_t label_;
    Duration elapsed_;
    TimelineStyle style_;
    std::size_t columns_ = least_columns;
    std::array<bool, sign_count> used_{};
};

std::string outcome_of(const AttemptRecord& record) {
    if (record.succeeded) return "answered";
    if (record.cut_off) return "cut off";
    const std::string cause{to_string(record.cause)};
    return record.code.empty() ? cause : cause + " (" + visible(record.code) + ")";
}

std::vector<std::string> numbers_of(const AttemptRecord& record) {
    std::vector<std::string> parts;
    if (record.waited_before > Duration::zero())
        parts.push_back("waited " + in_words(record.waited_before));
    if (!record.phases) return parts;
    if (record.phases->reused) parts.emplace_back("on a connection kept from before");
    for (int i = 0; i < phase_count; ++i) {
        const auto phase = static_cast<Phase>(i);
        const Duration took = (*record.phases)[phase];
        if (took > Duration::zero())
            parts.push_back(std::string{words(phase)} + " " + in_words(took));
    }
    return parts;
}

// One paragraph for an attempt, broken between its parts.
void describe(std::vector<std::string>& lines, const Drawing& drawing, const Row& row,
              std::size_t width) {
    const AttemptRecord& record = *row.record;
    const std::string indent = drawing.padded("");
    std::string line =
        drawing.padded(row.label) + outcome_of(record) + " after " + in_words(record.took);
    std::string_view between = ": ";
    for (const std::string& part : numbers_of(record)) {
        line += between;
        between = ", ";
        if (line.size() + part.size() > width) {
            lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
            line = indent;
        }
        line += part;
    }
    lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> timeline(const std::vector<Leg>& legs, Duration elapsed,
                                  const TimelineStyle& style) {
    const std::vector<Row> rows = rows_of(legs);
    if (rows.empty()) return {"no attempt was made"};
    std::size_t label = 0;
    for (const Row& row : rows) label = std::max(label, row.label.size());
    Drawing drawing{label, elapsed, style};
    std::vector<std::string> lines{drawing.axis()};
    for (const Row& row : rows) lines.push_back(row.record ? drawing.bar(row) : row.label);
    for (std::string& line : drawing.legend()) lines.push_back(std::move(line));
    lines.emplace_back();
    for (const Row& row : rows) {
        if (row.record) describe(lines, drawing, row, style.width);
        else lines.push_back(row.label);
    }
    return lines;
}

}  // namespace tool
