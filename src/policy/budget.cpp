// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/budget.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {

Budget::Budget(int capacity_milli, Ends ends) noexcept
    : milli_{capacity_milli},
      capacity_{capacity_milli},
      brim_{capacity_milli},
      wants_ends_{ends == Ends::wanted} {}

Budget::~Budget() = default;

void Budget::on_items_done(std::uint64_t, TimePoint) noexcept {}
void Budget::on_failure(const FailedAttempt&, const Traffic&) noexcept {}

void Budget::on_late_success(int last_cost_milli) noexcept { deposit(last_cost_milli); }

void Budget::deposit(int milli) noexcept {
    int held = milli_.load(std::memory_order_relaxed);
    for (;;) {
        const int full = capacity_.load(std::memory_order_relaxed);
        if (held >= full) return;
        const int more = milli > full - held ? full : held + milli;
        if (milli_.compare_exchange_weak(held, more, std::memory_order_relaxed)) return;
    }
}

bool Budget::withdraw(int milli) noexcept {
    int held = milli_.load(std::memory_order_relaxed);
    while (held >= milli)
        if (milli_.compare_exchange_weak(held, held - milli, std::memory_order_relaxed))
            return true;
    return false;
}

}  // namespace v0
}  // namespace perdure
