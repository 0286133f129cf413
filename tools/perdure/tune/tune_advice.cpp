// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "text/duration_text.hpp"
#include "tune/tune_show.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

std::string per_second(double rate) { return decimal(rate, 4) + "/s"; }

// The largest accepted rate for which so many samples would do, as a round number.
double rate_for(double samples, double confidence) {
    const double least = 1 - std::pow(1 - confidence, 1 / std::max(samples, 1.0));
    for (double decade = 1e-7; decade < 0.1; decade *= 10)
        for (const double step : {1, 2, 5})
            if (decade * step >= least) return decade * step;
    return 1;
}

std::vector<std::string> advice_for_more(const TuneReport& report) {
    const Tuning& tuning = report.ground().tuning;
    std::vector<std::string> advice{
        percentile_name(report.options.false_timeouts) + " takes " +
        grouped(tuning.samples_needed) + " samples, here are " + grouped(report.ground().count) +
        ". Collect " +
        grouped(tuning.samples_needed -
                std::min<std::uint64_t>(tuning.samples_needed, report.ground().count)) +
        " more."};
    const double rate = rate_for(tuning.effective_samples, report.options.confidence);
    if (rate > report.options.false_timeouts && rate < 0.1)
        advice.push_back("Or accept more false timeouts: --false-timeouts " +
                         decimal(100 * rate, 2) + "% can be answered from these.");
    return advice;
}

std::vector<std::string> advice_for_cut_off(const TuneReport& report) {
    const Part& ground = report.ground();
    const Latencies latencies{samples_of(report.read.samples, ground)};
    const Duration present = report.options.input.timeout.value_or(latencies.longest());
    const double share = static_cast<double>(ground.cut_off) / static_cast<double>(ground.count);
    return {"Do not shorten the timeout: it cut off " + percent(share) + " of the requests (" +
                ground.label + "), more than the accepted " +
                percent(report.options.false_timeouts) + ". How long they take, nobody has seen.",
            "Raise it to " + in_words(rounded_up(2 * present)) +
                " or more for a while, and measure again."};
}

std::string state_words(const TippingReport& tipping) {
    const double healthy = *tipping.state.healthy, edge = *tipping.state.tipping;
    return "a slowdown or burst that brings the attempts from " + per_second(healthy) + " to " +
           per_second(edge) + " (+" + percent(*tipping.state.distance()) +
           ") tips it over; they then run up to " + per_second(*tipping.state.stuck) +
           " and stay there when the cause is gone. That is for retries without a budget; the "
           "plan's budget holds them back";
}

}  // namespace

std::string tipping_words(const TippingReport& tipping) {
    const Tipping& state = tipping.state;
    if (state.tipping) return state_words(tipping);
    if (state.healthy)
        return "it has none: even if every attempt fails, " +
               per_second(tipping.load.rate * tipping.load.attempts) + " can be served";
    return "there is no healthy state at this rate: without a retry budget, attempts run up to " +
           per_second(state.stuck.value_or(0)) + " by themselves";
}

namespace {

// Several blocks, of which none decides.
std::string pooled_words(const Blocks& blocks) {
    const std::string count = grouped(blocks.all.size()) + " " + blocks.kind;
    const auto weak = [](const Part& part) {
        return part.tuning.verdict == TuningVerdict::too_few;
    };
    if (std::ranges::all_of(blocks.all, weak))
        return "from all samples together: none of " + count + " has enough samples";
    const auto bad = std::ranges::count_if(blocks.all, &Part::worse);
    if (bad > 0)
        return "from all samples together: of " + count + ", " +
               grouped(static_cast<std::uint64_t>(bad)) +
               " with more slow requests than chance explains, but too few samples to decide";
    return "from all samples together: of " + count + ", no stretch is worse than chance explains";
}

}  // namespace

std::string ground_words(const TuneReport& report) {
    const Blocks& blocks = report.blocks;
    if (blocks.all.size() == 1) return "from all samples together, in one block";
    if (!blocks.worst) return pooled_words(blocks);
    std::string text = "from the worst of " + grouped(blocks.all.size()) + " " + blocks.kind +
                       ": " + report.ground().label;
    if (blocks.width > Duration::zero()) text += " UTC";
    text += ", " + grouped(report.ground().count) + " samples";
    if (blocks.whole.tuning.timeout)
        text += "; all together ask for " + in_words(rounded_up(*blocks.whole.tuning.timeout));
    return text;
}

std::string samples_words(const TuneReport& report) {
    const Part& ground = report.ground();
    std::string text = grouped(report.blocks.whole.count) + " latencies from " + report.read.format;
    if (!report.read.field.empty())
        text += (report.read.fields > 1 ? ", fields " : ", field ") + report.read.field;
    if (report.blocks.whole.cut_off > 0)
        text += "; " + grouped(report.blocks.whole.cut_off) + " cut off, counted as longer";
    if (report.read.left_out > 0) text += "; " + grouped(report.read.left_out) + " left out";
    if (ground.correlation > 1)
        text += "; neighbours repeat each other, so " + grouped(ground.count) + " are worth " +
                grouped(static_cast<std::uint64_t>(ground.tuning.effective_samples));
    else if (report.blocks.ordered != Ordered::by_latency)
        text += "; neighbours do not repeat each other";
    return text;
}

std::vector<std::string> advice_of(const TuneReport& report) {
    if (report.verdict == TuningVerdict::too_few) return advice_for_more(report);
    if (!report.timeout) return advice_for_cut_off(report);
    std::vector<std::string> advice;
    const auto& present = report.options.input.timeout;
    const Plan& plan = report.plan->plan;
    advice.push_back("Set the attempt timeout to " + in_words(plan.attempt_timeout) +
                     (present ? *present < *report.timeout
                                    ? ", more than the present " + in_words(*present)
                                    : ", instead of " + in_words(*present)
                              : std::string{}) +
                     ", " + std::to_string(plan.rule.attempts) +
                     (plan.rule.attempts == 1 ? " attempt" : " attempts") +
                     ", and the deadline to " + in_words(plan.deadline) + ".");
    if (report.tipping && !report.tipping->state.healthy)
        advice.emplace_back(
            "Lower the load or the attempts first: " + tipping_words(*report.tipping) + ".");
    if (present && *present > *report.timeout)
        advice.emplace_back("Lower it in steps, while the service is well, and watch "
                            "attempts_timed_out.");
    return advice;
}

}  // namespace tool
