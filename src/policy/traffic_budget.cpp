// SPDX-License-Identifier: Apache-2.0
#include "traffic_budget.hpp"

#include <algorithm>
#include <limits>
#include <utility>

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
// Success and retry are counted one after the other, so that a count may go back a little. One that
// goes back by more is of a new caller at the address of an old one.
constexpr std::uint64_t counted_halfway = 1'000;
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

void TrafficBudget::on_items_done(std::uint64_t items, TimePoint now) noexcept {
    // Once it is full the rest changes nothing.
    for (; items > 0 && milli_left() < brim_.load(std::memory_order_relaxed); --items)
        deposit_success(now);
}

bool TrafficBudget::try_withdraw(int cost_milli, TimePoint now, const Traffic& traffic) noexcept {
    if (now.time_since_epoch().count() >= next_.load(std::memory_order_relaxed)) {
        // One thread works it out; the others need not wait for it.
        if (const Held held{mutex_, std::try_to_lock}) {
            work_out(now, traffic, held);
            next_.store(after(now, pause_between_looks(held)).time_since_epoch().count(),
                        std::memory_order_relaxed);
        }
    }
    return withdraw(cost_milli);
}

void TrafficBudget::work_out(TimePoint now, const Traffic& traffic, const Held& held) noexcept {
    Caller* const known = caller_of(traffic, now, held);
    if (!known) return;
    Caller& caller = *known;
    const std::uint64_t told = traffic.first_successes();
    if (!caller.older || told + counted_halfway < caller.first_successes)
        begin(caller, now, told, held);
    const std::uint64_t successes = std::max(told, caller.first_successes);
    rate(caller, now, successes, held);
    const std::uint64_t fresh = successes - std::exchange(caller.first_successes, successes);
    const int capacity = std::max(deserved(now, held), milli_for_caught());
    resize(capacity, unpaid(fresh, held), held);
}

TrafficBudget::Caller* TrafficBudget::caller_of(const Traffic& traffic, TimePoint now,
                                                const Held&) noexcept {
    auto found = std::ranges::find(callers_, &traffic, &Caller::traffic);
    if (found == callers_.end()) {
        found = std::ranges::min_element(callers_, {}, &Caller::seen_at);
        if (found->traffic && now < after(found->seen_at, remembers_)) return nullptr;
        *found = Caller{.traffic = &traffic};
    }
    found->seen_at = now;
    return &*found;
}

// Shorter the more callers there are, so that each of them looks within `remembers_`.
Duration TrafficBudget::pause_between_looks(const Held&) const noexcept {
    const auto known =
        std::ranges::count_if(callers_, [](const Caller& each) { return each.older.has_value(); });
    return pause / std::max<Duration::rep>(known, 1);
}

// The first caller is believed its history, which began with the first deposit. The history of any other
// may be from before it shared this budget.
void TrafficBudget::begin(Caller& caller, TimePoint now, std::uint64_t successes,
                          const Held&) noexcept {
    const Duration::rep seen = first_seen_.load(std::memory_order_relaxed);
    const bool first = !std::exchange(looked_, true) && seen != unset;
    const Checkpoint from =
        first ? Checkpoint{TimePoint{Duration{seen}}, 0} : Checkpoint{now, successes};
    caller.older = caller.newer = from;
    caller.first_successes = from.successes;
}

// The successes of the last `remembers_`, seen over its last half to whole, or since the last look
// where that is longer ago. A shorter past is not stretched to more than twice its own.
void TrafficBudget::rate(Caller& caller, TimePoint now, std::uint64_t successes,
                         const Held&) noexcept {
    if (now - caller.newer->at >= remembers_ / 2) {
        caller.older = caller.newer;
        caller.newer = Checkpoint{now, successes};
    }
    const auto span = static_cast<double>(std::max(now - caller.older->at, remembers_ / 2).count());
    const auto seen = static_cast<double>(successes - caller.older->successes);
    caller.milli = amounts_.deposit * seen * static_cast<double>(remembers_.count()) / span;
    caller.looked_at = now;
}

// A caller that has not looked for `remembers_` may be idle or gone.
int TrafficBudget::deserved(TimePoint now, const Held&) const noexcept {
    double milli = 0;
    for (const Caller& each : callers_)
        if (each.older && now < after(each.looked_at, remembers_)) milli += each.milli;
    return static_cast<int>(std::clamp<double>(milli, amounts_.floor, amounts_.most));
}

// What the successes since the last look would have paid in had the bucket not been full: the most
// a top-up may give. Without this limit a growing bucket would make tokens nobody earned.
int TrafficBudget::unpaid(std::uint64_t fresh, const Held&) noexcept {
    const std::int64_t paid_in = paid_in_.load(std::memory_order_relaxed);
    constexpr std::uint64_t plenty =
        1'000'000'000;  // keeps the product small; the bucket is smaller
    owed_ += static_cast<std::int64_t>(std::min(fresh, plenty)) * amounts_.deposit -
             (paid_in - paid_in_then_);
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
    const bool breaking = failed.first && worked_before_break_;
    return failed.started < (breaking ? after(break_at_, breaking_takes) : break_at_);
}

bool TrafficBudget::begins_a_break(const FailedAttempt& failed, const Traffic& traffic,
                                   const Held& held) noexcept {
    if (failed.now < after(break_at_, breaking_takes)) return false;
    if (failed.now < after(counted_at_, count_apart)) return false;
    const std::uint64_t successes = traffic.successes();
    counted_at_ = failed.now;
    if (Caller* const caller = caller_of(traffic, failed.now, held))
        successes_since_break_ += count_new(*caller, failed.now, successes, held);
    if (successes > 0) worked_ = true;
    if (successes_since_break_ < caught_) return false;
    break_at_ = failed.now;
    worked_before_break_ = worked_;
    successes_since_break_ = 0;
    caught_ = 0;
    return true;
}

// The successes of this caller since the break. For a caller that was not counted since then, nobody
// knows how many there are: none if the break is young, and all that are new if it is long ago.
std::uint64_t TrafficBudget::count_new(Caller& caller, TimePoint now, std::uint64_t successes,
                                       const Held&) noexcept {
    auto before = caller.counted.value_or(Checkpoint{TimePoint::min(), 0});
    if (successes + counted_halfway < before.successes) before = Checkpoint{TimePoint::min(), 0};
    caller.counted = Checkpoint{now, std::max(successes, before.successes)};
    if (before.at < break_at_ && now < after(break_at_, remembers_)) return 0;
    return caller.counted->successes - before.successes;
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
