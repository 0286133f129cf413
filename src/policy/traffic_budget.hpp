// SPDX-License-Identifier: Apache-2.0
//
// How large a bucket does this much traffic deserve? The default budget: its capacity is what the
// first-attempt successes of the last ten seconds paid in, between a floor and a limit.
//
// A constant capacity is wrong twice: a client with little traffic never empties it, so a fleet of
// small clients retries without limit, and a client with much traffic empties it by noise.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "perdure/policy/budget.hpp"

namespace perdure {
inline namespace v0 {

// Safe for any number of threads.
class TrafficBudget final : public Budget {
public:
    struct Amounts {
        int floor = 0, most = 0, deposit = 0;  // thousandths
    };
    TrafficBudget(const Amounts& amounts, Duration remembers) noexcept;

    bool try_withdraw(int cost_milli, TimePoint now, const Traffic& traffic) noexcept override;

private:
    struct Checkpoint {
        TimePoint at{};
        std::uint64_t successes = 0;
    };
    using Held = std::unique_lock<std::mutex>;

    void deposit_success(TimePoint now) noexcept override;
    void work_out(TimePoint now, std::uint64_t successes, const Held& held) noexcept;
    int deserved(TimePoint now, std::uint64_t successes, const Held& held) noexcept;
    int unpaid(std::uint64_t successes, const Held& held) noexcept;
    void resize(int capacity, int unpaid_milli, const Held& held) noexcept;

    const Amounts amounts_;
    const Duration remembers_;
    std::atomic<Duration::rep> first_seen_;  // when the first success came; the minimum: not yet
    std::atomic<std::int64_t> paid_in_{0};   // by successes that found it not full
    std::atomic<Duration::rep> next_;        // no work before this
    std::mutex mutex_;                       // what follows
    std::optional<Checkpoint> older_, newer_;
    std::uint64_t successes_then_ = 0;  // at the last work
    std::int64_t paid_in_then_ = 0;
    std::int64_t owed_ = 0;  // below zero: a success was topped up before its own deposit came
};

}  // namespace v0
}  // namespace perdure
