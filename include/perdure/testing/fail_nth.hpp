// SPDX-License-Identifier: Apache-2.0
//
// Does my code survive a failure exactly there? Put this into your own code, and let the n-th pass
// through it fail; then loop over n until the work succeeds without meeting a failure.
//
//     FailNth faults{3, {.cause = Cause::unavailable}};
//     PERDURE_TRY(faults.check());                  // the third call returns the failure
//     if (auto failure = faults.next()) …           // the same, without a Result
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// Safe for any number of threads: one of them meets the failure.
class FailNth {
public:
    // Counted from 1; 0 never fails.
    FailNth(std::uint64_t nth, Failure failure) : nth_{nth}, failure_{std::move(failure)} {}

    [[nodiscard]] std::optional<Failure> next() {
        if (calls_.fetch_add(1, std::memory_order_relaxed) + 1 != nth_) return std::nullopt;
        return failure_;
    }
    Result<void> check() {
        if (auto failure = next()) return fail(*std::move(failure));
        return {};
    }

    [[nodiscard]] std::uint64_t calls() const noexcept {
        return calls_.load(std::memory_order_relaxed);
    }
    // False: the work was over before the n-th call, so there is nothing further to fail.
    [[nodiscard]] bool failed() const noexcept { return nth_ != 0 && calls() >= nth_; }

private:
    const std::uint64_t nth_;
    const Failure failure_;
    std::atomic<std::uint64_t> calls_{0};
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
