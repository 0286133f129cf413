// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "doctor/report.hpp"
#include "doctor/words.hpp"
#include "page/page.hpp"

namespace tool::doctor {

namespace {

// A chart as wide as a screen shows so many points; a longer run is drawn in stretches.
constexpr std::int64_t most_points = 400;

struct Frame {
    std::int64_t begin = 0;  // the first slot of the fleet, nanoseconds since 1970
    std::int64_t end = 0;
    std::int64_t step = second;

    [[nodiscard]] double x(std::int64_t time) const {
        return static_cast<double>(time - begin) / static_cast<double>(second);
    }
    [[nodiscard]] Axis axis() const {
        return {.label = "time since " + utc(begin).substr(0, 19), .unit = "s", .low = 0.0};
    }
};

Frame frame_of(const Tally& tally) {
    const Timeline& all = tally.timeline;
    Frame frame{.begin = all.slots().begin()->first * all.width(),
                .end = (all.slots().rbegin()->first + 1) * all.width()};
    frame.step = all.width();
    while ((frame.end - frame.begin) / frame.step > most_points) frame.step *= 2;
    return frame;
}

// The slots put together into the frame's steps; steps without a call are missing.
std::map<std::int64_t, Slot> steps_of(const Timeline& timeline, const Frame& frame) {
    const std::int64_t step = std::max(frame.step, timeline.width());
    std::map<std::int64_t, Slot> steps;
    for (const auto& [at, slot] : timeline.slots())
        if (slot.calls > 0)
            steps[std::max(at * timeline.width(), frame.begin) / step * step].merge(slot);
    return steps;
}

enum class Reading : unsigned char { calls, failed, affected, p99 };

double read(const Slot& slot, Reading what, double seconds) {
    switch (what) {
        case Reading::calls: return static_cast<double>(slot.calls) / seconds;
        case Reading::failed: return static_cast<double>(slot.failed) / seconds;
        case Reading::affected: return static_cast<double>(slot.affected) / seconds;
        case Reading::p99: return static_cast<double>(slot.elapsed.quantile(0.99)) / 1e9;
    }
    return no_number;
}

std::vector<Point> points_of(const Timeline& timeline, const Frame& frame, Reading what) {
    const std::int64_t step = std::max(frame.step, timeline.width());
    const auto steps = steps_of(timeline, frame);
    std::vector<Point> points;
    for (auto at = frame.begin / step * step; at < frame.end; at += step) {
        const auto found = steps.find(at);
        const double seconds = static_cast<double>(step) / static_cast<double>(second);
        const double none = what == Reading::p99 ? no_number : 0;
        points.push_back({.x = std::max(frame.x(at), 0.0),
                          .y = found == steps.end() ? none : read(found->second, what, seconds)});
    }
    return points;
}

Chart calls_chart(const Report& report, const Frame& frame) {
    const Timeline& line = report.tally.timeline;
    return {.title = "Calls",
            .note = "Each call counts where it began. **Affected** calls needed a retry or failed.",
            .x = frame.axis(),
            .y = {.label = "calls", .unit = "/s"},
            .lines = {{.name = "calls",
                       .points = points_of(line, frame, Reading::calls),
                       .tone = Tone::muted},
                      {.name = "affected", .points = points_of(line, frame, Reading::affected)},
                      {.name = "failed", .points = points_of(line, frame, Reading::failed)}}};
}

Chart p99_chart(const Report& report, const Frame& frame) {
    Chart chart{.title = "p99",
                .note = p99_words(report) + ".",
                .x = frame.axis(),
                .y = {.label = "p99", .unit = "s"},
                .lines = {{.name = "p99",
                           .points = points_of(report.tally.timeline, frame, Reading::p99)}}};
    if (const auto wanted = report.facts.wishes.p99)
        chart.y_marks.push_back({.at = static_cast<double>(*wanted) / 1e9, .label = "wanted"});
    return chart;
}

// Those with most trouble, for a fleet may be large.
std::vector<std::pair<std::string, const Instance*>> worst_instances(const Report& report) {
    std::vector<std::pair<std::string, const Instance*>> all;
    for (const auto& [name, one] : report.tally.instances.rows())
        if (one.calls > 0) all.emplace_back(name, &one);
    std::ranges::sort(all, {}, [](const auto& row) {
        return std::pair{-Share{row.second->affected, row.second->calls}.value(), row.first};
    });
    return all;
}

Multiples by_instance(const Report& report, const Frame& frame, Reading what) {
    constexpr std::size_t most = 9;
    const bool latency = what == Reading::p99;
    Multiples made{.title = latency ? "p99 by instance" : "Affected calls by instance",
                   .x = frame.axis(),
                   .y = latency ? Axis{.label = "p99", .unit = "s"}
                                : Axis{.label = "affected", .unit = "/s"}};
    const auto all = worst_instances(report);
    if (all.size() > most)
        made.note = "The " + std::to_string(most) + " with most trouble of " +
                    std::to_string(all.size()) + ".";
    const auto& sick = report.scope_facts.instances.names;
    for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
        const auto& [name, one] = all[i];
        const bool bad = std::ranges::find(sick, name) != sick.end();
        made.panels.push_back({.title = shown(name),
                               .note = percent(Share{one->affected, one->calls}.value()) +
                                       " affected, " +
                                       percent(Share{one->failed, one->calls}.value()) + " failed",
                               .mood = bad ? Mood::bad : Mood::neutral,
                               .lines = {{.name = latency ? "p99" : "affected",
                                          .points = points_of(one->timeline, frame, what)}}});
    }
    return made;
}

Headline headline(const Report& report) {
    const Facts& facts = report.facts;
    const bool healthy = report.diagnosis.verdict == Root::healthy;
    Headline made;
    made.done.text = number_words(report.tally.calls) + " calls of " +
                     std::to_string(facts.instances.of) +
                     (facts.instances.of == 1 ? " instance, from " : " instances, from ") +
                     utc(report.tally.first).substr(0, 19) + " to " +
                     utc(report.tally.last).substr(0, 19) + " UTC.";
    made.happened.text =
        healthy ? "Nothing stands out beyond noise." : "Most likely: **" + report.headline + "**.";
    if (!healthy)
        for (const Evidence& piece : report.diagnosis.about(report.diagnosis.verdict)->evidence)
            made.happened.points.push_back(piece.text);
    made.change.points = report.next_steps;
    made.change.points.push_back(std::string{"Contact support: **"} +
                                 (report.support.contact ? "yes" : "no") + "**, because " +
                                 report.support.because + ".");
    made.figures = {
        {.value = rest_percent(facts.failed.value()),
         .label = "of the calls succeeded; SLA " + rest_percent(1 - facts.wishes.sla),
         .mood = facts.outside_sla() ? Mood::bad : Mood::good},
        {.value = percent(facts.affected.value()), .label = "needed a retry or failed"},
        {.value = time_words(facts.p99),
         .label = "p99",
         .mood = facts.outside_p99() ? Mood::bad : Mood::neutral},
        {.value = decimal(facts.amplification, 3) + " ×", .label = "attempts per call"}};
    return made;
}

Table causes_table(const Report& report) {
    Table table{.caption = "What was considered",
                .note =
                    "Asked from top to bottom. A cause is as likely as its weakest evidence; the "
                    "first with " +
                    decimal(threshold, 2) + " or more is the verdict.",
                .columns = {{.name = "cause"},
                            {.name = "score", .align = Align::right},
                            {.name = "weakest evidence"}}};
    for (const Suspicion& one : report.diagnosis.suspicions) {
        const auto weakest = std::ranges::min_element(one.evidence, {}, &Evidence::weight);
        table.rows.push_back(
            {.cells = {{.text = std::string{to_string(one.root)}},
                       {.text = decimal(one.score, 2), .sort = one.score},
                       {.text = weakest->text}},
             .mood = one.root == report.diagnosis.verdict ? Mood::bad : Mood::neutral});
    }
    return table;
}

Bars parts_bars(const Report& report) {
    Bars bars{.title = "p99, and what it would be without",
              .note = p99_words(report) + ".",
              .values = {.label = "p99", .unit = "s", .low = 0.0}};
    bars.bars.push_back({.name = "as it is", .value = static_cast<double>(report.facts.p99) / 1e9});
    for (std::size_t i = 0; i < part_count; ++i)
        bars.bars.push_back({.name = "without " + part_words(static_cast<Part>(i)),
                             .value = static_cast<double>(report.facts.p99_without[i]) / 1e9});
    return bars;
}

Table codes_table(const Report& report) {
    Table table{.caption = "Codes",
                .columns = {{.name = "dependency"},
                            {.name = "code"},
                            {.name = "cause"},
                            {.name = "attempts", .align = Align::right},
                            {.name = "worth a retry"},
                            {.name = "covered",
                             .align = Align::right,
                             .tooltip = "calls that met it and succeeded all the same"}}};
    for (const Code* code : codes_of(report)) {
        const Share covered{code->calls - code->calls_failed, code->calls};
        table.rows.push_back(
            {.cells = {{.text = code->dependency},
                       {.text = code->code},
                       {.text = std::string{to_string(code->cause)}},
                       {.text = number_words(code->attempts),
                        .sort = static_cast<double>(code->attempts)},
                       {.text = is_repeatable(code->cause) ? "yes" : "no"},
                       {.text = percent(covered.value()), .sort = covered.value()}}});
    }
    return table;
}

Table groups_table(const std::string& caption,
                   const std::vector<std::pair<std::string, const Group*>>& groups) {
    Table table{.caption = caption,
                .columns = {{.name = "name"},
                            {.name = "calls", .align = Align::right},
                            {.name = "affected", .align = Align::right},
                            {.name = "failed", .align = Align::right},
                            {.name = "p99", .align = Align::right}}};
    for (const auto& [name, group] : groups) {
        const Share affected{group->affected, group->calls}, failed{group->failed, group->calls};
        const auto p99 = static_cast<std::int64_t>(group->elapsed.quantile(0.99));
        table.rows.push_back(
            {.cells = {
                 {.text = shown(name)},
                 {.text = number_words(group->calls), .sort = static_cast<double>(group->calls)},
                 {.text = percent(affected.value()), .sort = affected.value()},
                 {.text = percent(failed.value()), .sort = failed.value()},
                 {.text = time_words(p99), .sort = static_cast<double>(p99)}}});
    }
    return table;
}

Table hand_over_table(const Report& report) {
    Table table{.caption = "To hand over",
                .columns = {{.name = "time"},
                            {.name = "instance"},
                            {.name = "call"},
                            {.name = "address"},
                            {.name = "code"},
                            {.name = "request"}}};
    for (const Example& one : report.examples)
        table.rows.push_back({.cells = {{.text = utc(one.time)},
                                        {.text = one.instance},
                                        {.text = one.dependency + " " + one.operation},
                                        {.text = one.address},
                                        {.text = one.code},
                                        {.text = one.request_id}}});
    return table;
}

}  // namespace

std::string as_page(const Report& report) {
    const bool healthy = report.diagnosis.verdict == Root::healthy;
    Page page{healthy ? "Healthy" : "Most likely: " + report.headline,
              std::to_string(report.options.files.size()) +
                  (report.options.files.size() == 1 ? " journal, " : " journals, ") +
                  number_words(report.account.lines) + " lines" +
                  (report.account.bad > 0
                       ? ", " + number_words(report.account.bad) + " of them unreadable"
                       : "")};
    page.add(headline(report));
    const Frame frame = frame_of(report.tally);
    page.add(calls_chart(report, frame)).add(p99_chart(report, frame));
    if (report.facts.instances.of > 1)
        page.add(by_instance(report, frame, Reading::affected))
            .add(by_instance(report, frame, Reading::p99));
    page.add(parts_bars(report));
    if (!report.tally.codes.rows().empty()) page.add(codes_table(report));
    if (!report.examples.empty()) page.add(hand_over_table(report));
    if (report.options.by != By::nothing)
        page.add(groups_table(report.options.by == By::operation ? "By operation" : "By dependency",
                              groups_of(report)));
    std::vector<std::pair<std::string, const Group*>> instances;
    for (const auto& [name, one] : worst_instances(report)) instances.emplace_back(name, one);
    page.add(groups_table("By instance", instances));
    page.add(causes_table(report));
    page.footer("perdure " PERDURE_VERSION ", doctor.");
    return page.html();
}

}  // namespace tool::doctor
