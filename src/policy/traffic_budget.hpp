// SPDX-License-Identifier: Apache-2.0
//
// How large a bucket does this much traffic deserve? The default budget: its capacity is what the
// successes of the last ten seconds paid in, between a floor and a limit.
//
// A constant capacity is wrong twice: a client with little traffic never empties it, so a fleet of
// small clients retries without limit, and a client with much traffic empties it by noise.
//
// Calls that were in flight when the service broke did nothing wrong, and no success before them pays
// for all of them at once. So each is good for two more attempts: room for 2 · n retries, where n is
// the largest number of calls that one break has caught. A break begins with a failure when no
// other lasts; catches every attempt that had begun by then, and every call that begins within the next
// 100 ms if anything has ever worked, if it fails too; and is over after as many successes. Nothing is written when a call succeeds:
// successes are read when one fails.
//
// Callers that share a budget each tell their own count. Their traffic adds up, each from its first look
// on: the history of a caller that begins to fail says nothing about the last ten seconds.
//
// So retries · cost ≤ floor + 2 · n · cost + deposits + refunds, at any time
// (docs/decisions/2026-11-17-budget-in-two-levels.md).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
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
        int caught = 0;                        // for each call in flight at a break
    };
    TrafficBudget(const Amounts& amounts, Duration remembers) noexcept;

    void on_items_done(std::uint64_t items, TimePoint now) noexcept override;
    void on_failure(const FailedAttempt& failed, const Traffic& traffic) noexcept override;
    bool try_withdraw(int cost_milli, TimePoint now, const Traffic& traffic) noexcept override;
    [[nodiscard]] int milli_for_caught() const noexcept override {
        return for_caught_.load(std::memory_order_relaxed);
    }
    void make_room_for_caught(int milli) noexcept override;
    [[nodiscard]] std::unique_ptr<Budget> for_place() const override;

private:
    struct Checkpoint {
        TimePoint at{};
        std::uint64_t successes = 0;
    };
    // What is known of one of the callers that share this budget. Its address is compared and never
    // followed: the caller may be gone.
    struct Caller {
        const Traffic* traffic = nullptr;
        TimePoint seen_at = TimePoint::min();
        std::optional<Checkpoint> older{}, newer{};  // none before its first look
        std::uint64_t first_successes = 0;           // at its last look
        TimePoint looked_at = TimePoint::min();
        double milli = 0;                     // the capacity its own traffic calls for
        std::optional<Checkpoint> counted{};  // all its successes, by begins_a_break
    };
    // A further caller takes the place of one that was not seen for `remembers_`, or is not known: its
    // traffic then adds nothing, and takes nothing away from the others.
    static constexpr std::size_t most_callers = 16;
    using Held = std::unique_lock<std::mutex>;

    void deposit_success(TimePoint now) noexcept override;
    void work_out(TimePoint now, const Traffic& traffic, const Held& held) noexcept;
    // Null: it is not known.
    Caller* caller_of(const Traffic& traffic, TimePoint now, const Held& held) noexcept;
    [[nodiscard]] Duration pause_between_looks(const Held& held) const noexcept;
    void begin(Caller& caller, TimePoint now, std::uint64_t successes, const Held& held) noexcept;
    void rate(Caller& caller, TimePoint now, std::uint64_t successes, const Held& held) noexcept;
    [[nodiscard]] int deserved(TimePoint now, const Held& held) const noexcept;
    int unpaid(std::uint64_t fresh, const Held& held) noexcept;
    std::uint64_t count_new(Caller& caller, TimePoint now, std::uint64_t successes,
                            const Held& held) noexcept;
    void resize(int capacity, int unpaid_milli, const Held& held) noexcept;
    bool catches(const FailedAttempt& failed, const Traffic& traffic, const Held& held) noexcept;
    bool begins_a_break(const FailedAttempt& failed, const Traffic& traffic,
                        const Held& held) noexcept;
    void grow_for_caught(std::int64_t milli, const Held& held) noexcept;

    const Amounts amounts_;
    const Duration remembers_;
    std::atomic<Duration::rep> first_seen_;  // when the first success came; the minimum: not yet
    std::atomic<std::int64_t> paid_in_{0};   // by successes that found it not full
    std::atomic<Duration::rep> next_;        // no work before this
    std::atomic<int> for_caught_;            // at least the floor
    std::mutex mutex_;                       // what follows
    std::array<Caller, most_callers> callers_{};
    bool looked_ = false;            // any caller
    std::int64_t paid_in_then_ = 0;  // at the last look
    std::int64_t owed_ = 0;  // below zero: a success was topped up before its own deposit came
    TimePoint break_at_ = TimePoint::min();
    std::uint64_t caught_ = 0;  // by this break; it is over after as many successes
    std::uint64_t successes_since_break_ = 0;
    bool worked_ = false;  // ever, for any caller that was counted
    bool worked_before_break_ = false;
    TimePoint counted_at_ = TimePoint::min();
};

}  // namespace v0
}  // namespace perdure
