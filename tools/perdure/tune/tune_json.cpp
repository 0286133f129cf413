// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <utility>

#include "text/calendar.hpp"
#include "text/json_text.hpp"
#include "tune/tune_show.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

std::string number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return {text, end};
}

std::string number(const std::optional<double>& value) { return value ? number(*value) : "null"; }

std::string number(const std::optional<Duration>& wait) {
    return wait ? number(in_ms(*wait)) : "null";
}

std::string object(JsonLine line) {
    std::string text = std::move(line).end();
    text.pop_back();  // the line end
    return text;
}

template <class Range, class Write>
std::string array(const Range& range, Write write) {
    std::string text;
    for (const auto& one : range) text += (text.empty() ? "" : ",") + write(one);
    return "[" + text + "]";
}

const char* name_of(TuningVerdict verdict) {
    switch (verdict) {
        case TuningVerdict::recommended: return "recommended";
        case TuningVerdict::too_few: return "too_few";
        case TuningVerdict::cut_off: return "cut_off";
        case TuningVerdict::nonsense: break;
    }
    return "nonsense";
}

std::string part_json(const Part& part, Duration width) {
    JsonLine line;
    line.text("label", part.label);
    line.raw("from", width > Duration::zero() ? json_text(in_utc(part.from)) : "null");
    line.raw("samples", std::to_string(part.count));
    line.raw("cut_off", std::to_string(part.cut_off));
    line.raw("correlation", number(part.correlation));
    line.raw("effective_samples", number(part.tuning.effective_samples));
    line.raw("samples_needed", std::to_string(part.tuning.samples_needed));
    line.raw("worse_than_chance", part.worse ? "true" : "false");
    line.text("verdict", name_of(part.tuning.verdict));
    line.raw("median_ms", number(part.tuning.median));
    line.raw("percentile_ms", number(part.tuning.percentile));
    line.raw("bound_ms", number(part.tuning.bound));
    line.raw("timeout_ms", number(part.tuning.timeout));
    return object(std::move(line));
}

std::string side_json(const CliffSide& side) {
    JsonLine line;
    line.raw("false_timeouts", number(side.false_timeouts));
    line.raw("load", number(side.load));
    line.raw("utilisation", number(side.busy));
    return object(std::move(line));
}

std::string cliff_json(const CliffRow& row) {
    JsonLine line;
    line.raw("growth", number(row.growth));
    line.raw("recommended", side_json(row.recommended));
    line.raw("percentile", side_json(row.bare));
    return object(std::move(line));
}

std::string plan_json(const FittingPlan& fitting) {
    JsonLine line;
    line.number("attempts", fitting.plan.rule.attempts);
    line.number("attempts_wanted", fitting.attempts_wanted);
    line.raw("fits", fitting.fits ? "true" : "false");
    line.raw("attempt_timeout_ms", number(in_ms(fitting.plan.attempt_timeout)));
    line.raw("base_ms", number(in_ms(fitting.plan.rule.backoff.base)));
    line.raw("cap_ms", number(in_ms(fitting.plan.rule.backoff.cap)));
    line.raw("longest_waits_ms", number(in_ms(fitting.longest_wait)));
    line.raw("longest_call_ms", number(in_ms(fitting.longest)));
    line.raw("deadline_ms", number(in_ms(fitting.plan.deadline)));
    line.text("cpp", as_cpp(fitting.plan));
    return object(std::move(line));
}

std::string tipping_json(const TippingReport& tipping) {
    JsonLine line;
    line.raw("rate", number(tipping.load.rate));
    line.raw("capacity", number(tipping.load.capacity));
    line.number("attempts", tipping.load.attempts);
    line.raw("timeout_ms", number(in_ms(tipping.load.timeout)));
    line.raw("healthy", number(tipping.state.healthy));
    line.raw("tipping", number(tipping.state.tipping));
    line.raw("stuck", number(tipping.state.stuck));
    line.raw("distance", number(tipping.state.distance()));
    return object(std::move(line));
}

std::string read_json(const LatencyRead& read) {
    JsonLine line;
    line.text("format", read.format);
    line.raw("field", read.field.empty() ? "null" : json_text(read.field));
    line.raw("lines", std::to_string(read.lines));
    line.raw("bad_lines", std::to_string(read.bad_lines));
    line.raw("bad_examples", array(read.bad_examples, json_text));
    line.raw("left_out", std::to_string(read.left_out));
    return object(std::move(line));
}

const char* name_of(Sampled sampled) {
    return sampled == Sampled::open     ? "\"open\""
           : sampled == Sampled::closed ? "\"closed\""
                                        : "null";
}

}  // namespace

std::string as_json(const TuneReport& report) {
    const Duration width = report.blocks.width;
    JsonLine line;
    line.text("verdict", name_of(report.verdict));
    line.text("reason", report.ground().tuning.reason);
    line.raw("timeout_ms", number(report.timeout));
    line.raw("false_timeouts", number(report.options.false_timeouts));
    line.raw("confidence", number(report.options.confidence));
    line.raw("network_ms", number(in_ms(report.options.network)));
    line.raw("worst_rtt_ms", number(in_ms(report.options.worst_round_trip)));
    line.raw("present_timeout_ms", number(report.options.input.timeout));
    line.raw("sampled", name_of(report.options.sampled));
    line.raw("utilisation", number(report.options.utilisation));
    line.raw("input", read_json(report.read));
    line.raw("block_seconds", width > Duration::zero() ? number(in_ms(width) / 1000) : "null");
    line.raw("worst_block",
             report.blocks.worst ? std::to_string(*report.blocks.worst) : std::string{"null"});
    line.raw("whole", part_json(report.blocks.whole, {}));
    line.raw("blocks",
             array(report.blocks.all, [&](const Part& part) { return part_json(part, width); }));
    line.raw("cliff", array(report.cliff, cliff_json));
    line.raw("plan", report.plan ? plan_json(*report.plan) : "null");
    line.raw("tipping", report.tipping ? tipping_json(*report.tipping) : "null");
    line.raw("warnings", array(report.warnings, json_text));
    line.raw("advice", array(advice_of(report), json_text));
    return std::move(line).end();
}

}  // namespace tool
