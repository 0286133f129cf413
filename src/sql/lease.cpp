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
        // Long waits in pieces: condition variables of glibc overflow on `never`.
        const Duration left = std::min<Duration>(bounds.deadline.left(now), 1h);
        if (left <= Duration::zero() || bounds.stop.stop_requested())
            return fail(pool_full(bounds, now));
        bell_.news.wait_for(lock, bounds.stop, left, [&] { return bell_.rung; });
        bell_.rung = false;
    }
    return {};
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
    auto made = lender_.driver.connect(within, lender_.clock);
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
