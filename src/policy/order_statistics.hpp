// SPDX-License-Identifier: Apache-2.0
//
// Which of n samples is surely above a quantile? Order statistics, for every distribution: how many
// samples lie above the true quantile is binomial.
//
//     rank_from_top(10'000, 0.001, 0.95)      // 5: the fifth largest is above p99.9, 95 % sure
//     least_samples(0.001, 0.95)              // 2995: fewer say nothing
#pragma once

#include <cstdint>

namespace perdure {
inline namespace v0 {

// The largest k for which fewer than k samples above the quantile have a probability of at most
// 1 − confidence; 0: not even the largest sample is sure enough.
std::uint64_t rank_from_top(std::uint64_t samples, double above, double confidence);

// ln(1 − confidence) / ln(1 − above), rounded up.
std::uint64_t least_samples(double above, double confidence);

}  // namespace v0
}  // namespace perdure
