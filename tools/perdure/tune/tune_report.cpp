// SPDX-License-Identifier: Apache-2.0
#include "tune/tune_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text/duration_text.hpp"
#include "tune/tune_warnings.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

constexpr std::array<double, 4> growths{0, 0.1, 0.2, 0.5};

CliffSide side_of(const Latencies& latencies, Duration timeout, double growth,
                  const TuneOptions& options, int attempts) {
    const auto before = static_cast<double>(timeout.count()) / (1 + growth);
    CliffSide side;
    side.false_timeouts =
        latencies.share_above(Duration{static_cast<Duration::rep>(std::floor(before))});
    side.load = load_factor(side.false_timeouts, attempts);
    if (options.utilisation) side.busy = *options.utilisation * (1 + growth) * side.load;
    return side;
}

std::vector<CliffRow> cliff_of(const TuneReport& report) {
    const Part& ground = report.ground();
    const Latencies latencies{samples_of(report.read.samples, ground)};
    // What the percentile would be for a service whose network is in the samples.
    const Duration bare = ground.tuning.percentile.value_or(*report.timeout);
    const int attempts = report.plan->plan.rule.attempts;
    std::vector<CliffRow> rows;
    for (const double growth : growths)
        rows.push_back({growth,
                        side_of(latencies, *report.timeout - report.options.network, growth,
                                report.options, attempts),
                        side_of(latencies, bare, growth, report.options, attempts)});
    return rows;
}

FittingPlan plan_of(Duration timeout, const TuneOptions& options) {
    FittingPlan fitting{.attempts_wanted = options.attempts};
    Plan& plan = fitting.plan;
    plan.name = options.name;
    plan.attempt_timeout = timeout;
    plan.rule.backoff.base = options.base;
    plan.rule.backoff.cap = std::max(options.cap, options.base);
    plan.rule.attempts = options.attempts;
    if (options.deadline) {
        const int room =
            attempts_within(*options.deadline, timeout, plan.rule.backoff, options.attempts);
        fitting.fits = room == options.attempts;
        plan.rule.attempts = std::max(room, 1);
        if (room == 0) plan.attempt_timeout = *options.deadline;
    }
    fitting.longest = longest_call(plan.rule.attempts, plan.attempt_timeout, plan.rule.backoff);
    fitting.longest_wait = fitting.longest - plan.rule.attempts * plan.attempt_timeout;
    plan.deadline = options.deadline.value_or(rounded_up(fitting.longest));
    return fitting;
}

std::optional<TippingReport> tipping_of(const TuneReport& report) {
    const TuneOptions& options = report.options;
    std::optional<double> rate = options.rate, capacity = options.capacity;
    if (options.utilisation && rate && !capacity) capacity = *rate / *options.utilisation;
    if (options.utilisation && capacity && !rate) rate = *capacity * *options.utilisation;
    if (!rate || !capacity) return std::nullopt;
    const Load load{.rate = *rate,
                    .capacity = *capacity,
                    .attempts = report.plan->plan.rule.attempts,
                    .timeout = report.plan->plan.attempt_timeout};
    return TippingReport{load, tipping_point(load)};
}

// A quote or a backslash in a name must not end the literal.
std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        if (static_cast<unsigned char>(c) >= ' ') text += c;
    }
    return text + '"';
}

}  // namespace

std::string as_cpp(const Plan& plan) {
    return "Plan{.name = " + quoted(plan.name) + ",\n     .deadline = " + cpp_text(plan.deadline) +
           ",\n     .attempt_timeout = " + cpp_text(plan.attempt_timeout) +
           ",\n     .rule = {.attempts = " + std::to_string(plan.rule.attempts) +
           ", .backoff = {.base = " + cpp_text(plan.rule.backoff.base) +
           ", .cap = " + cpp_text(plan.rule.backoff.cap) + "}}}";
}

TuneReport report_on(LatencyRead read, const TuneOptions& options) {
    TuneReport report{.options = options, .read = std::move(read)};
    // What load and rate tell of how busy the service is, nobody has to say twice.
    if (!options.utilisation && options.rate && options.capacity)
        report.options.utilisation = *options.rate / *options.capacity;
    report.blocks = blocks_of(report.read.samples, options);
    report.verdict = report.ground().tuning.verdict;
    if (report.ground().tuning.timeout) {
        report.timeout = rounded_up(*report.ground().tuning.timeout);
        report.plan = plan_of(*report.timeout, options);
        report.cliff = cliff_of(report);
        report.tipping = tipping_of(report);
    }
    report.warnings = warnings_about(report);
    return report;
}

}  // namespace tool
