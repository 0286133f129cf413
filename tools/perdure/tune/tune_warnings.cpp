// SPDX-License-Identifier: Apache-2.0
#include "tune/tune_warnings.hpp"

#include <algorithm>

#include "text/duration_text.hpp"
#include "tune/tune_report.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

using Warnings = std::vector<std::string>;

void about_sampling(const TuneReport& report, Warnings& warnings) {
    if (report.options.sampled == Sampled::closed)
        warnings.emplace_back(
            "The samples come from a closed loop, which waits for each answer before it asks "
            "again: "
            "it asks least while the service is slow, so the true tail is longer (coordinated "
            "omission). Measure with requests that start on schedule, and count from the "
            "schedule.");
    if (report.options.sampled == Sampled::unsaid)
        warnings.emplace_back(
            "How were the samples taken? --sampled open: requests start whether or not earlier "
            "ones "
            "are answered, as real traffic does. --sampled closed: a loop that waits understates "
            "the tail.");
    if (report.options.network == Duration::zero())
        warnings.emplace_back(
            "Nothing is added for the network. That is right for latencies measured at the caller, "
            "of requests on open connections; otherwise say --network. Connection set-up (DNS, "
            "TCP, TLS) has a limit of its own and does not belong into the samples.");
}

// A timeout is a round number, and what it cuts off ends a little later.
Duration wall_at(Duration longest) {
    const Duration round = rounded_down(longest, 2);
    return longest - round <= longest / 100 ? round : rounded_down(longest - longest / 200, 3);
}

// Many answers at the very end, after few: a timeout, and nobody said so.
void about_a_wall(const TuneReport& report, Warnings& warnings) {
    Duration longest{};
    for (const TimedSample& timed : report.read.samples)
        if (timed.sample.ending == Ending::answered)
            longest = std::max(longest, timed.sample.latency);
    std::uint64_t last = 0, before = 0;
    for (const TimedSample& timed : report.read.samples) {
        if (timed.sample.ending != Ending::answered) continue;
        const Duration to_end = longest - timed.sample.latency;
        if (to_end <= longest / 200) ++last;
        else if (to_end <= longest / 100) ++before;
    }
    if (last < 5 || last < 5 * before || last * 2 > report.read.samples.size()) return;
    warnings.push_back(grouped(last) + " samples end at about " + in_words(longest) +
                       ", and hardly any just before. If that is a timeout at work, say so: "
                       "--timeout " +
                       cpp_text(wall_at(longest)) + " or --timed-out-if.");
}

void about_the_file(const TuneReport& report, Warnings& warnings) {
    if (report.read.bad_lines > 0) {
        std::string text = grouped(report.read.bad_lines) + " of " + grouped(report.read.lines) +
                           " lines could not be read:";
        for (const std::string& example : report.read.bad_examples) text += " " + example + ";";
        text.back() = '.';
        warnings.push_back(text);
    }
    if (report.blocks.ordered == Ordered::by_latency)
        warnings.emplace_back(
            "The samples are sorted by latency, so nothing can be said about bad stretches of time "
            "or about neighbours that repeat each other. Give them in the order they were taken.");
    if (!report.read.time_seen.empty())
        warnings.push_back("The file has a field '" + report.read.time_seen + "': --time " +
                           report.read.time_seen + " looks for the worst stretch by the clock.");
}

void about_the_answer(const TuneReport& report, Warnings& warnings) {
    if (!report.timeout) return;
    const auto weak = std::ranges::count_if(report.blocks.all, [](const Part& part) {
        return part.tuning.verdict == TuningVerdict::too_few;
    });
    if (weak > 0 && static_cast<std::size_t>(weak) < report.blocks.all.size())
        warnings.push_back(grouped(static_cast<std::uint64_t>(weak)) + " of " +
                           grouped(report.blocks.all.size()) +
                           " blocks have too few samples and were not judged.");
    if (const auto& plan = *report.plan; !plan.fits) {
        const int attempts = attempts_within(*report.options.deadline, *report.timeout,
                                             plan.plan.rule.backoff, plan.attempts_wanted);
        const std::string needed = cpp_text(rounded_up(longest_call(
            std::max(plan.attempts_wanted, 1), *report.timeout, plan.plan.rule.backoff)));
        warnings.push_back(
            attempts == 0
                ? "The deadline of " + in_words(*report.options.deadline) +
                      " is shorter than one attempt may take; it cuts off good requests. " +
                      std::to_string(plan.attempts_wanted) + " attempts need " + needed + "."
                : "Only " + std::to_string(attempts) + " of " +
                      std::to_string(plan.attempts_wanted) +
                      " attempts fit into the deadline; all of them need " + needed + ".");
    }
    if (report.options.utilisation &&
        *report.options.utilisation * report.plan->plan.rule.attempts > 1)
        warnings.push_back("With " + std::to_string(report.plan->plan.rule.attempts) +
                           " attempts a service is safe from its own retries only up to " +
                           percent(1.0 / report.plan->plan.rule.attempts) +
                           " busy; above that a retry budget is what holds it. The plan has one.");
}

}  // namespace

std::vector<std::string> warnings_about(const TuneReport& report) {
    Warnings warnings;
    about_the_answer(report, warnings);
    about_a_wall(report, warnings);
    about_the_file(report, warnings);
    about_sampling(report, warnings);
    return warnings;
}

}  // namespace tool
