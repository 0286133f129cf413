// SPDX-License-Identifier: Apache-2.0
//
// The report as a page.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "page/page.hpp"
#include "sim/sim_report.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

Line line_of(const std::string& policy) {
    return {.name = policy, .tone = policy == "perdure" ? Tone::own : Tone::by_name};
}

double in_double(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

Mood mood_of(const CaseFindings& found) {
    switch (verdict(found)) {
        case Verdict::good: return Mood::good;
        case Verdict::bad: return Mood::bad;
        default: return Mood::neutral;
    }
}

std::vector<Span> spans_of(const Study& study, std::size_t seconds) {
    std::vector<Span> spans;
    for (const Trigger& trigger : study.triggers)
        if (trigger.to > trigger.from)
            spans.push_back(
                {.from = in_double(trigger.from),
                 .to = trigger.to == never ? static_cast<double>(seconds) : in_double(trigger.to),
                 .label = trigger.text});
    return spans;
}

std::vector<Mark> marks_of(const Study& study) {
    std::vector<Mark> marks;
    for (const Trigger& trigger : study.triggers)
        if (trigger.to <= trigger.from)
            marks.push_back({.at = in_double(trigger.from), .label = trigger.text});
    return marks;
}

// A long run is shown by means of several seconds: nobody sees more points than pixels.
std::vector<Point> points_of(const std::vector<SecondMean>& seconds, std::size_t end,
                             double SecondMean::* field, double scale = 1) {
    const std::size_t step = std::max<std::size_t>(1, end / 500);
    std::vector<Point> points;
    for (std::size_t at = 0; at < end; at += step) {
        double sum = 0;
        for (std::size_t i = at; i < std::min(at + step, end); ++i)
            if (i < seconds.size()) sum += seconds[i].*field;
        const auto count = static_cast<double>(std::min(at + step, end) - at);
        points.push_back({.x = static_cast<double>(at), .y = sum / count * scale});
    }
    return points;
}

// Of a trigger: who came back, how fast at best, and what the others did.
std::vector<Figure> recovery_figures(const Told& told) {
    std::size_t back = 0;
    const CaseFindings* stuck = nullptr;
    std::string stuck_name;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const CaseFindings* failed = nullptr;
        for (std::size_t at = 0; at < told.findings.points && !failed; ++at)
            if (verdict(told.findings.at(row, at)) != Verdict::good)
                failed = &told.findings.at(row, at);
        if (!failed) ++back;
        else if (!std::exchange(stuck, stuck ? stuck : failed))
            stuck_name = told.study.rows[row].name;
    }
    const auto all = told.study.rows.size();
    std::vector<Figure> list{{.value = std::to_string(back) + " of " + std::to_string(all),
                              .label = told.findings.points > 1
                                           ? "rows in which it recovered at every value"
                                           : "rows in which it recovered in every seed",
                              .mood = back == all ? Mood::good : Mood::neutral}};
    const std::size_t point = telling_point(told);
    const std::size_t best = ranked(told, point).front();
    if (back > 0)
        list.push_back({.value = duration_words(told.findings.at(best, point).mean("recovery")),
                        .label = "the quickest recovery: " + told.study.rows[best].name,
                        .mood = Mood::good});
    if (stuck)
        list.push_back({.value = three_digits(stuck->mean("amplification")) + " ×",
                        .label = "attempts per call with " + stuck_name,
                        .mood = Mood::bad});
    return list;
}

std::vector<Figure> figures(const Told& told, std::size_t point) {
    const Metric& by = *metric(told.study.show.front());
    if (by.name == "recovered" && told.study.over) return recovery_figures(told);
    const auto order = ranked(told, point);
    const auto figure = [&](std::size_t row, Mood mood) {
        return Figure{.value = written(by, told.findings.at(row, point).mean(by.name)),
                      .label = std::string{by.heading} + ": " + told.study.rows[row].name,
                      .mood = mood};
    };
    std::vector<Figure> list{figure(order.front(), Mood::good)};
    if (order.size() > 1) list.push_back(figure(order.back(), Mood::bad));
    return list;
}

Headline headline(const Told& told) {
    const Statements said = statements(told);
    Headline made;
    made.done.text = said.done;
    made.happened.text = said.happened;
    made.change.points = said.change;
    made.figures = figures(told, telling_point(told));
    return made;
}

Column column_of(const std::string& name) {
    const Metric& what = *metric(name);
    return {.name = std::string{what.heading},
            .align = Align::right,
            .tooltip = std::string{what.meaning}};
}

Table verdict_table(const Told& told, std::size_t point) {
    Table table{.caption = "What happened"};
    if (!told.study.sweep.key.empty())
        table.note = "At " + told.study.sweep.label + " = " + told.study.sweep.values[point] + ".";
    else if (told.findings.seeds > 1)
        table.note = "Means over " + std::to_string(told.findings.seeds) +
                     " seeds; ± is the 95 % confidence interval.";
    table.columns.push_back({.name = "row"});
    for (const std::string& name : told.study.show) table.columns.push_back(column_of(name));
    const bool safety = tells_safety(told.study);
    if (safety)
        table.columns.push_back({.name = "safe up to",
                                 .align = Align::right,
                                 .tooltip =
                                     "utilisation below which its retries alone cannot keep a "
                                     "service down: 1 ÷ the attempts a call can cause for long"});
    const auto best = best_rows(told, point);
    const bool differ = best.size() < told.study.rows.size();
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const CaseFindings& found = told.findings.at(row, point);
        Row line{.mood = differ && std::ranges::find(best, row) != best.end() ? Mood::best
                                                                              : mood_of(found)};
        line.cells.push_back({.text = told.study.rows[row].name});
        for (const std::string& name : told.study.show)
            line.cells.push_back({.text = cell_words(found, name), .sort = found.mean(name)});
        if (safety)
            line.cells.push_back({.text = safe_words(told.study.rows[row]),
                                  .sort = told.study.rows[row].safe_utilisation.value_or(-1)});
        table.rows.push_back(std::move(line));
    }
    return table;
}

std::string note_of(const Told& told, std::size_t row, const CaseFindings& found) {
    const std::string& text = told.study.rows[row].text;
    const std::string and_text =
        text.empty() || text == told.study.rows[row].name ? "" : " · " + text;
    switch (verdict(found)) {
        case Verdict::none: return text == told.study.rows[row].name ? "" : text;
        case Verdict::bad: return "never recovers" + and_text;
        default: break;
    }
    return "recovers after " + duration_words(found.mean("recovery")) + and_text;
}

// Offered, attempts and goodput of every row, side by side.
Multiples over_time(const Told& told, std::size_t point) {
    const std::size_t end = seconds_shown(told);
    Multiples made{.title = "Offered load, attempts and goodput",
                   .note =
                       "Where **attempts** stay far above **offered**, retries are the load. Calls "
                       "count in the second they began.",
                   .x = {.label = "time", .unit = "s", .low = 0.0},
                   .y = {.label = "per second", .unit = "/s"},
                   .spans = spans_of(told.study, end),
                   .x_marks = marks_of(told.study)};
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const CaseFindings& found = told.findings.at(row, point);
        made.panels.push_back(
            {.title = told.study.rows[row].name,
             .note = note_of(told, row, found),
             .mood = mood_of(found),
             .lines = {
                 {.name = "attempts",
                  .points = points_of(found.seconds, end, &SecondMean::attempts)},
                 {.name = "offered",
                  .points = points_of(found.seconds, end, &SecondMean::offered),
                  .style = Style::dashed,
                  .tone = Tone::muted},
                 {.name = "goodput", .points = points_of(found.seconds, end, &SecondMean::ok)}}});
    }
    return made;
}

Chart rows_over_time(const Told& told, std::size_t point, const char* title, const char* note,
                     const Axis& y, double SecondMean::* field, double scale) {
    const std::size_t end = seconds_shown(told);
    Chart chart{.title = title,
                .note = note,
                .x = {.label = "time", .unit = "s", .low = 0.0},
                .y = y,
                .spans = spans_of(told.study, end),
                .x_marks = marks_of(told.study)};
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        Line line = line_of(told.study.rows[row].name);
        line.points = points_of(told.findings.at(row, point).seconds, end, field, scale);
        chart.lines.push_back(std::move(line));
    }
    return chart;
}

bool any(const Told& told, std::size_t point, double SecondMean::* field) {
    for (std::size_t row = 0; row < told.study.rows.size(); ++row)
        for (const SecondMean& second : told.findings.at(row, point).seconds)
            if (second.*field > 0) return true;
    return false;
}

const char* unit_of(Unit unit) {
    switch (unit) {
        case Unit::share: return "%";
        case Unit::seconds: return "s";
        case Unit::per_second: return "/s";
        default: return "";
    }
}

Chart sweep_chart(const Told& told, const std::string& name) {
    const Metric& what = *metric(name);
    const double scale = what.unit == Unit::share ? 100 : 1;
    Chart chart{.title = std::string{what.heading},
                .note = std::string{what.meaning} + ".",
                .x = {.label = told.study.sweep.label},
                .y = {.label = std::string{what.heading}, .unit = unit_of(what.unit)}};
    double least = HUGE_VAL, most = 0;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        Line line = line_of(told.study.rows[row].name);
        for (std::size_t point = 0; point < told.findings.points; ++point) {
            const double value = told.findings.at(row, point).mean(name) * scale;
            line.points.push_back({.x = told.study.sweep.places[point], .y = value});
            if (value > 0) least = std::min(least, value);
            if (value > 0) most = std::max(most, value);
        }
        chart.lines.push_back(std::move(line));
    }
    // What differs by far more than a factor of a hundred is told apart on a log scale only.
    if (most / least > 300 && what.unit != Unit::share) chart.y.scale = Scale::log;
    return chart;
}

Chart hysteresis_chart(const Told& told) {
    Chart chart{
        .title = "Goodput, up and down",
        .note = "Follow the arrows: out along the top, back along the bottom. Where both ways are "
                "one line, there is no trap.",
        .x = {.label = "offered load", .unit = "/s", .low = 0.0},
        .y = {.label = "successful calls", .unit = "/s"},
        .order = Order::path};
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        Line line = line_of(told.study.rows[row].name);
        const auto bins = hysteresis_bins(told, row, 24);
        for (const LoadBin& bin : bins) line.points.push_back({.x = bin.offered, .y = bin.up});
        for (std::size_t i = bins.size(); i-- > 0;)
            line.points.push_back({.x = bins[i].offered, .y = bins[i].down});
        chart.lines.push_back(std::move(line));
    }
    return chart;
}

Table sweep_table(const Told& told, const std::string& name) {
    const Metric& what = *metric(name);
    Table table{.caption = std::string{what.heading} + " by " + told.study.sweep.label};
    table.columns.push_back({.name = "row"});
    for (const std::string& value : told.study.sweep.values)
        table.columns.push_back({.name = value, .align = Align::right});
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        Row line;
        line.cells.push_back({.text = told.study.rows[row].name});
        for (std::size_t point = 0; point < told.findings.points; ++point) {
            const double mean = told.findings.at(row, point).mean(name);
            line.cells.push_back({.text = written(what, mean), .sort = mean});
        }
        table.rows.push_back(std::move(line));
    }
    return table;
}

Details parameters(const Told& told) {
    Details details{.title = "All parameters"};
    Table rows{.caption = "Rows"};
    rows.columns = {
        {.name = "row"},     {.name = "what it is"}, {.name = "attempts", .align = Align::right},
        {.name = "timeout"}, {.name = "deadline"},   {.name = "back-off"}};
    const auto limit = [](Duration duration) {
        return duration == never ? std::string{"none"} : in_words(duration);
    };
    for (const StudyRow& row : told.study.rows) {
        const Backoff& backoff = row.plan.rule.backoff;
        rows.rows.push_back(
            {.cells = {{.text = row.name},
                       {.text = row.text},
                       {.text = row.plan.rule.attempts == 0
                                    ? "unlimited"
                                    : std::to_string(row.plan.rule.attempts)},
                       {.text = limit(row.plan.attempt_timeout)},
                       {.text = limit(row.plan.deadline)},
                       {.text = in_words(backoff.base) + " to " + limit(backoff.cap)}}});
    }
    details.content.emplace_back(std::move(rows));
    return details;
}

void add_charts(Page& page, const Told& told, std::size_t point) {
    const Study& study = told.study;
    if (study.chart == StudyChart::hysteresis) page.add(hysteresis_chart(told));
    if (!study.sweep.key.empty() && told.findings.points > 1)
        for (const std::string& name : study.show) page.add(sweep_chart(told, name));
    if (study.kind != StudyKind::fleet || study.chart == StudyChart::sweep) return;
    page.add(over_time(told, point));
    if (any(told, point, &SecondMean::queue_age))
        page.add(
            rows_over_time(told, point, "How long requests waited in the queue",
                           "The mean of those taken from it in each second. Above the clients' "
                           "timeout, all of them are for nobody.",
                           {.label = "wait", .unit = "s"}, &SecondMean::queue_age, 1));
    if (any(told, point, &SecondMean::wasted))
        page.add(rows_over_time(told, point, "Work for nobody",
                                "The share of what was served whose client had given up.",
                                {.label = "wasted", .unit = "%", .low = 0.0, .high = 100.0},
                                &SecondMean::wasted, 100));
}

}  // namespace

std::string report_page(const Told& told, const std::string& command) {
    const Study& study = told.study;
    const std::size_t point = telling_point(told);
    Page page{study.title, study.question};
    page.add(headline(told));
    page.add(verdict_table(told, point));
    add_charts(page, told, point);
    if (!study.sweep.key.empty())
        for (const std::string& name : study.show) page.add(sweep_table(told, name));
    if (!study.text.empty()) page.add(Text{.title = "The set-up", .text = study.text});
    Text words{.title = "In words"};
    for (const std::string& one : statements(told).points) words.text += one + ".\n\n";
    page.add(std::move(words));
    page.add(parameters(told));
    page.add(Code{.title = "How to run this again", .code = command});
    page.footer("perdure " PERDURE_VERSION ", scenario " + study.name + ", seeds 1 to " +
                std::to_string(told.findings.seeds) + ".");
    return page.html();
}

}  // namespace tool
