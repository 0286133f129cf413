// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/place.hpp"

#include <utility>

#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr Duration::rep unmarked = TimePoint::min().time_since_epoch().count();

}  // namespace

Place::Place(std::string name, std::unique_ptr<Budget> budget, const PlaceOptions& options)
    : name_{std::move(name)},
      budget_{std::move(budget)},
      options_{options},
      marked_until_{unmarked} {}

Place::Place(std::string name, Place& larger, const PlaceOptions& options)
    : name_{std::move(name)}, options_{options}, larger_{&larger}, marked_until_{unmarked} {}

Place::~Place() = default;

bool Place::pay(int cost_milli, Budget& dependency, const Traffic& traffic,
                TimePoint now) noexcept {
    if (!dependency.try_withdraw(cost_milli, now, traffic)) return false;
    if (pay_here(cost_milli, dependency, now)) return true;
    dependency.give_back(cost_milli);
    return false;
}

bool Place::pay_here(int cost_milli, const Budget& dependency, TimePoint now) noexcept {
    if (larger_) return larger_->pay_here(cost_milli, dependency, now);
    if (!budget_) return true;
    if (failures_in_a_row() == 0) budget_->make_room_for_caught(dependency.milli_for_caught());
    return budget_->try_withdraw(cost_milli, now, *this);
}

void Place::succeeded(Visit visit, int refund_milli, Duration took, TimePoint now) noexcept {
    answered();
    if (larger_) return larger_->succeeded(visit, refund_milli, took, now);
    successes_.record(Duration::zero());  // it only counts: no bucket has to be found
    if (visit == Visit::again) visits_again_.fetch_add(1, std::memory_order_relaxed);
    if (!budget_) return;
    if (refund_milli > 0) budget_->on_late_success(refund_milli);
    if (visit == Visit::first) budget_->on_first_success(now);
}

void Place::failed(const FailedAttempt& failed, Budget& dependency, Random& random) noexcept {
    if (larger_) larger_->failed(failed, dependency, random);
    if (budget_) {
        budget_->on_failure(failed, *this);
        dependency.make_room_for_caught(budget_->milli_for_caught());
    }
    failed_here(failed.now, random);
}

void Place::failed_here(TimePoint now, Random& random) noexcept {
    const int row = failures_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (options_.failures_to_mark > 0 && row >= options_.failures_to_mark) mark(now, random);
}

bool Place::kept_silent(TimePoint begun, TimePoint now, Duration fair) noexcept {
    Duration::rep since = 0;
    const Duration::rep own = begun.time_since_epoch().count();
    if (silent_since_.compare_exchange_strong(since, own, std::memory_order_relaxed)) since = own;
    const Duration::rep waited = (now - begun).count();
    const Duration::rep all = silence_.fetch_add(waited, std::memory_order_relaxed) + waited;
    if (all < fair.count() || now.time_since_epoch().count() - since < fair.count()) return false;
    silence_.store(0, std::memory_order_relaxed);
    silent_since_.store(0, std::memory_order_relaxed);
    return true;
}

void Place::answered() noexcept {
    if (larger_) larger_->answered();
    if (silence_.load(std::memory_order_relaxed) != 0) {
        silence_.store(0, std::memory_order_relaxed);
        silent_since_.store(0, std::memory_order_relaxed);
    }
    if (failures_in_a_row() == 0) return;
    if (sick()) marked_until_.store(unmarked, std::memory_order_relaxed);
    failures_.store(0, std::memory_order_relaxed);
}

void Place::go_alone(TimePoint now, Random& random) noexcept {
    Duration::rep until = marked_until_.load(std::memory_order_relaxed);
    const TimePoint next = end_of_mark(now, random);
    if (now.time_since_epoch().count() >= until)
        marked_until_.compare_exchange_strong(until, next.time_since_epoch().count(),
                                              std::memory_order_relaxed);
}

void Place::give_back(int cost_milli) noexcept {
    if (larger_) larger_->give_back(cost_milli);
    if (budget_) budget_->give_back(cost_milli);
}

void Place::mark(TimePoint now, Random& random) noexcept {
    marked_until_.store(end_of_mark(now, random).time_since_epoch().count(),
                        std::memory_order_relaxed);
}

TimePoint Place::end_of_mark(TimePoint now, Random& random) const noexcept {
    return after(now, varied(options_.mark_for, random.next(), options_.spread));
}

std::uint64_t Place::first_successes() const noexcept {
    if (larger_) return larger_->first_successes();
    const std::uint64_t again = visits_again_.load(std::memory_order_relaxed);
    const std::uint64_t all = successes_.count();
    return all > again ? all - again : 0;
}

}  // namespace v0
}  // namespace perdure
