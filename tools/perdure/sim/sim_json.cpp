// SPDX-License-Identifier: Apache-2.0
//
// The report for programs: every number.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "sim/sim_report.hpp"
#include "text/json_text.hpp"

namespace tool {

namespace {

// The shortest that reads back as the same number; what JSON has no number for is null.
std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

// Series are means over seeds: six digits are more than they know.
std::string rounded(double value) {
    std::array<char, 64> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6)
            .ptr;
    return {text.data(), end};
}

std::string closed(JsonLine& line) {
    std::string json = std::move(line).end();
    json.pop_back();  // the line end
    return json;
}

template <class List, class Write>
std::string list(const List& items, Write write) {
    std::string json = "[";
    for (const auto& item : items) json += (json.size() > 1 ? "," : "") + write(item);
    return json + "]";
}

std::string seconds(Duration duration) {
    return duration == never ? "null" : number(static_cast<double>(duration.count()) / 1e9);
}

std::string row_json(const StudyRow& row) {
    JsonLine line;
    line.text("name", row.name).text("text", row.text);
    line.raw("safe_utilisation", row.safe_utilisation ? number(*row.safe_utilisation) : "null");
    line.number("attempts", row.plan.rule.attempts);
    line.raw("timeout", seconds(row.plan.attempt_timeout))
        .raw("deadline", seconds(row.plan.deadline));
    return closed(line);
}

std::string metrics_json(const CaseFindings& found) {
    JsonLine line;
    for (const Metric& what : metrics()) {
        const sim::Summary summary = found.summary(what.name);
        if (summary.count == 0) continue;
        JsonLine one;
        one.raw("mean", number(summary.mean)).raw("margin", number(summary.margin));
        one.raw("deviation", number(summary.deviation));
        one.raw("least", number(summary.least)).raw("most", number(summary.most));
        one.number("count", static_cast<long long>(summary.count));
        one.raw("values", list(found.values[metric_index(what.name)], number));
        line.raw(what.name, closed(one));
    }
    return closed(line);
}

std::string series_json(const std::vector<SecondMean>& all, std::size_t shown) {
    const std::vector<SecondMean> some{
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(shown, all.size()))};
    JsonLine line;
    const auto series = [&](const char* name, double SecondMean::* field) {
        line.raw(name,
                 list(some, [&](const SecondMean& second) { return rounded(second.*field); }));
    };
    series("offered", &SecondMean::offered);
    series("ok", &SecondMean::ok);
    series("attempts", &SecondMean::attempts);
    series("answers", &SecondMean::answers);
    series("queue", &SecondMean::queue);
    series("queue_age", &SecondMean::queue_age);
    series("wasted", &SecondMean::wasted);
    return closed(line);
}

std::string case_json(const Told& told, const Case& one) {
    const CaseFindings& found = told.findings.at(one.row, one.point);
    JsonLine line;
    line.text("row", told.study.rows[one.row].name);
    if (!told.study.sweep.key.empty()) line.text("value", told.study.sweep.values[one.point]);
    line.text("outcome", outcome_words(told, one.row, one.point));
    line.raw("metrics", metrics_json(found));
    if (!found.seconds.empty())
        line.raw("seconds", series_json(found.seconds, seconds_shown(told)));
    return closed(line);
}

std::string bins_json(const Told& told) {
    JsonLine line;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row)
        line.raw(told.study.rows[row].name,
                 list(hysteresis_bins(told, row, 24), [](const LoadBin& bin) {
                     JsonLine one;
                     one.raw("offered", number(bin.offered));
                     one.raw("up", number(bin.up)).raw("down", number(bin.down));
                     return closed(one);
                 }));
    return closed(line);
}

}  // namespace

std::string report_json(const Told& told) {
    const Study& study = told.study;
    const Statements said = statements(told);
    JsonLine line;
    line.text("scenario", study.name).text("title", study.title).text("question", study.question);
    line.number("seeds", told.findings.seeds);
    line.text("done", said.done).text("happened", said.happened);
    line.raw("change", list(said.change, [](const std::string& text) { return json_text(text); }));
    line.raw("show", list(study.show, [](const std::string& text) { return json_text(text); }));
    line.raw("metrics", list(metrics(), [](const Metric& what) {
                 JsonLine one;
                 one.text("name", what.name).text("meaning", what.meaning);
                 one.text("better", what.better == Better::less ? "less" : "more");
                 return closed(one);
             }));
    line.raw("triggers", list(study.triggers, [](const Trigger& trigger) {
                 JsonLine one;
                 one.raw("from", seconds(trigger.from)).raw("to", seconds(trigger.to));
                 one.text("text", trigger.text);
                 return closed(one);
             }));
    if (!study.sweep.key.empty()) {
        JsonLine sweep;
        sweep.text("key", study.sweep.key).text("label", study.sweep.label);
        sweep.raw("values", list(study.sweep.values,
                                 [](const std::string& text) { return json_text(text); }));
        line.raw("sweep", closed(sweep));
    }
    line.raw("rows", list(study.rows, row_json));
    line.raw("cases", list(study.cases, [&](const Case& one) { return case_json(told, one); }));
    if (study.chart == StudyChart::hysteresis) line.raw("hysteresis", bins_json(told));
    return std::move(line).end();
}

}  // namespace tool
