// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/place.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {

namespace {

constexpr Duration::rep unmarked = TimePoint::min().time_since_epoch().count();

Duration spread(const PlaceOptions& options, Random& random) {
    const double factor = 1 + options.spread * (2 * random.next() - 1);
    const auto length = static_cast<double>(std::min(options.mark_for, never / 4).count());
    return Duration{static_cast<Duration::rep>(length * factor)};
}

}  // namespace

Place::Place(std::string name, std::unique_ptr<Budget> budget, const PlaceOptions& options)
    : name_{std::move(name)},
      budget_{std::move(budget)},
      options_{options},
      marked_until_{unmarked} {}

Place::~Place() = default;

bool Place::pay(int cost_milli, Budget& dependency, const Traffic& traffic,
                TimePoint now) noexcept {
    if (!dependency.try_withdraw(cost_milli, now, traffic)) return false;
    if (pay_here(cost_milli, dependency, now)) return true;
    dependency.give_back(cost_milli);
    return false;
}

bool Place::pay_here(int cost_milli, const Budget& dependency, TimePoint now) noexcept {
    if (!budget_) return true;
    if (failures_in_a_row() == 0) budget_->make_room_for_caught(dependency.milli_for_caught());
    return budget_->try_withdraw(cost_milli, now, *this);
}

void Place::succeeded(Visit visit, int refund_milli, Duration took, TimePoint now) noexcept {
    latencies_.record(took);
    answered();
    if (visit == Visit::again) visits_again_.fetch_add(1, std::memory_order_relaxed);
    if (!budget_) return;
    if (refund_milli > 0) budget_->on_late_success(refund_milli);
    if (visit == Visit::first) budget_->on_first_success(now);
}

void Place::failed(const FailedAttempt& failed, Budget& dependency, Random& random) noexcept {
    if (budget_) {
        budget_->on_failure(failed, *this);
        dependency.make_room_for_caught(budget_->milli_for_caught());
    }
    const int row = failures_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (options_.failures_to_mark > 0 && row >= options_.failures_to_mark)
        mark(failed.now, spread(options_, random));
}

void Place::answered() noexcept {
    if (failures_in_a_row() == 0) return;
    if (sick()) marked_until_.store(unmarked, std::memory_order_relaxed);
    failures_.store(0, std::memory_order_relaxed);
}

void Place::go_alone(TimePoint now, Random& random) noexcept {
    Duration::rep until = marked_until_.load(std::memory_order_relaxed);
    const TimePoint next = after(now, spread(options_, random));
    if (now.time_since_epoch().count() >= until)
        marked_until_.compare_exchange_strong(until, next.time_since_epoch().count(),
                                              std::memory_order_relaxed);
}

void Place::give_back(int cost_milli) noexcept {
    if (budget_) budget_->give_back(cost_milli);
}

void Place::mark(TimePoint now, Duration length) noexcept {
    marked_until_.store(after(now, length).time_since_epoch().count(), std::memory_order_relaxed);
}

std::uint64_t Place::first_successes() const noexcept {
    const std::uint64_t again = visits_again_.load(std::memory_order_relaxed);
    const std::uint64_t all = latencies_.count();
    return all > again ? all - again : 0;
}

}  // namespace v0
}  // namespace perdure
