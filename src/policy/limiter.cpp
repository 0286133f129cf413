// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/limiter.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <string>

#include "perdure/policy/adaptive.hpp"
#include "window.hpp"

namespace perdure {
inline namespace v0 {

namespace {

Duration rounded_or_never(double count) noexcept {
    return count < static_cast<double>(never.count()) ? Duration{std::llround(count)} : never;
}

// The generic cell rate algorithm: one number, the time at which the bucket will be full again.
// Every attempt moves it by one interval; an attempt may go out when it is at most `tolerance_`
// ahead. Taking a later slot is the same step, so queueing needs no queue.
class RateLimiter final : public Limiter {
public:
    explicit RateLimiter(const LimiterOptions& options) noexcept
        : interval_{options.per_second > 0
                        ? std::min(rounded_or_never(1e9 / options.per_second), longest)
                        : never},
          tolerance_{rounded_or_never((std::max(options.burst, 1.0) - 1) *
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
    // Those who have a later slot keep it; the next to come has the place of this one.
    void leave(TimePoint, Left left) noexcept override {
        if (left == Left::unused) full_at_.fetch_sub(interval_.count(), std::memory_order_relaxed);
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
    void leave(TimePoint, Left) noexcept override {
        inside_.fetch_sub(1, std::memory_order_release);
    }

private:
    const int most_;
    std::atomic<int> inside_{0};
};

// The share of a 64-bit number's range below it. Neighbouring numbers end up far apart.
double spread_share(std::uint64_t seed) noexcept {
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((seed ^ (seed >> 31)) >> 11) * 0x1p-53;
}

// Client-side throttling of the SRE book: refuses the share (requests − K · accepts) ÷ (requests + 1)
// of the window. What was refused here counts as a request too, so the service sees about K times
// what it accepts. The share is carried from attempt to attempt instead of drawn, which refuses
// evenly and without chance; clients begin at different points of it, by their first attempt's time.
class ThrottleLimiter final : public Limiter {
public:
    explicit ThrottleLimiter(const LimiterOptions& options) noexcept
        : accepts_{options.accepts}, window_{options.remembers} {}

    Entry enter(TimePoint now, TimePoint) noexcept override {
        const std::lock_guard held{mutex_};
        window_.turn_to(now);
        if (carried_ < 0)
            carried_ = spread_share(static_cast<std::uint64_t>(now.time_since_epoch().count()));
        carried_ += refused_share();
        window_.add(1, 0);
        if (carried_ < 1) return {};
        carried_ -= 1;
        return {.kind = Entry::Kind::refused};
    }
    void leave(TimePoint now, Left left) noexcept override {
        if (left == Left::not_accepted || left == Left::throttled) return;
        const std::lock_guard held{mutex_};
        window_.turn_to(now);
        if (left == Left::accepted) window_.add(0, 1);
        else window_.add(-1, 0);
    }

private:
    double refused_share() const noexcept {
        // Taking back what was never sent may reach a younger slice than the request did.
        const auto requests = static_cast<double>(std::max<std::int64_t>(0, window_.first()));
        const auto accepts = static_cast<double>(window_.second());
        return std::max(0.0, (requests - accepts_ * accepts) / (requests + 1));
    }

    const double accepts_;
    std::mutex mutex_;     // what follows
    Window window_;        // requests, accepts
    double carried_ = -1;  // of a refusal; below zero: no attempt yet
};

}  // namespace

Limiter::~Limiter() = default;

void Limiter::leave(TimePoint, Left) noexcept {}

std::unique_ptr<Limiter> make_limiter(const LimiterOptions& options) {
    switch (options.kind) {
        case LimiterKind::rate: return std::make_unique<RateLimiter>(options);
        case LimiterKind::concurrency: return std::make_unique<ConcurrencyLimiter>(options);
        case LimiterKind::throttle: return std::make_unique<ThrottleLimiter>(options);
        case LimiterKind::adaptive: return std::make_unique<AdaptiveLimiter>();
        case LimiterKind::none: break;
    }
    return nullptr;
}

struct Limiters::Inside {
    explicit Inside(const LimiterOptions& how) : options{how}, rest{make_limiter(how)} {}
    const LimiterOptions options;
    const std::unique_ptr<Limiter> rest;
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<Limiter>, std::less<>> by_key;
};

Limiters::Limiters(const LimiterOptions& options) : inside_{std::make_unique<Inside>(options)} {}

Limiters::~Limiters() = default;

Limiter* Limiters::at(std::string_view key) {
    if (!inside_->rest) return nullptr;
    auto& by_key = inside_->by_key;
    const std::lock_guard held{inside_->mutex};
    if (const auto found = by_key.find(key); found != by_key.end()) return found->second.get();
    if (by_key.size() >= inside_->options.most_keys) return inside_->rest.get();
    return by_key.emplace(key, make_limiter(inside_->options)).first->second.get();
}

}  // namespace v0
}  // namespace perdure
