// SPDX-License-Identifier: Apache-2.0
#include "peer_budgets.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "milli.hpp"
#include "sharded_sum.hpp"
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
//
// A call is counted in the shard of its thread. The window collects the deposits when a retry is asked
// for, and before a new slice begins.
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
        turn_to(now);
        const bool paid = reserve_ + window_.first() - window_.second() >= cost_milli;
        if (paid) window_.add(0, cost_milli);
        return paid;
    }
    [[nodiscard]] int milli_left() const noexcept override {
        const std::lock_guard held{mutex_};
        return held_milli(reserve_ + paid_in() - window_.second());
    }
    [[nodiscard]] int milli_capacity() const noexcept override {
        const std::lock_guard held{mutex_};
        return held_milli(reserve_ + paid_in());
    }

private:
    static int reserve_of(const BudgetOptions& options) noexcept {
        const double seconds = std::chrono::duration<double>(options.remembers).count();
        return bounded_milli(options.per_second * seconds);
    }
    void deposit_success(TimePoint) noexcept override {}
    void started(TimePoint now) noexcept override {
        if (now.time_since_epoch().count() >= slice_end_.load(std::memory_order_relaxed)) {
            const std::lock_guard held{mutex_};
            turn_to(now);
        }
        calls_.add(1);
    }
    void turn_to(TimePoint now) noexcept {
        const std::int64_t calls = calls_.total();
        window_.add((calls - collected_) * deposit_, 0);
        collected_ = calls;
        window_.turn_to(now);
        slice_end_.store(window_.end().time_since_epoch().count(), std::memory_order_relaxed);
    }
    std::int64_t paid_in() const noexcept {
        return window_.first() + (calls_.total() - collected_) * deposit_;
    }

    const int deposit_;
    const int reserve_;
    std::atomic<Duration::rep> slice_end_{Duration::min().count()};  // the first call sets it
    ShardedSum calls_;                                               // since the beginning
    alignas(64) mutable std::mutex mutex_;                           // what follows
    std::int64_t collected_ = 0;  // calls whose deposit is in the window
    Window window_;               // paid in, paid out
};

// Envoy's retry budget: retries under way are at most a share of the calls under way, or a fixed
// few. Nothing is spent, only held; a slow retry holds its place longer. Each counts as one,
// whatever its rule says it costs.
//
// A call that is not retried touches the shard of its thread only. Retries are one number, changed by
// compare and exchange: two that ask at once never get the same place.
class InFlightBudget final : public Budget {
public:
    explicit InFlightBudget(const BudgetOptions& options) noexcept
        : Budget{0, Ends::wanted},
          share_milli_{bounded_milli(options.deposit)},
          least_{bounded_milli(options.least) / 1000} {
        brim_.store(0, std::memory_order_relaxed);  // no success pays in
    }

    void on_late_success(int) noexcept override {}
    bool try_withdraw(int, TimePoint, const Traffic&) noexcept override {
        const std::int64_t most = places();
        std::int64_t retries = retries_.load(std::memory_order_relaxed);
        while (retries < most)
            if (retries_.compare_exchange_weak(retries, retries + 1, std::memory_order_relaxed))
                return true;
        return false;
    }
    [[nodiscard]] int milli_left() const noexcept override {
        return held_milli((places() - retries_.load(std::memory_order_relaxed)) * 1000);
    }
    [[nodiscard]] int milli_capacity() const noexcept override {
        return held_milli(places() * 1000);
    }

private:
    void deposit_success(TimePoint) noexcept override {}
    void started(TimePoint) noexcept override { calls_.add(1); }
    void ended(TimePoint) noexcept override { calls_.add(-1); }
    void retries_over(int retries) noexcept override {
        retries_.fetch_sub(retries, std::memory_order_relaxed);
    }
    std::int64_t places() const noexcept {
        return std::max<std::int64_t>(least_, calls_.total() * share_milli_ / 1000);
    }

    const int share_milli_;
    const int least_;
    ShardedSum calls_;                                  // under way
    alignas(64) std::atomic<std::int64_t> retries_{0};  // under way; a line of its own
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
