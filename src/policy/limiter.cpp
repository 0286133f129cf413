// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/limiter.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace perdure {
inline namespace v0 {

namespace {

Duration rounded(double count) noexcept {
    return count < static_cast<double>(never.count()) ? Duration{std::llround(count)} : never;
}

// The generic cell rate algorithm: one number, the time at which the bucket will be full again.
// Every attempt moves it by one interval; an attempt may go out when it is at most `tolerance_`
// ahead. Taking a later slot is the same step, so queueing needs no queue.
class RateLimiter final : public Limiter {
public:
    explicit RateLimiter(const LimiterOptions& options) noexcept
        : interval_{options.per_second > 0 ? std::min(rounded(1e9 / options.per_second), longest)
                                           : never},
          tolerance_{rounded((std::max(options.burst, 1.0) - 1) *
                             static_cast<double>(interval_.count()))} {}

    Entry enter(TimePoint now, TimePoint latest) noexcept override {
        if (interval_ == never) return {.kind = Entry::Kind::refused};
        Duration::rep full_at = full_at_.load(std::memory_order_relaxed);
        for (;;) {
            const TimePoint full{Duration{full_at}};
            const TimePoint slot = full > after(now, tolerance_) ? full - tolerance_ : now;
            if (slot > now && slot >= latest) return {.kind = Entry::Kind::refused};
            const TimePoint then = after(std::max(full, now), interval_);
            if (full_at_.compare_exchange_weak(full_at, then.time_since_epoch().count(),
                                               std::memory_order_relaxed))
                return slot > now ? Entry{.kind = Entry::Kind::later, .at = slot} : Entry{};
        }
    }

private:
    static constexpr Duration longest = never - Duration{1};
    const Duration interval_;  // never: nothing goes out
    const Duration tolerance_;
    std::atomic<Duration::rep> full_at_{Duration::min().count()};
};

class ConcurrencyLimiter final : public Limiter {
public:
    explicit ConcurrencyLimiter(const LimiterOptions& options) noexcept
        : most_{options.concurrent} {}

    Entry enter(TimePoint, TimePoint) noexcept override {
        int inside = inside_.load(std::memory_order_relaxed);
        while (inside < most_)
            if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire))
                return {};
        return {.kind = Entry::Kind::refused};
    }
    void leave(TimePoint) noexcept override { inside_.fetch_sub(1, std::memory_order_release); }

private:
    const int most_;
    std::atomic<int> inside_{0};
};

}  // namespace

Limiter::~Limiter() = default;

void Limiter::leave(TimePoint) noexcept {}

std::unique_ptr<Limiter> make_limiter(const LimiterOptions& options) {
    switch (options.kind) {
        case LimiterKind::rate: return std::make_unique<RateLimiter>(options);
        case LimiterKind::concurrency: return std::make_unique<ConcurrencyLimiter>(options);
        case LimiterKind::none: break;
    }
    return nullptr;
}

}  // namespace v0
}  // namespace perdure
