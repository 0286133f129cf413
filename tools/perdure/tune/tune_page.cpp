// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "page/page.hpp"
#include "text/duration_text.hpp"
#include "tune/tune_show.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

constexpr int buckets_shown = 60;
constexpr int points_shown = 200;
constexpr int cliff_steps = 20;  // of 5 % each

double seconds(Duration wait) { return in_ms(wait) / 1000; }

Duration from_seconds(double number) {
    return Duration{static_cast<Duration::rep>(std::llround(number * 1e9))};
}

// From a bit below the shortest to a bit above the longest; for log axes.
struct Range {
    double low = 1e-9, high = 1;

    [[nodiscard]] double at(double share) const { return low * std::pow(high / low, share); }
};

Range range_of(const TuneReport& report, const Latencies& latencies) {
    Range range;
    // The shortest thousandth would stretch the axis for nothing.
    const Duration shortest = latencies.quantile(0.001).value_or(latencies.longest());
    range.low = std::max(seconds(shortest), 1e-9);
    const Duration longest = std::max(latencies.longest(), report.timeout.value_or(Duration{}));
    range.high = std::max(seconds(longest), range.low) * 1.05;
    return range;
}

std::vector<Mark> marks_of(const TuneReport& report) {
    const Tuning& tuning = report.ground().tuning;
    std::vector<Mark> marks;
    if (tuning.median) marks.push_back({seconds(*tuning.median), "p50"});
    if (tuning.percentile)
        marks.push_back(
            {seconds(*tuning.percentile), percentile_name(report.options.false_timeouts)});
    if (report.options.input.timeout)
        marks.push_back({seconds(*report.options.input.timeout), "present timeout", Mood::bad});
    if (report.timeout)
        marks.push_back(
            {seconds(*report.timeout), "timeout " + in_words(*report.timeout), Mood::good});
    return marks;
}

Headline headline_of(const TuneReport& report) {
    Headline headline;
    headline.done = {.text = samples_words(report) + "."};
    headline.happened = {.text = report.ground().tuning.reason + ".",
                         .points = {ground_words(report) + "."}};
    headline.change = {.points = advice_of(report)};
    if (!report.timeout) return headline;
    const CliffRow& slower = report.cliff[2];  // +20 %
    headline.figures = {
        {in_words(*report.timeout), "attempt timeout", Mood::good},
        {percent(slower.recommended.false_timeouts), "false timeouts if latency grows by 20 %"},
        {std::to_string(report.plan->plan.rule.attempts) + " × in " +
             in_words(report.plan->plan.deadline),
         "attempts within the deadline"}};
    if (report.tipping && report.tipping->state.distance())
        headline.figures.push_back(
            {"+" + percent(*report.tipping->state.distance()), "attempts until it tips over"});
    return headline;
}

Histogram histogram_of(const TuneReport& report, const Latencies& latencies) {
    Histogram histogram{.title = "Latencies",
                        .note = "Of " + report.ground().label +
                                ". Each bar is as wide as its "
                                "neighbours in proportion, so the axis is logarithmic."};
    histogram.x = {.label = "latency", .unit = "s", .scale = Scale::log};
    histogram.y = {.label = "requests"};
    const Range range = range_of(report, latencies);
    const auto all = static_cast<double>(latencies.count());
    for (int i = 0; i < buckets_shown; ++i) {
        const double from = range.at(i / double{buckets_shown});
        const double to = range.at((i + 1) / double{buckets_shown});
        const double share =
            latencies.share_above(from_seconds(from)) - latencies.share_above(from_seconds(to));
        histogram.buckets.push_back({from, to, std::round(share * all)});
    }
    histogram.x_marks = marks_of(report);
    return histogram;
}

Chart tail_of(const TuneReport& report, const Latencies& latencies) {
    Chart chart{.title = "The tail",
                .note = "How many requests take longer: a steep end is a cliff, a slow one a long "
                        "tail. Samples that were cut off count as longer."};
    chart.x = {.label = "latency", .unit = "s", .scale = Scale::log};
    chart.y = {.label = "requests that take longer", .unit = "%", .scale = Scale::log};
    const Range range = range_of(report, latencies);
    Line line{.name = report.ground().label, .style = Style::step};
    for (int i = 0; i <= points_shown; ++i) {
        const double at = range.at(i / double{points_shown});
        line.points.push_back({at, 100 * latencies.share_above(from_seconds(at))});
    }
    chart.lines = {std::move(line)};
    chart.x_marks = marks_of(report);
    chart.y_marks = {{100 * report.options.false_timeouts,
                      percent(report.options.false_timeouts) + " accepted"}};
    return chart;
}

Chart blocks_of(const TuneReport& report) {
    const bool timed = report.blocks.width > Duration::zero();
    Chart chart{.title = "Stretches of time",
                .note = report.blocks.worst
                            ? "One is worse than chance explains, and decides: requests are made "
                              "in it too."
                            : "None decides: the answer comes from all samples together."};
    chart.note += " A gap is a stretch with too few samples, or one whose tail was cut off.";
    chart.x = {.label =
                   timed ? "hours since " + report.blocks.all.front().label + " UTC" : "samples",
               .unit = ""};
    chart.y = {.label = "latency", .unit = "s"};
    const std::string name = percentile_name(report.options.false_timeouts);
    Line median{.name = "p50", .style = Style::step};
    Line percentile{.name = name, .style = Style::step};
    Line bound{.name = name + " at most", .style = Style::step};
    const auto known = [](const std::optional<Duration>& wait) {
        return wait ? seconds(*wait) : no_number;
    };
    for (const Part& part : report.blocks.all) {
        const double x = timed ? seconds(part.from - report.blocks.all.front().from) / 3600
                               : static_cast<double>(part.first);
        median.points.push_back({x, known(part.tuning.median)});
        percentile.points.push_back({x, known(part.tuning.percentile)});
        bound.points.push_back({x, known(part.tuning.bound)});
    }
    chart.lines = {std::move(bound), std::move(percentile), std::move(median)};
    if (report.timeout)
        chart.y_marks = {
            {seconds(*report.timeout), "timeout " + in_words(*report.timeout), Mood::good}};
    return chart;
}

Line cliff_line(std::string name, const Latencies& latencies, Duration timeout) {
    Line line{.name = std::move(name)};
    for (int i = 0; i <= cliff_steps; ++i) {
        const double growth = 5.0 * i;
        const double before = seconds(timeout) / (1 + growth / 100);
        line.points.push_back({growth, 100 * latencies.share_above(from_seconds(before))});
    }
    return line;
}

Chart cliff_of(const TuneReport& report, const Latencies& latencies) {
    const std::string name = percentile_name(report.options.false_timeouts);
    Chart chart{.title = "The cliff",
                .note = "Good requests that are cut off when every latency grows by so much. Each "
                        "becomes a retry, on a service that is slow already."};
    chart.x = {.label = "latency grows by", .unit = "%"};
    chart.y = {.label = "false timeouts", .unit = "%"};
    chart.lines = {cliff_line("timeout " + in_words(*report.timeout), latencies,
                              *report.timeout - report.options.network)};
    if (report.ground().tuning.percentile)
        chart.lines.push_back(
            cliff_line("bare " + name, latencies, *report.ground().tuning.percentile));
    return chart;
}

Table cliff_table(const TuneReport& report) {
    const std::string name = percentile_name(report.options.false_timeouts);
    const std::string here = in_words(*report.timeout);
    Table table{.caption = "False timeouts when latency grows"};
    table.columns = {{"latency"},
                     {"cut off at " + here, Align::right},
                     {"load", Align::right, "attempts per call: 1 + q + q² + …"},
                     {"cut off at " + name, Align::right},
                     {"load", Align::right, "attempts per call: 1 + q + q² + …"}};
    const bool busy = report.options.utilisation.has_value();
    if (busy) table.columns.insert(table.columns.begin() + 3, Column{"busy", Align::right});
    if (busy) table.columns.push_back({"busy", Align::right});
    const auto add = [&](Row& row, const CliffSide& side) {
        row.cells.push_back({percent(side.false_timeouts), side.false_timeouts});
        row.cells.push_back({decimal(side.load, 3), side.load});
        if (busy)
            row.cells.push_back(
                {percent(*side.busy), *side.busy, *side.busy >= 1 ? Mood::bad : Mood::neutral});
    };
    for (const CliffRow& one : report.cliff) {
        Row row;
        row.cells.push_back(
            {one.growth > 0 ? "+" + percent(one.growth) : "as measured", one.growth});
        add(row, one.recommended);
        add(row, one.bare);
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table blocks_table(const TuneReport& report) {
    const std::string name = percentile_name(report.options.false_timeouts);
    Table table{.caption = "All " + report.blocks.kind};
    table.columns = {{"stretch"},
                     {"samples", Align::right},
                     {"worth", Align::right, "fewer where neighbours repeat each other"},
                     {"cut off", Align::right},
                     {"p50", Align::right},
                     {name, Align::right},
                     {"at most", Align::right}};
    const auto cell = [](const std::optional<Duration>& wait) {
        return wait ? Cell{in_words(*wait), seconds(*wait)} : Cell{"?"};
    };
    for (const Part& part : report.blocks.all) {
        const bool worst = &part == &report.ground() && report.blocks.all.size() > 1;
        const auto count = [](double number) {
            return Cell{grouped(static_cast<std::uint64_t>(number)), number};
        };
        table.rows.push_back({.cells = {{part.label},
                                        count(static_cast<double>(part.count)),
                                        count(part.tuning.effective_samples),
                                        count(static_cast<double>(part.cut_off)),
                                        cell(part.tuning.median),
                                        cell(part.tuning.percentile),
                                        cell(part.tuning.bound)},
                              .mood = worst ? Mood::bad : Mood::neutral});
    }
    return table;
}

Text tipping_text(const TippingReport& tipping) {
    return {.title = "Distance to the tipping point",
            .text = "With " + decimal(tipping.load.rate, 4) + " calls per second, a capacity of " +
                    decimal(tipping.load.capacity, 4) + " and " +
                    std::to_string(tipping.load.attempts) + " attempts: " + tipping_words(tipping) +
                    ".\n\nThe service is taken for one queue that finishes what its callers have "
                    "given up, and no budget is counted in."};
}

Details notes_of(const TuneReport& report) {
    std::string text;
    for (const std::string& warning : report.warnings)
        text += (text.empty() ? "" : "\n\n") + warning;
    return {.title = "Notes", .content = {Text{.text = text}}};
}

// The plan's name stands for a service; without --name it is the word itself.
std::string whose(const TuneReport& report) {
    return report.options.name == "service" ? "the service" : report.options.name;
}

}  // namespace

std::string as_page(const TuneReport& report) {
    const Latencies latencies{samples_of(report.read.samples, report.ground())};
    Page page{report.timeout ? "A timeout of " + in_words(*report.timeout) + " for " + whose(report)
                             : "No timeout for " + whose(report),
              percentile_name(report.options.false_timeouts) + ", " +
                  percent(report.options.confidence) + " sure, from " +
                  grouped(report.blocks.whole.count) + " samples"};
    page.add(headline_of(report));
    page.add(histogram_of(report, latencies)).add(tail_of(report, latencies));
    if (report.timeout) page.add(cliff_of(report, latencies)).add(cliff_table(report));
    if (report.blocks.all.size() > 1) page.add(blocks_of(report));
    if (report.tipping) page.add(tipping_text(*report.tipping));
    if (report.plan)
        page.add(Code{.title = "The plan, to paste", .code = as_cpp(report.plan->plan)});
    if (report.blocks.all.size() > 1)
        page.add(Details{.title = "Every stretch", .content = {blocks_table(report)}});
    if (!report.warnings.empty()) page.add(notes_of(report));
    page.footer("perdure tune " PERDURE_VERSION);
    return page.html();
}

}  // namespace tool
