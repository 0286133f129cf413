// SPDX-License-Identifier: Apache-2.0
//
// What does a scenario file ask for? A study: rows to compare (policies, or settings of the service),
// perhaps along a swept number, each a scenario ready to be run.
//
//     const Reading reading = read_study(text, "storm.toml", {.policies = {"perdure"}});
//     for (const Problem& problem : reading.problems) …        // all of them, with line and column
//     for (const Case& one : reading.study.cases) …            // rows × points of the sweep
//
// docs/reference/scenario-files.md describes the files. Plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/sim/contention.hpp"
#include "perdure/sim/scenario.hpp"
#include "sim/scenario_file_tree.hpp"

namespace tool {

using namespace perdure;

// From the command line.
struct Wishes {
    std::vector<std::string> policies{};                          // --policy
    std::vector<std::pair<std::string, std::string>> settings{};  // --set key=value
};

struct StudyRow {
    std::string name{};
    std::string text{};
    // By its retries alone, through all layers; nothing where a breaker or limiter bounds them.
    std::optional<double> safe_utilisation = 1.0;
    Plan plan{};  // of the clients
};

struct Sweep {
    std::string key{};  // empty: none
    std::string label{};
    std::vector<std::string> values{""};   // as written
    std::vector<double> places{0};         // on an axis: the number, seconds, or the index
    std::optional<std::size_t> look_at{};  // the point that the report speaks of
};

struct Case {
    std::size_t row = 0;
    std::size_t point = 0;  // of the sweep
    std::variant<sim::Scenario, sim::Contest> what{};
};

// Something that was done to the fleet, for the shade behind a chart.
struct Trigger {
    Duration from{};
    Duration to = never;
    std::string text{};  // "service: speed × 0.2"
};

enum class StudyKind : unsigned char { fleet, contention };
enum class StudyChart : unsigned char { time, hysteresis, sweep };

struct Study {
    std::string name{}, title{}, question{}, text{};
    std::vector<std::string> advice{};
    StudyKind kind = StudyKind::fleet;
    StudyChart chart = StudyChart::time;
    int seeds = 3;
    std::vector<std::string> show{};  // names of metrics; the first one decides
    std::vector<StudyRow> rows{};
    Sweep sweep{};
    std::vector<Case> cases{};
    std::vector<Trigger> triggers{};
    // When the last trigger with an end is over; from then on recovery is looked for.
    std::optional<Duration> over{};
};

struct Reading {
    Study study{};
    Problems problems{};
};
Reading read_study(std::string_view text, std::string name, const Wishes& wishes = {});

}  // namespace tool
