// SPDX-License-Identifier: Apache-2.0
//
// What do several runs say together? A mean, and how sure one can be of it.
//
//     const std::vector<double> seconds{28.1, 29.0, 28.6};
//     const Summary recovery = summarise(seconds);
//     recovery.mean;         // 28.57
//     recovery.margin;       // ± 1.12: the 95 % confidence interval, Student's t with two degrees
//
// Plain values, pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>

namespace perdure {
inline namespace v0 {
namespace sim {

struct Summary {
    std::size_t count = 0;
    double mean = 0;
    double deviation = 0;  // of one run, with n − 1
    double margin = 0;     // half the width of the 95 % interval; infinite for a single run
    double least = 0;
    double most = 0;
};

Summary summarise(std::span<const double> values);

// The 97.5th percentile of Student's distribution; to four digits from one degree on.
double student_975(std::size_t degrees);

}  // namespace sim
}  // namespace v0
}  // namespace perdure
