// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "milli.hpp"
#include "peer_budgets.hpp"
#include "perdure/policy/budget.hpp"
#include "traffic_budget.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// The AWS SDKs' quota: a retry pays or is refused, a success at the first attempt pays in.
class FixedBudget final : public Budget {
public:
    explicit FixedBudget(const BudgetOptions& options) noexcept
        : Budget{bounded_milli(options.capacity), Ends::ignored},
          deposit_{bounded_milli(options.deposit)} {}

    bool try_withdraw(int cost_milli, TimePoint, const Traffic&) noexcept override {
        return withdraw(cost_milli);
    }

private:
    void deposit_success(TimePoint) noexcept override { deposit(deposit_); }

    const int deposit_;
};

// gRPC proposal A6: a switch rather than a purse. Nothing is paid for a retry; failures empty the
// bucket, and retries are off while it is at most half full.
class ThrottleBudget final : public Budget {
public:
    explicit ThrottleBudget(const BudgetOptions& options) noexcept
        : Budget{bounded_milli(options.capacity), Ends::ignored},
          deposit_{bounded_milli(options.deposit)} {}

    void on_failure(const FailedAttempt& failed, const Traffic&) noexcept override {
        if (!is_repeatable(failed.cause)) return;
        int held = milli_.load(std::memory_order_relaxed);
        while (held > 0 && !milli_.compare_exchange_weak(held, std::max(0, held - one_token),
                                                         std::memory_order_relaxed)) {}
    }
    void on_late_success(int) noexcept override { deposit(deposit_); }
    bool try_withdraw(int, TimePoint, const Traffic&) noexcept override {
        return milli_left() > milli_capacity() / 2;
    }

private:
    static constexpr int one_token = 1000;
    void deposit_success(TimePoint) noexcept override { deposit(deposit_); }

    const int deposit_;
};

// So many retries per second, whatever becomes of them. Time alone fills it, so the brim is zero
// and no success ever stops here.
class SteadyBudget final : public Budget {
public:
    explicit SteadyBudget(const BudgetOptions& options) noexcept
        : Budget{bounded_milli(options.capacity), Ends::ignored},
          milli_per_second_{std::max(0.0, options.per_second) * 1000} {
        brim_.store(0, std::memory_order_relaxed);
    }

    void on_late_success(int) noexcept override {}
    bool try_withdraw(int cost_milli, TimePoint now, const Traffic&) noexcept override {
        const std::unique_lock held{mutex_};
        refill(now, held);
        return withdraw(cost_milli);
    }

private:
    void deposit_success(TimePoint) noexcept override {}

    void refill(TimePoint now, const std::unique_lock<std::mutex>&) noexcept {
        if (!filled_at_) filled_at_ = now;
        if (now <= *filled_at_) return;
        const double seconds = std::chrono::duration<double>(now - *filled_at_).count();
        const double earned = fraction_ + seconds * milli_per_second_;
        // Many short waits must earn as much as one long one: the fraction is kept, and a sum that
        // binary fractions leave a hair below a whole counts as that whole.
        const double whole = std::floor(earned + 1e-6);
        fraction_ = earned - whole;
        filled_at_ = now;
        deposit(static_cast<int>(std::min(whole, static_cast<double>(milli_capacity()))));
    }

    const double milli_per_second_;
    std::mutex mutex_;
    std::optional<TimePoint>
        filled_at_;        // it starts full, so time before the first question is no matter
    double fraction_ = 0;  // of a thousandth
};

class FreeBudget final : public Budget {
public:
    FreeBudget() noexcept : Budget{0, Ends::ignored} {}
    void on_late_success(int) noexcept override {}
    bool try_withdraw(int, TimePoint, const Traffic&) noexcept override { return true; }

private:
    void deposit_success(TimePoint) noexcept override {}
};

double dearest_cost(const Rule& rule) noexcept {
    return std::max(default_cost(Cause::unavailable), rule.cost.value_or(0));
}

// Two calls that fail to the end must be affordable before anything is known about the traffic.
int floor_milli(const Rule& rule) noexcept {
    const int attempts = rule.attempts == 0 ? Rule{}.attempts : rule.attempts;
    return bounded_milli(2.0 * std::max(1, attempts - 1) * dearest_cost(rule));
}

}  // namespace

std::unique_ptr<Budget> make_budget(const BudgetOptions& options, const Rule& rule) {
    switch (options.kind) {
        case BudgetKind::fixed: return std::make_unique<FixedBudget>(options);
        case BudgetKind::throttle: return std::make_unique<ThrottleBudget>(options);
        case BudgetKind::steady: return std::make_unique<SteadyBudget>(options);
        case BudgetKind::requests: return make_requests_budget(options);
        case BudgetKind::in_flight: return make_in_flight_budget(options);
        case BudgetKind::none: return std::make_unique<FreeBudget>();
        case BudgetKind::traffic: break;
    }
    return std::make_unique<TrafficBudget>(
        TrafficBudget::Amounts{
            .floor = floor_milli(rule),
            .most = bounded_milli(options.capacity),
            .deposit = bounded_milli(options.deposit),
            .caught =
                options.capacity > 0 ? bounded_milli(options.per_caught * dearest_cost(rule)) : 0},
        options.remembers);
}

}  // namespace v0
}  // namespace perdure
