// SPDX-License-Identifier: Apache-2.0
//
// What does a caller remember between calls? The plan, and everything that learns from traffic:
// budget, limiter, breakers, latencies, counts.
//
//     Memory memory{plan};
//     Progress progress{memory, operation, …};
//
// Drivers share it: the blocking caller, the coroutine caller, each client of a simulated fleet.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "perdure/call/plan.hpp"
#include "perdure/failure.hpp"
#include "perdure/policy/breaker.hpp"
#include "perdure/stats/counters.hpp"
#include "perdure/stats/sketch.hpp"

namespace perdure {
inline namespace v0 {

// What a memory keeps of each call's latency: 18 KB per thread shard, or a count for those who make
// thousands of memories. A plan that learns from latencies keeps them whatever is asked.
enum class Keeps : std::uint8_t { latencies, counts };

// Safe for any number of threads; lives longer than every Progress made from it.
class Memory final : public Traffic {
public:
    explicit Memory(Plan plan, Keeps keeps = Keeps::latencies);

    [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
    [[nodiscard]] Budget& budget() noexcept { return *budget_; }
    [[nodiscard]] Limiter* limiter() noexcept { return limiter_; }
    [[nodiscard]] Limiters* limiters() noexcept { return limiters_.get(); }
    [[nodiscard]] Breaker* breaker() noexcept { return breaker_; }
    [[nodiscard]] Breakers* breakers() noexcept { return breakers_.get(); }
    [[nodiscard]] SharedSketch& latencies() noexcept { return latencies_; }
    [[nodiscard]] const SharedSketch& latencies() const noexcept { return latencies_; }
    [[nodiscard]] Counters& counters() noexcept { return counters_; }
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
    [[nodiscard]] Duration attempt_timeout() const noexcept {
        return Duration{attempt_timeout_.load(std::memory_order_relaxed)};
    }  // the plan's or the learned one; at most the deadline
    // With the time for setting up a connection; at most the deadline.
    [[nodiscard]] Duration attempt_limit() const noexcept {
        return Duration{attempt_limit_.load(std::memory_order_relaxed)};
    }

    // A plan whose every call may take the short way: nothing to ask before the first attempt.
    [[nodiscard]] bool plain() const noexcept { return plain_; }
    // Why no call can be made at all: the plan's problems, in words. Empty for a sound plan.
    [[nodiscard]] const std::string& refusal() const noexcept { return refusal_; }

    // What a call that succeeded at its first attempt leaves behind; everybody learns from it.
    // Inlined by force, as is Opening: else the cost of a call depends on what else is in the file.
    [[gnu::always_inline]] void note_first_success(Breaker* breaker, Admission admission,
                                                   TimePoint started, TimePoint now) noexcept {
        const Duration took = now - started;
        const unsigned shard = this_thread_shard();
        latencies_.record_in(shard, took);
        if (breaker) breaker->record_success(now, took, admission, shard);
        budget_->on_first_success(now);
    }

    // A blocking attempt ended after its deadline. By how much, if it is worth telling; then counted.
    [[gnu::cold]] Duration note_overrun(TimePoint started, TimePoint deadline,
                                        TimePoint now) noexcept;

    struct RuleAt {
        const Rule* rule;
        std::size_t tally;  // which count it keeps
    };
    [[nodiscard]] RuleAt rule_for(const Failure& failure) const noexcept;
    [[nodiscard]] std::size_t tallies() const noexcept { return rules_.size() + 1; }
    // Whether connecting is tried until the deadline, and not a few times only (Plan::connect).
    [[nodiscard]] bool waits_to_connect() const noexcept;

    // For a plan with a learned timeout: looks at the latencies when it is time to. Said before each
    // attempt.
    void learn_timeout(TimePoint now, Random& random) noexcept {
        if (learner_ && learner_->due(now)) look_at_latencies(now, random);
    }
    // When the first copy of a slow request may go out, seen from its start; learned every 1 to 1.1
    // seconds. Nothing while hedging is off, unlearned, or firing too often.
    [[nodiscard]] std::optional<Duration> hedge_after(TimePoint now, Random& random) noexcept;

    [[nodiscard]] std::uint64_t first_successes() const noexcept override;
    [[nodiscard]] std::uint64_t successes() const noexcept override { return latencies_.count(); }
    // Of a batch; see Budget::on_items_done.
    void note_items_done(std::uint64_t items, TimePoint now) noexcept {
        items_done_.fetch_add(items, std::memory_order_relaxed);
        budget_->on_items_done(items, now);
    }
    // A retried call succeeded at its first visit to a place, and pays a deposit.
    void note_first_visit() noexcept { first_visits_.fetch_add(1, std::memory_order_relaxed); }

private:
    [[nodiscard]] std::uint64_t paid_in_elsewhere() const noexcept {
        return first_visits_.load(std::memory_order_relaxed);
    }
    void set_attempt_timeout(Duration timeout) noexcept;
    [[gnu::cold]] void look_at_latencies(TimePoint now, Random& random) noexcept;

    const Plan plan_;
    std::vector<NamedRule> rules_;                       // the plan's, and those every plan has
    std::array<std::uint16_t, cause_count> by_cause_{};  // index into rules_ + 1; 0: the default
    std::shared_ptr<Budget> budget_;
    std::unique_ptr<Limiters> limiters_;
    Limiter* limiter_ = nullptr;
    std::unique_ptr<Breakers> breakers_;
    Breaker* breaker_ = nullptr;
    SharedSketch latencies_;
    Counters counters_;
    std::atomic<Duration::rep> attempt_timeout_{};
    std::atomic<Duration::rep> attempt_limit_{};
    std::unique_ptr<TimeoutLearner> learner_;
    std::string refusal_;
    bool plain_;
    std::atomic<std::uint64_t> first_visits_{0};  // of calls that were retried
    std::atomic<std::uint64_t> items_done_{0};    // of batches, that paid in
    std::atomic<Duration::rep> hedge_learns_at_{Duration::min().count()};  // next
    std::atomic<Duration::rep> hedge_after_{-1};                           // −1: not now
};

}  // namespace v0
}  // namespace perdure
