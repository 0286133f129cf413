// SPDX-License-Identifier: Apache-2.0
#include "peer_budgets.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "milli.hpp"
#include "window.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// What is only reported need not be exact where an int cannot hold it.
int held_milli(std::int64_t milli) noexcept {
    return static_cast<int>(std::clamp<std::int64_t>(milli, 0, std::numeric_limits<int>::max()));
}

// Finagle's RetryBudget: every call pays in at its start, and what is paid in or out is forgotten
// after `remembers`, a tenth of it at a time. A reserve on top is always there, for clients with little
// traffic. So in any nine tenths of such a time, retries × cost ≤ deposits + reserve. Deposits do not
// depend on success: in a total outage the extra load stays at its limit.
class RequestsBudget final : public Budget {
public:
    explicit RequestsBudget(const BudgetOptions& options) noexcept
        : Budget{reserve_of(options), Ends::wanted},
          deposit_{bounded_milli(options.deposit)},
          reserve_{reserve_of(options)},
          window_{options.remembers} {
        brim_.store(0, std::memory_order_relaxed);  // no success pays in
    }

    void on_late_success(int) noexcept override {}
    bool try_withdraw(int cost_milli, TimePoint now, const Traffic&) noexcept override {
        const std::lock_guard held{mutex_};
        window_.turn_to(now);
        const bool paid = balance() >= cost_milli;
        if (paid) window_.add(0, cost_milli);
        show();
        return paid;
    }

private:
    static int reserve_of(const BudgetOptions& options) noexcept {
        const double seconds = std::chrono::duration<double>(options.remembers).count();
        return bounded_milli(options.per_second * seconds);
    }
    void deposit_success(TimePoint) noexcept override {}
    void started(TimePoint now) noexcept override {
        const std::lock_guard held{mutex_};
        window_.turn_to(now);
        window_.add(deposit_, 0);
        show();
    }
    std::int64_t balance() const noexcept { return reserve_ + window_.first() - window_.second(); }
    void show() noexcept {
        milli_.store(held_milli(balance()), std::memory_order_relaxed);
        capacity_.store(held_milli(reserve_ + window_.first()), std::memory_order_relaxed);
    }

    const int deposit_;
    const int reserve_;
    std::mutex mutex_;  // what follows
    Window window_;     // paid in, paid out
};

// Envoy's retry budget: retries under way are at most a share of the calls under way, or a fixed
// few. Nothing is spent, only held; a slow retry holds its place longer. Each counts as one,
// whatever its rule says it costs.
class InFlightBudget final : public Budget {
public:
    explicit InFlightBudget(const BudgetOptions& options) noexcept
        : Budget{0, Ends::wanted},
          share_milli_{bounded_milli(options.deposit)},
          least_{bounded_milli(options.least) / 1000} {
        brim_.store(0, std::memory_order_relaxed);  // no success pays in
        show();
    }

    void on_late_success(int) noexcept override {}
    bool try_withdraw(int, TimePoint, const Traffic&) noexcept override {
        const std::lock_guard held{mutex_};
        const bool free = retries_ < places();
        if (free) ++retries_;
        show();
        return free;
    }

private:
    void deposit_success(TimePoint) noexcept override {}
    void started(TimePoint) noexcept override { change(1, 0); }
    void ended(TimePoint) noexcept override { change(-1, 0); }
    void retries_over(int retries) noexcept override { change(0, -retries); }

    void change(int calls, int retries) noexcept {
        const std::lock_guard held{mutex_};
        calls_ += calls;
        retries_ += retries;
        show();
    }
    std::int64_t places() const noexcept {
        return std::max<std::int64_t>(least_, calls_ * share_milli_ / 1000);
    }
    void show() noexcept {
        milli_.store(held_milli((places() - retries_) * 1000), std::memory_order_relaxed);
        capacity_.store(held_milli(places() * 1000), std::memory_order_relaxed);
    }

    const int share_milli_;
    const int least_;
    std::mutex mutex_;  // what follows
    std::int64_t calls_ = 0;
    std::int64_t retries_ = 0;
};

}  // namespace

std::unique_ptr<Budget> make_requests_budget(const BudgetOptions& options) {
    return std::make_unique<RequestsBudget>(options);
}

std::unique_ptr<Budget> make_in_flight_budget(const BudgetOptions& options) {
    return std::make_unique<InFlightBudget>(options);
}

}  // namespace v0
}  // namespace perdure
