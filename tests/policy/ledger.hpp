// SPDX-License-Identifier: Apache-2.0
//
// What did a budget's bucket earn and spend? Drives it as a caller would and keeps the books of
// the proven bound: for every prefix, spent ≤ start + what caught calls were given + deposits +
// refunds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "perdure/policy/budget.hpp"

namespace perdure {

// No call has succeeded.
struct Still final : Traffic {
    std::uint64_t first_successes() const noexcept override { return 0; }
};

// Owned by one thread.
class Ledger final : public Traffic {
public:
    explicit Ledger(const BudgetOptions& options, const Rule& rule = {})
        : budget_{make_budget(options, rule)},
          deposit_{milli_tokens(options.deposit)},
          start_{budget_->milli_left()} {}

    std::uint64_t first_successes() const noexcept override { return first_successes_; }
    Budget& budget() { return *budget_; }
    int left() const { return budget_->milli_left(); }
    int capacity() const { return budget_->milli_capacity(); }

    void first_success(TimePoint now) {
        ++first_successes_;
        budget_->on_first_success(now);
    }
    void first_successes(int count, TimePoint now) {
        while (count-- > 0) first_success(now);
    }
    void late_success(int last_cost) {
        refunds_ += last_cost;
        budget_->on_late_success(last_cost);
    }
    bool retry(int cost, TimePoint now) {
        const bool paid = budget_->try_withdraw(cost, now, *this);
        if (paid) spent_ += cost;
        return paid;
    }
    // How often it pays before it refuses.
    int retries(int cost, TimePoint now) {
        int paid = 0;
        while (paid < 1'000'000 && retry(cost, now)) ++paid;
        return paid;
    }

    std::int64_t spent() const { return spent_; }
    // What calls in flight at a break were given beyond the start.
    std::int64_t for_caught() const {
        return std::max<std::int64_t>(0, budget_->milli_for_caught() - start_);
    }
    std::int64_t earned() const {
        return start_ + for_caught() + refunds_ +
               deposit_ * static_cast<std::int64_t>(first_successes_);
    }

private:
    std::unique_ptr<Budget> budget_;
    std::int64_t deposit_, start_;
    std::int64_t spent_ = 0, refunds_ = 0;
    std::uint64_t first_successes_ = 0;
};

}  // namespace perdure
