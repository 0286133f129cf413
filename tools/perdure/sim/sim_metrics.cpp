// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tool {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

constexpr auto all = std::to_array<Metric>({
    {"recovered", "recovered", "runs in which five seconds in a row went well after the trigger",
     Unit::share, Better::more},
    {"recovery", "recovery", "from the end of the trigger to the first of five good seconds",
     Unit::seconds, Better::less},
    {"success", "success", "calls that succeeded in the end", Unit::share, Better::more},
    {"lost", "calls lost", "calls that did not succeed", Unit::count, Better::less},
    {"amplification", "attempts/call", "attempts for each call", Unit::times, Better::less},
    {"bottom", "load at the last", "requests that reached the last service, for each call",
     Unit::times, Better::less},
    {"peak", "peak", "attempts in the busiest second", Unit::per_second, Better::less},
    {"peak_tenth", "peak in 0.1 s", "attempts in the busiest 100 ms, as a rate", Unit::per_second,
     Better::less},
    {"peak_after", "peak after", "attempts in the busiest second after the trigger",
     Unit::per_second, Better::less},
    {"mean_rate", "mean rate", "attempts per second over the whole time", Unit::per_second,
     Better::less},
    {"goodput", "goodput at the end", "successful calls per second in the last tenth of the time",
     Unit::per_second, Better::more},
    {"p50", "p50", "half of the successful calls took at most this", Unit::seconds, Better::less},
    {"p99", "p99", "99 % of the successful calls took at most this", Unit::seconds, Better::less},
    {"p999", "p99.9", "99.9 % of the successful calls took at most this", Unit::seconds,
     Better::less},
    {"timeouts", "timeouts", "attempts that were given up", Unit::share, Better::less},
    {"refused", "refused", "calls refused by the client itself: breaker or limiter", Unit::share,
     Better::less},
    {"wasted", "work wasted", "work of the first service that nobody waited for any more",
     Unit::share, Better::less},
    {"queue_age", "queue age", "mean wait in the queue in the worst second", Unit::seconds,
     Better::less},
    {"utilisation", "utilisation", "share of the first service's workers that were busy",
     Unit::share, Better::less},
    {"all_served", "all served", "from the end of the trigger to the last success", Unit::seconds,
     Better::less},
    {"calls", "calls", "writes until every client had succeeded", Unit::count, Better::less},
    {"time", "time", "until every client had succeeded", Unit::seconds, Better::less},
});

double ratio(double part, double whole) { return whole > 0 ? part / whole : nothing; }

double seconds_of(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

double quantile(const sim::Account& account, double q) {
    const auto found = account.latency.quantile(q);
    return found ? seconds_of(*found) : nothing;
}

struct Extremes {
    double peak = 0, attempts = 0, queue_age = 0, goodput = nothing;
    double seconds = 0;
};

Extremes extremes(const sim::Account& account, const sim::Scenario& scenario) {
    Extremes found;
    const auto first = static_cast<std::size_t>(scenario.warm_up / 1s);
    const auto end =
        std::min(account.seconds.size(), static_cast<std::size_t>(scenario.duration / 1s));
    const std::size_t late = end - end / 10;
    double ok = 0;
    for (std::size_t i = first; i < account.seconds.size(); ++i) {
        const sim::Second& second = account.seconds[i];
        found.peak = std::max(found.peak, static_cast<double>(second.attempts));
        if (second.begun > 0)
            found.queue_age = std::max(found.queue_age, static_cast<double>(second.waited) / 1e9 /
                                                            static_cast<double>(second.begun));
        if (i >= end) continue;
        found.attempts += second.attempts;
        found.seconds += 1;
        if (i >= late) ok += second.ok;
    }
    if (late < end) found.goodput = ok / static_cast<double>(end - late);
    return found;
}

double utilisation(const sim::Account& account, const sim::Scenario& scenario) {
    const sim::Service& entry = scenario.services.front();
    if (entry.workers == sim::unlimited) return nothing;
    const double time = seconds_of(std::max(account.ended_at, scenario.duration)) * 1e9;
    return ratio(static_cast<double>(account.services.front().busy),
                 time * entry.workers * entry.replicas);
}

std::string format(const char* how, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), how, value);
    return text.data();
}

}  // namespace

std::span<const Metric> metrics() { return all; }

const Metric* metric(std::string_view name) {
    const auto* found = std::ranges::find(all, name, &Metric::name);
    return found == all.end() ? nullptr : found;
}

std::size_t metric_index(std::string_view name) {
    return static_cast<std::size_t>(metric(name) - all.data());
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const Metric& one : all) names.emplace_back(one.name);
    return names;
}

std::optional<Duration> trigger_over(const sim::Scenario& scenario) {
    std::optional<Duration> over;
    for (const sim::Change& change : scenario.changes)
        if (change.to != never && change.to < scenario.duration + scenario.drain)
            over = std::max(over.value_or(0ns), change.to);
    return over;
}

Measured measure(const sim::Account& account, const sim::Scenario& scenario) {
    Measured measured{.values = std::vector<double>(all.size(), nothing),
                      .seconds = account.seconds};
    const auto put = [&](std::string_view name, double value) {
        measured.values[metric_index(name)] = value;
    };
    const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
    if (const auto over = trigger_over(scenario)) {
        const auto recovered = sim::recovery(account, {.after = *over, .until = scenario.duration});
        put("recovered", recovered ? 1 : 0);
        if (recovered) put("recovery", seconds_of(*recovered));
        double peak = 0;
        for (auto i = static_cast<std::size_t>(*over / 1s); i < account.seconds.size(); ++i)
            peak = std::max(peak, static_cast<double>(account.seconds[i].attempts));
        put("peak_after", peak);
        if (account.calls_ok > 0) put("all_served", seconds_of(account.last_success - *over));
    }
    const sim::ServiceAccount& entry = account.services.front();
    const Extremes most = extremes(account, scenario);
    put("success", ratio(count(account.ok), count(account.offered)));
    put("lost", count(account.offered - account.ok));
    put("amplification", ratio(count(account.attempts), count(account.offered)));
    put("bottom", ratio(count(account.services.back().reached), count(account.calls)));
    put("peak", most.peak);
    put("peak_tenth", 10.0 * account.busiest_tenth);
    put("mean_rate", ratio(most.attempts, most.seconds));
    put("goodput", most.goodput);
    put("p50", quantile(account, 0.5));
    put("p99", quantile(account, 0.99));
    put("p999", quantile(account, 0.999));
    put("timeouts", ratio(count(account.timeouts), count(account.attempts)));
    put("refused", ratio(count(account.refused_locally), count(account.offered)));
    put("wasted", ratio(static_cast<double>(entry.wasted_busy), static_cast<double>(entry.busy)));
    put("queue_age", most.queue_age);
    put("utilisation", utilisation(account, scenario));
    return measured;
}

Measured measure(const sim::Contended& contended) {
    Measured measured{.values = std::vector<double>(all.size(), nothing), .seconds = {}};
    measured.values[metric_index("calls")] = static_cast<double>(contended.calls);
    measured.values[metric_index("time")] = seconds_of(contended.time);
    return measured;
}

std::string with_commas(double count) {
    std::string digits = format("%.0f", count);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
    return digits;
}

namespace {

// Two numbers in the digits that suit the first; the second left out where it would read as zero.
std::string paired(double value, double margin, const std::string& behind) {
    const double size = std::abs(value);
    const int digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.995 || size == 0 ? 2 : 3;
    const auto rounded = [&](double number) {
        return digits == 0 ? with_commas(number)
                           : format(digits == 1   ? "%.1f"
                                    : digits == 2 ? "%.2f"
                                                  : "%.3f",
                                    number);
    };
    std::string text = rounded(value);
    if (std::isfinite(margin) && rounded(margin).find_first_of("123456789") != std::string::npos)
        text += " ± " + rounded(margin);
    return text + behind;
}

}  // namespace

std::string three_digits(double value) { return paired(value, 0, ""); }

std::string duration_words(double seconds) { return written(*metric("recovery"), seconds, 0); }

std::string written(const Metric& metric, double value, double margin) {
    if (std::isnan(value)) return "–";
    const double size = std::abs(value);
    switch (metric.unit) {
        case Unit::count:
            if (size < 1000 && value != std::floor(value)) return paired(value, margin, "");
            return with_commas(value) +
                   (margin >= 0.5 && std::isfinite(margin) ? " ± " + with_commas(margin) : "");
        case Unit::share:
            if (size > 0 && size < 1e-4) return "< 0.01 %";
            // Never "100 %" of what was not quite all.
            if (size < 1 && size > 0.9995)
                return format("%.2f", std::min(99.99, value * 100)) + " %";
            return paired(value * 100, size < 1 ? margin * 100 : 0, " %");
        case Unit::seconds:
            if (size >= 1 || size == 0) return paired(value, margin, " s");
            if (size >= 1e-3) return paired(value * 1e3, margin * 1e3, " ms");
            return paired(value * 1e6, margin * 1e6, " us");
        case Unit::per_second:
            return with_commas(value) +
                   (margin >= 0.5 && std::isfinite(margin) ? " ± " + with_commas(margin) : "") +
                   "/s";
        case Unit::times: return paired(value, margin, "");
    }
    return {};
}

std::string written(const Metric& metric, double value) { return written(metric, value, 0); }

}  // namespace tool
