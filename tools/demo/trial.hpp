// SPDX-License-Identifier: Apache-2.0
//
// How is a loader treated badly, and both of them alike? It is started beside somebody who holds
// locks, killed when certain shares of the rows are there, and started again until it is done.
//
//     auto trial = run_trial({.name = "perdure load", .command = …, .kill_at = {0.5, 0.8}}, signals);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"
#include "run/signals.hpp"

namespace demo {

using namespace perdure;

enum class Turn : unsigned char { to_be_killed, last };

struct TrialPlan {
    std::string name{};
    std::string folder{};  // for what the processes say
    std::string label{};   // names files: perdure.db, perdure.log, perdure.out
    std::uint64_t orders = 0;
    std::vector<double> kill_at{};
    // The loader's command for its n-th start, from 1.
    std::function<std::vector<std::string>(int, Turn)> command{};
    std::vector<std::string> lock_command{};
    // For whoever looks on.
    std::function<void(const std::string&)> tell{};
};

struct Moment {
    double seconds = 0;
    std::uint64_t rows = 0;
};

struct Trial {
    std::string name{};
    std::vector<Moment> timeline{};
    std::vector<Moment> kills{};
    Duration elapsed{};
    int starts = 0;
    int status = 0;  // of the last start
    std::uint64_t locks = 0;
    Duration longest_lock{};
};

// Where the label's database lies, and the words of its processes.
std::string database_of(const TrialPlan& plan);
std::string log_of(const TrialPlan& plan);
std::string output_of(const TrialPlan& plan, int start);

// Failure: interrupted, or a loader that did not come to an end. No child is left behind.
Result<Trial> run_trial(const TrialPlan& plan, tool::Signals& signals);

}  // namespace demo
