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
        if (left <= Duration::zero() || bounds.stop.stop_requested()) {
            lock.unlock();  // the pool's lock comes first
            return fail(no_session(bounds, now));
        }
        wait_for_news(lock, bounds, left);
    }
    return {};
}

// Those who hold the places may have no session either: then that is the reason.
Failure Lease::no_session(const Bounds& bounds, TimePoint now) const {
    const auto told = place_.somebody_dials(now) ? place_.dial_failure() : nullptr;
    const bool stopped = bounds.stop.stop_requested() && !bounds.deadline.passed(now);
    return told && !stopped ? *told : pool_full(bounds, now);
}

void Lease::wait_for_news(std::unique_lock<std::mutex>& lock, const Bounds& bounds,
                          Duration longest) {
    // Long waits in pieces: condition variables of glibc overflow on `never`.
    bell_.news.wait_for(lock, bounds.stop, std::min<Duration>(longest, 1h),
                        [&] { return bell_.rung; });
    bell_.rung = false;
}

// Success with a session: that one was handed over meanwhile.
Result<void> Lease::await_leave_to_dial(const Bounds& bounds, Freshness freshness) {
    using Accepts = net::Pool::Place::Accepts;
    const Accepts accepts = freshness == Freshness::fresh ? Accepts::new_only : Accepts::any;
    std::shared_ptr<const Failure> waited_for;
    const TimePoint began = lender_.clock.now();
    for (;;) {
        const TimePoint now = lender_.clock.now();
        const Duration left = bounds.deadline.left(now);
        session_.reset(static_cast<Session*>(place_.take_handed().release()));
        if (session_) return {};
        if (place_.may_dial(now, accepts)) {
            // After a long wait it might only be cut off: better another attempt, with all its time.
            if (!waited_for || left >= std::min(now - began, lender_.connect_within)) return {};
            place_.pass_turn();
            return fail(*waited_for);
        }
        if (left <= Duration::zero() || bounds.stop.stop_requested())
            return fail(no_session(bounds, now));
        if (auto told = place_.dial_failure()) waited_for = std::move(told);
        // Between two dials there is hardly any news, so this wait can be the clock's.
        if (!place_.another_dials()) {
            (void)lender_.clock.sleep_until(std::min(place_.dial_at(), bounds.deadline.at()),
                                            bounds.stop);
            continue;
        }
        std::unique_lock lock{bell_.mutex};
        wait_for_news(lock, bounds, std::min(left, place_.dial_at() - now));
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
    return connect(freshness, how);
}

Result<void> Lease::renew(const Connecting& how) { return connect(Freshness::fresh, how); }

Result<void> Lease::connect(Freshness freshness, const Connecting& how) {
    session_.reset();
    if (auto may = await_leave_to_dial(how.bounds, freshness); !may) return may.take_failure();
    if (session_) return {};
    const TimePoint began = lender_.clock.now();
    Connecting within = how;
    within.bounds.deadline =
        how.bounds.deadline.tighter(Deadline::in(lender_.connect_within, began));
    auto made = lender_.driver.connect(within, lender_.clock);
    // What the caller's own limits cut off says nothing about the server.
    const bool cut_off = !made && (made.error().cause == Cause::cancelled ||
                                   (made.error().cause == Cause::timed_out &&
                                    how.bounds.deadline.left(began) < lender_.connect_within));
    const bool unreached = !made && made.error().rule == "connect";
    // Nor does a name that nobody knows.
    const bool unnamed = !made && !unreached && made.error().origin == Origin::network;
    if (cut_off || unnamed) place_.pass_turn();
    else place_.dialled(unreached ? &made.error() : nullptr, lender_.clock.now());
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
