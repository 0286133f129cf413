// SPDX-License-Identifier: Apache-2.0
#include "lease.hpp"

#include <algorithm>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace sql {

Failure pool_full(const Bounds& bounds, TimePoint now) {
    if (bounds.stop.stop_requested() && !bounds.deadline.passed(now))
        return {.cause = Cause::cancelled,
                .effect = Effect::none,
                .origin = Origin::application,
                .code = "stopped",
                .message = "the caller asked to stop"};
    return {.cause = Cause::exhausted,
            .origin = Origin::application,
            .code = "pool-full",
            .message = "no session became free in time: all of max_connections are in use"};
}

void Lease::Bell::wake() noexcept {
    // Notified under the lock: whoever waits may die as soon as it is let go.
    const std::scoped_lock lock{mutex};
    rung = true;
    news.notify_all();
}

Lease::Lease(const Lender& lender) noexcept : lender_{lender}, place_{lender.pool, bell_} {}

Lease::~Lease() {
    if (session_ && session_->state() == State::idle && !session_->spoiled())
        place_.give_back(std::move(session_), lender_.clock.now());
}

Result<void> Lease::await_turn(const Bounds& bounds) {
    std::unique_lock lock{bell_.mutex};
    while (!place_.granted()) {
        const TimePoint now = lender_.clock.now();
        const Duration left = bounds.deadline.left(now);
        if (left <= Duration::zero() || bounds.stop.stop_requested())
            return fail(pool_full(bounds, now));
        wait_for_news(lock, bounds, left);
    }
    return {};
}

void Lease::wait_for_news(std::unique_lock<std::mutex>& lock, const Bounds& bounds,
                          Duration longest) {
    // Long waits in pieces: condition variables of glibc overflow on `never`.
    bell_.news.wait_for(lock, bounds.stop, std::min<Duration>(longest, 1h),
                        [&] { return bell_.rung; });
    bell_.rung = false;
}

Result<void> Lease::await_leave_to_dial(const Bounds& bounds) {
    for (;;) {
        const TimePoint now = lender_.clock.now();
        if (place_.may_dial(now)) return {};
        const Duration left = bounds.deadline.left(now);
        if (left <= Duration::zero() || bounds.stop.stop_requested()) {
            const auto told = place_.dial_failure();
            const bool stopped = bounds.stop.stop_requested() && left > Duration::zero();
            return fail(told && !stopped ? *told : pool_full(bounds, now));
        }
        // Between two dials there is no news, so this wait can be the clock's.
        if (place_.dial_at() != TimePoint::max()) {
            (void)lender_.clock.sleep_until(std::min(place_.dial_at(), bounds.deadline.at()),
                                            bounds.stop);
            continue;
        }
        std::unique_lock lock{bell_.mutex};
        wait_for_news(lock, bounds, left);
    }
}

Result<void> Lease::take(Freshness freshness, const Connecting& how) {
    const TimePoint now = lender_.clock.now();
    place_.ask(now);
    if (!place_.granted())
        if (auto turn = await_turn(how.bounds); !turn) return turn.take_failure();
    std::unique_ptr<net::Pooled> old = place_.take();
    if (old && freshness == Freshness::pooled) {
        session_.reset(static_cast<Session*>(old.release()));
        return {};
    }
    old.reset();
    return renew(how);
}

Result<void> Lease::renew(const Connecting& how) {
    session_.reset();
    Connecting within = how;
    within.bounds.deadline =
        how.bounds.deadline.tighter(Deadline::in(lender_.connect_within, lender_.clock.now()));
    if (auto may = await_leave_to_dial(within.bounds); !may) return may.take_failure();
    auto made = lender_.driver.connect(within, lender_.clock);
    const bool unreached = !made && made.error().rule == "connect";
    place_.dialled(unreached ? &made.error() : nullptr, lender_.clock.now());
    if (!made) return made.take_failure();
    session_ = *std::move(made);
    return {};
}

void Lease::clean(Duration within) noexcept {
    if (!session_ || session_->state() == State::idle || session_->state() == State::broken) return;
    session_->roll_back({.deadline = Deadline::in(within, lender_.clock.now())});
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
