// SPDX-License-Identifier: Apache-2.0
#include "traffic_budget.hpp"

#include <algorithm>
#include <limits>

#include "perdure/policy/breaker.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr Duration::rep unset = Duration::min().count();
constexpr Duration pause = 1s;  // between two looks at the traffic
// Between two counts of successes: adding up the shards of a sketch takes some 20 µs.
constexpr Duration count_apart = 10ms;
// A server that stops closes its sessions one after the other, and works on those that are left.
constexpr Duration breaking_takes = 100ms;
constexpr int most_milli = std::numeric_limits<int>::max() / 2;

}  // namespace

TrafficBudget::TrafficBudget(const Amounts& amounts, Duration remembers) noexcept
    : Budget{std::min(amounts.floor, amounts.most), Ends::ignored},
      amounts_{std::min(amounts.floor, amounts.most), amounts.most, amounts.deposit,
               amounts.caught},
      remembers_{std::max(remembers, Duration{2})},
      first_seen_{unset},
      next_{unset},
      for_caught_{amounts_.floor} {
    // So the very first success comes to deposit_success and tells when the traffic began.
    brim_.store(std::numeric_limits<int>::max(), std::memory_order_relaxed);
}

void TrafficBudget::deposit_success(TimePoint now) noexcept {
    if (first_seen_.load(std::memory_order_relaxed) == unset) {
        Duration::rep expected = unset;
        first_seen_.compare_exchange_strong(expected, now.time_since_epoch().count(),
                                            std::memory_order_relaxed);
        int unmarked = std::numeric_limits<int>::max();
        brim_.compare_exchange_strong(unmarked, milli_capacity(), std::memory_order_relaxed);
    }
    paid_in_.fetch_add(amounts_.deposit, std::memory_order_relaxed);
    deposit(amounts_.deposit);
}

bool TrafficBudget::try_withdraw(int cost_milli, TimePoint now, const Traffic& traffic) noexcept {
    if (now.time_since_epoch().count() >= next_.load(std::memory_order_relaxed)) {
        // One thread works it out; the others need not wait for it.
        if (const Held held{mutex_, std::try_to_lock}) {
            next_.store(after(now, pause).time_since_epoch().count(), std::memory_order_relaxed);
            work_out(now, traffic.first_successes(), held);
        }
    }
    return withdraw(cost_milli);
}

void TrafficBudget::work_out(TimePoint now, std::uint64_t successes, const Held& held) noexcept {
    // Callers that share a budget each tell their own count; the busiest stands for all, or the
    // same successes would be paid for again whenever the askers take turns.
    successes = std::max(successes, successes_then_);
    if (!older_) {
        const Duration::rep seen = first_seen_.load(std::memory_order_relaxed);
        older_ = newer_ =
            seen == unset ? Checkpoint{now, successes} : Checkpoint{TimePoint{Duration{seen}}, 0};
    }
    const int capacity = std::max(deserved(now, successes, held), milli_for_caught());
    resize(capacity, unpaid(successes, held), held);
}

// The successes of the last `remembers_`, seen over its last half to whole, or since the last look
// where that is longer ago. A shorter past is not stretched to more than twice its own.
int TrafficBudget::deserved(TimePoint now, std::uint64_t successes, const Held&) noexcept {
    if (now - newer_->at >= remembers_ / 2) {
        older_ = newer_;
        newer_ = Checkpoint{now, successes};
    }
    const auto span = static_cast<double>(std::max(now - older_->at, remembers_ / 2).count());
    const auto seen = static_cast<double>(successes - older_->successes);
    const double milli = amounts_.deposit * seen * static_cast<double>(remembers_.count()) / span;
    return static_cast<int>(std::clamp<double>(milli, amounts_.floor, amounts_.most));
}

// What the successes since the last look would have paid in had the bucket not been full: the most
// a top-up may give. Without this limit a growing bucket would make tokens nobody earned.
int TrafficBudget::unpaid(std::uint64_t successes, const Held&) noexcept {
    const std::int64_t paid_in = paid_in_.load(std::memory_order_relaxed);
    const std::uint64_t fresh = successes - successes_then_;
    constexpr std::uint64_t plenty =
        1'000'000'000;  // keeps the product small; the bucket is smaller
    owed_ += static_cast<std::int64_t>(std::min(fresh, plenty)) * amounts_.deposit -
             (paid_in - paid_in_then_);
    successes_then_ = successes;
    paid_in_then_ = paid_in;
    const auto most = static_cast<int>(std::clamp<std::int64_t>(owed_, 0, amounts_.most));
    owed_ = std::min<std::int64_t>(owed_, 0);  // what is not claimed now was never needed
    return most;
}

void TrafficBudget::resize(int capacity, int unpaid_milli, const Held&) noexcept {
    const int before = capacity_.exchange(capacity, std::memory_order_relaxed);
    brim_.store(capacity, std::memory_order_relaxed);
    int held = milli_.load(std::memory_order_relaxed);
    if (held >= before && capacity > before) {
        deposit(unpaid_milli);
        return;
    }
    while (held > capacity &&
           !milli_.compare_exchange_weak(held, capacity, std::memory_order_relaxed)) {}
}

void TrafficBudget::on_failure(const FailedAttempt& failed, const Traffic& traffic) noexcept {
    if (failed.free || failed.others_under_way || amounts_.caught <= 0 ||
        !counts_against_service(failed.cause))
        return;
    const Held held{mutex_};
    if (!catches(failed, traffic, held)) return;
    ++caught_;
    grow_for_caught(static_cast<std::int64_t>(caught_) * amounts_.caught, held);
}

bool TrafficBudget::catches(const FailedAttempt& failed, const Traffic& traffic,
                            const Held& held) noexcept {
    if (begins_a_break(failed, traffic, held)) return true;
    // A retry that began since is of a call that was counted already. And what never worked does not
    // break: there only calls in flight at the first failure are caught.
    const bool breaking = failed.first && successes_at_break_ > 0;
    return failed.started < (breaking ? after(break_at_, breaking_takes) : break_at_);
}

bool TrafficBudget::begins_a_break(const FailedAttempt& failed, const Traffic& traffic,
                                   const Held&) noexcept {
    if (failed.now < after(break_at_, breaking_takes)) return false;
    if (failed.now < after(counted_at_, count_apart)) return false;
    // Of callers that share this budget the busiest stands for all.
    const std::uint64_t successes = std::max(traffic.successes(), successes_at_break_);
    counted_at_ = failed.now;
    if (successes - successes_at_break_ < caught_) return false;
    break_at_ = failed.now;
    successes_at_break_ = successes;
    caught_ = 0;
    return true;
}

void TrafficBudget::make_room_for_caught(int milli) noexcept {
    if (milli <= milli_for_caught()) return;
    grow_for_caught(milli, Held{mutex_});
}

void TrafficBudget::grow_for_caught(std::int64_t milli, const Held&) noexcept {
    const int wanted = static_cast<int>(std::min<std::int64_t>(milli, most_milli));
    const int more = wanted - milli_for_caught();
    if (more <= 0) return;
    for_caught_.store(wanted, std::memory_order_relaxed);
    if (capacity_.load(std::memory_order_relaxed) < wanted) {
        capacity_.store(wanted, std::memory_order_relaxed);
        if (first_seen_.load(std::memory_order_relaxed) != unset)
            brim_.store(wanted, std::memory_order_relaxed);
    }
    deposit(more);
}

std::unique_ptr<Budget> TrafficBudget::for_place() const {
    return std::make_unique<TrafficBudget>(amounts_, remembers_);
}

}  // namespace v0
}  // namespace perdure
