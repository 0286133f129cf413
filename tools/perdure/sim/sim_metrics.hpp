// SPDX-License-Identifier: Apache-2.0
//
// Which numbers can be asked of a run, and how are they written? One list for tables, sentences,
// JSON, pages and the `show` of a scenario file.
//
//     const Measured measured = measure(sim::simulate(scenario, seed), scenario);
//     measured.values[metric_index("recovery")];      // seconds; not a number: it never did
//     written(*metric("success"), 0.978)              // "97.8 %"
//
// Plain values, pure functions; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/sim/account.hpp"
#include "perdure/sim/contention.hpp"
#include "perdure/sim/scenario.hpp"

namespace tool {

using namespace perdure;

enum class Unit : unsigned char { count, share, seconds, per_second, times };
enum class Better : unsigned char { less, more };

struct Metric {
    std::string_view name;     // in files and JSON
    std::string_view heading;  // of a column
    std::string_view meaning;
    Unit unit = Unit::count;
    Better better = Better::less;
};

std::span<const Metric> metrics();
const Metric* metric(std::string_view name);
std::size_t metric_index(std::string_view name);  // of a name that exists
std::vector<std::string> metric_names();

struct Measured {
    std::vector<double> values{};  // one per metric; not a number where it has no meaning
    std::vector<sim::Second> seconds{};
};
Measured measure(const sim::Account& account, const sim::Scenario& scenario);
Measured measure(const sim::Contended& contended);

// When the last change that has an end is over.
std::optional<Duration> trigger_over(const sim::Scenario& scenario);

// For people, with its unit: "31.5 s", "97.8 %", "1 093/s", "30 200"; "–" for not a number.
std::string written(const Metric& metric, double value);
// "28.7 ± 0.9 s": with half the width of its interval, in the same digits; without it where these
// do not show it.
std::string written(const Metric& metric, double value, double margin);
std::string with_commas(double count);  // thousands apart
std::string three_digits(double value);
std::string duration_words(double seconds);  // "336 ms"

}  // namespace tool
