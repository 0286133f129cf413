// SPDX-License-Identifier: Apache-2.0
//
// Can the dependency afford another attempt? Retries are paid for by successes, so that a failing
// service is not asked more often than a healthy one.
//
//     if (!budget.try_withdraw(1400, now, traffic)) …   // the original failure, Stop::budget
//
// Deposits on *success* let the extra load fall to zero in an outage; deposits on *request* keep it
// at its limit for ever. One budget per process and dependency, shared by retries and hedges; where a
// dependency has several places, each has a budget too, and a retry pays both (place.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "perdure/cause.hpp"
#include "perdure/duration.hpp"
#include "perdure/policy/rule.hpp"

namespace perdure {
inline namespace v0 {

enum class BudgetKind : std::uint8_t {
    traffic,    // default: capacity follows own traffic
    fixed,      // AWS SDKs: a constant capacity
    throttle,   // gRPC A6: failures take 1, successes give `deposit`; retries above half only
    steady,     // the Builders' Library: refilled by time, `per_second`
    requests,   // Finagle: every call pays in `deposit`, success or not; a reserve of `per_second`
    in_flight,  // Envoy: retries under way are at most `deposit` per call under way, or `least`
    none,       // retries are free; for peers without a budget and for tests
};

struct BudgetOptions {
    BudgetKind kind = BudgetKind::traffic;
    double deposit = 0.1;      // tokens per success at a first visit (throttle: per success;
                               // requests: per call; in_flight: retries per call under way)
    double capacity = 100;     // tokens; traffic: the upper limit of what it may grow to
    double per_second = 0;     // steady; requests: per_second · remembers is always there
    Duration remembers = 10s;  // traffic: capacity = deposit · successes in this time
                               // requests: what was paid in or out longer ago is forgotten
    double least = 3;          // in_flight: retries that may be under way however few calls are
    int per_caught = 2;        // traffic: retries that a call in flight at a break is good for,
                               // whatever the capacity; none where that is 0
    friend bool operator==(const BudgetOptions&, const BudgetOptions&) noexcept = default;
};

// How many calls have succeeded; asked only when something failed.
class Traffic {
public:
    virtual ~Traffic() = default;
    // Those that paid a deposit: at the first attempt, or at the first one that went to another place.
    [[nodiscard]] virtual std::uint64_t first_successes() const noexcept = 0;
    // All of them.
    [[nodiscard]] virtual std::uint64_t successes() const noexcept { return first_successes(); }
};

struct FailedAttempt {
    Cause cause = Cause::unavailable;
    TimePoint started{};
    TimePoint now{};
    bool free = false;              // to repeat it costs nothing
    bool first = true;              // of its call, or a copy of the first
    bool others_under_way = false;  // copies of it, so the call has not failed yet
};

// Safe for any number of threads. Amounts are thousandths of a token.
class Budget {
public:
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
    virtual ~Budget();

    // A full bucket is only read: this is on the path of every call that succeeds at once.
    void on_first_success(TimePoint now) noexcept {
        if (milli_.load(std::memory_order_relaxed) < brim_.load(std::memory_order_relaxed))
            deposit_success(now);
    }
    void on_start(TimePoint now) noexcept {
        if (wants_ends_) started(now);
    }
    void on_end(TimePoint now) noexcept {
        if (wants_ends_) ended(now);
    }
    // So many attempts that were paid for are over; said once for each, also when the call is.
    void on_retries_over(int retries) noexcept {
        if (wants_ends_ && retries > 0) retries_over(retries);
    }
    // Items of a batch were done at their first send, beside the one that the send itself pays in for:
    // each deposits as a call of its own would. Peers have no such thing, so the budgets named after
    // them count the send alone.
    virtual void on_items_done(std::uint64_t items, TimePoint now) noexcept;
    virtual void on_failure(const FailedAttempt& failed, const Traffic& traffic) noexcept;
    virtual void
    on_late_success(int last_cost_milli) noexcept;  // after retries: returns the last cost
    [[nodiscard]] virtual bool try_withdraw(int cost_milli, TimePoint now,
                                            const Traffic& traffic) noexcept = 0;

    // What was withdrawn is not needed after all.
    void give_back(int cost_milli) noexcept { deposit(cost_milli); }

    // Retries that calls in flight at a break are good for, in thousandths of a token; and room for so
    // many here too, because those calls come here next. Only the traffic budget knows of breaks.
    [[nodiscard]] virtual int milli_for_caught() const noexcept { return 0; }
    virtual void make_room_for_caught(int /*milli*/) noexcept {}

    // A budget of the same kind for one place of this dependency. Null: this one is enough.
    [[nodiscard]] virtual std::unique_ptr<Budget> for_place() const { return nullptr; }

    [[nodiscard]] bool wants_ends() const noexcept { return wants_ends_; }
    [[nodiscard]] virtual int milli_left() const noexcept {
        return milli_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] virtual int milli_capacity() const noexcept {
        return capacity_.load(std::memory_order_relaxed);
    }

protected:
    enum class Ends : std::uint8_t { ignored, wanted };
    Budget(int capacity_milli, Ends ends) noexcept;
    virtual void deposit_success(TimePoint now) noexcept = 0;
    virtual void started(TimePoint) noexcept {}
    virtual void ended(TimePoint) noexcept {}
    virtual void retries_over(int) noexcept {}
    // Both keep the bucket between empty and full under any interleaving.
    void deposit(int milli) noexcept;
    [[nodiscard]] bool withdraw(int milli) noexcept;

    std::atomic<int> milli_;
    std::atomic<int> capacity_;
    std::atomic<int> brim_;  // at or above it a first success changes nothing

private:
    bool wants_ends_;
};

// `rule` is the plan's default rule: the traffic budget never falls below two calls' worth of it.
std::unique_ptr<Budget> make_budget(const BudgetOptions& options, const Rule& rule);

}  // namespace v0
}  // namespace perdure
