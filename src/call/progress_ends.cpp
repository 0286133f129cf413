// SPDX-License-Identifier: Apache-2.0
//
// Taking in how attempts ended: by an answer, by their time limit, because they are no longer wanted,
// or because the call is dropped.
#include <algorithm>
#include <utility>

#include "perdure/call/progress.hpp"
#include "trouble.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// What the service made of it. An answer about state means that it took the request.
Left left_as(const Failure* failure) {
    if (!failure) return Left::accepted;
    if (failure->cause == Cause::exhausted)
        return Left::unused;  // our own sockets, not the service
    if (failure->cause == Cause::throttled) return Left::throttled;
    return counts_against_service(failure->cause) || failure->cause == Cause::cancelled
               ? Left::not_accepted
               : Left::accepted;
}

// Slower than this is slow for any service; a plan that waits for less means what it says.
constexpr Duration fair_time = 1s;

}  // namespace

void Progress::cut_off_late(TimePoint now) {
    std::vector<int> late;
    if (latest_.number && latest_.deadline <= now) late.push_back(latest_.number);
    if (trouble_)
        for (const Racer& racer : trouble_->others)
            if (racer.deadline <= now) late.push_back(racer.number);
    for (const int number : late) {
        trouble().to_cancel.push_back(number);
        failed(
            number,
            {.cause = Cause::timed_out, .origin = Origin::application, .code = "attempt-timeout"},
            Effect::none, now);
    }
}

// Takes an attempt off the list of those under way and tells everyone who keeps count.
Progress::Racer Progress::close_attempt(int number, const Failure* failure, TimePoint now) {
    Racer closed{};
    if (latest_.number == number && number != 0) {
        closed = latest_;
        latest_.number = 0;
    } else if (trouble_) {
        std::erase_if(trouble_->others, [&](const Racer& racer) {
            if (racer.number != number) return false;
            closed = racer;
            return true;
        });
    }
    if (closed.number == 0) return closed;
    const Duration took = now - closed.started;
    const Duration latency = now - std::max(closed.started, closed.connected);
    if (limiter_) limiter_->leave(now, left_as(failure));
    if (breaker_) {
        if (failure && failure->cause == Cause::cancelled) breaker_->withdraw(closed.admission);
        else if (failure && counts_against_service(failure->cause))
            breaker_->record_failure(now, closed.admission);
        else breaker_->record_success(now, latency, closed.admission);
    }
    if (failure && failure->cause == Cause::timed_out)
        memory_.counters().add(Count::attempts_timed_out);
    if (!failure) memory_.latencies().record(latency);
    if (closed.place && failure) tell_place(closed, failure, now);
    if (!failure)
        report({.kind = EventKind::attempt_succeeded, .number = number, .took = took}, now);
    else if (failure->cause == Cause::cancelled)
        report({.kind = EventKind::attempt_cut_off, .number = number, .took = took}, now);
    else
        report({.kind = failure->advanced ? EventKind::partly_done : EventKind::attempt_failed,
                .number = number,
                .took = took,
                .failure = failure},
               now);
    return closed;
}

FailedAttempt Progress::as_budgets_see(const Failure& failure, TimePoint started,
                                       TimePoint now) const {
    const Rule& rule = *memory_.rule_for(failure).rule;
    const Trouble& t = *trouble_;
    // Of a call that leaves repeating to the one around it, the second attempt is that one's.
    const bool repeats = one_attempt_only() && setting_.parent->number > 1;
    return {.cause = failure.cause,
            // A copy is part of a call that began earlier.
            .started = t.retries == 0 ? std::min(started, *t.first_start) : started,
            .now = now,
            .free = rule.cost.value_or(default_cost(failure.cause)) <= 0,
            .first = t.retries == 0 && !repeats,
            .others_under_way = latest_.number || !t.others.empty()};
}

void Progress::tell_place(const Racer& closed, const Failure* failure, TimePoint now) {
    if (failure->cause == Cause::cancelled || failure->cause == Cause::exhausted) return;
    if (!counts_against_service(failure->cause)) return closed.place->answered();
    // One caller in a hurry says nothing about the place; many, of whom none is answered, do.
    const bool unanswered = failure->cause == Cause::timed_out && failure->status == 0;
    const TimePoint begun = std::max(closed.started, closed.connected);
    const Duration fair = std::min(memory_.attempt_timeout(), fair_time);
    if (unanswered && now - begun < fair && !closed.place->kept_silent(begun, now, fair)) return;
    closed.place->failed(as_budgets_see(*failure, closed.started, now), memory_.budget(),
                         *setting_.random);
}

void Progress::connected(int number, TimePoint now) noexcept {
    const auto note = [&](Racer& racer) {
        racer.connected = now;
        racer.deadline = std::min(after(now, attempt_timeout()), latest_end());
    };
    if (latest_.number == number) return note(latest_);
    if (!trouble_) return;
    for (Racer& racer : trouble_->others)
        if (racer.number == number) note(racer);
}

void Progress::tell_overrun(TimePoint now) {
    const Duration late = memory_.note_overrun(latest_.started, latest_.deadline, now);
    if (late > Duration::zero())
        report({.kind = EventKind::attempt_overran,
                .number = latest_.number,
                .took = now - latest_.started,
                .wait = late},
               now);
}

void Progress::succeeded_with_care(int number, TimePoint now) {
    if (phase_ != Phase::attempting) return;
    const Racer closed = close_attempt(number, nullptr, now);
    if (closed.number == 0) return;
    if (trouble_) {
        Trouble& t = *trouble_;
        if (number != t.first_of_round && t.hedges > 0) memory_.counters().add(Count::hedges_won);
        t.succeeded = true;
        t.unresolved = Effect::none;
        if (t.retries > 0) memory_.counters().add(Count::retries_helped);
    }
    settle_payments(closed, now);
    if (trouble_) cancel_all(now);
    settle(operation_.safety == Safety::once ? Effect::applied : Effect::none, now);
    report({.kind = EventKind::finished}, now);
}

// After a retry that helped, its cost is given back. A call pays a deposit if it succeeds at its first
// attempt or, with several places, at its first visit to one: else a place that only serves retries
// would never earn. A copy that wins at another place is treated as such a retry.
void Progress::settle_payments(const Racer& closed, TimePoint now) {
    const int retries = trouble_ ? trouble_->retries : 0;
    const bool copy_won =
        trouble_ && trouble_->hedges > 0 && closed.number != trouble_->first_of_round;
    // Budgets of the peers know no places: theirs count a retry that helped as they always do.
    const bool first_visit = closed.visit == Place::Visit::first &&
                             (retries == 0 || (closed.place && closed.place->budget()));
    if (!closed.place) {
        if (retries > 0) memory_.budget().on_late_success(trouble_->last_paid_milli);
        else memory_.budget().on_first_success(now);
        return;
    }
    int refund = retries > 0 ? trouble_->last_paid_milli : 0;
    if (trouble_ && trouble_->hedges > 0)
        operation_.places->race_ended(copy_won ? closed.place : nullptr);
    if (copy_won && first_visit) refund = milli_tokens(memory_.plan().hedge->cost);
    if (retries > 0 || refund > 0) memory_.budget().on_late_success(refund);
    if (first_visit) {
        if (retries > 0) memory_.note_first_visit();
        memory_.budget().on_first_success(now);
    }
    const Duration latency = now - std::max(closed.started, closed.connected);
    closed.place->succeeded(closed.visit, refund, latency, now);
}

void Progress::note_asked(const Place& place, Duration pause, TimePoint now) {
    Trouble& t = *trouble_;
    t.failed_place = &place.whole();
    if (pause <= Duration::zero() || pause == never) return;
    std::erase_if(t.asked, [&](const Trouble::Asked& one) { return one.place == t.failed_place; });
    t.asked.push_back({t.failed_place, after(now, pause)});
}

// Attempts under way whose outcome is no longer wanted.
void Progress::cancel_all(TimePoint now) {
    static const Failure unwanted{.cause = Cause::cancelled};
    while (latest_.number || (trouble_ && !trouble_->others.empty())) {
        const int number = latest_.number ? latest_.number : trouble_->others.back().number;
        trouble().to_cancel.push_back(number);
        close_attempt(number, &unwanted, now);
    }
}

void Progress::failed(int number, Failure failure, Effect nested, TimePoint now) {
    if (phase_ != Phase::attempting) return;
    Trouble& t = trouble();
    if (!t.first_start) t.first_start = latest_.started;
    if (operation_.safety == Safety::read) failure.effect = Effect::none;
    failure.effect = join(failure.effect, nested);
    const Racer closed = close_attempt(number, &failure, now);
    if (closed.number == 0) return;
    memory_.budget().on_failure(as_budgets_see(failure, closed.started, now), memory_);
    if (!t.first_cause) t.first_cause = failure.cause;
    if (closed.place) note_asked(*closed.place, failure.retry_after.value_or(never), now);

    const bool others_run = latest_.number || !t.others.empty();
    if (others_run && !failure.final_in_race) {
        t.unresolved = join(t.unresolved, failure.effect);
        t.last = std::move(failure);
        if (hedge_at_ != TimePoint::max()) hedge_at_ = now;  // no use in waiting for the first copy
        return;
    }
    // A copy that is called off may yet take effect.
    if (others_run && operation_.safety != Safety::read)
        t.unresolved = join(t.unresolved, Effect::unknown);
    cancel_all(now);
    conclude(std::move(failure), now);
}

void Progress::not_sent(int number, Failure failure, TimePoint now) {
    if (phase_ != Phase::attempting) return;
    const auto forget = [&](Racer& racer) {
        if (racer.number == number) racer.place = nullptr;
    };
    forget(latest_);
    for (Racer& racer : trouble().others) forget(racer);
    trouble_->failed_place = nullptr;
    failed(number, std::move(failure), Effect::none, now);
}

void Progress::partial(int number, Failure leftovers, TimePoint now) {
    failed(number, std::move(leftovers), Effect::none, now);
}

void Progress::prepared(Result<void> outcome, TimePoint now) {
    if (phase_ != Phase::preparing) return;
    Trouble& t = *trouble_;
    if (t.pending_stop != Stop::none) return finish(t.pending_stop, now);
    phase_ = Phase::starting;
    if (outcome) return;
    Failure failure = std::move(outcome.error());
    failure.effect = Effect::none;  // what failed is the preparation; the operation was not sent
    conclude(std::move(failure), now);
}

void Progress::give_slot_back(TimePoint now) noexcept {
    if (limiter_) limiter_->leave(now, Left::unused);
    if (breaker_) breaker_->withdraw(latest_.admission);
}

void Progress::cancelled(TimePoint now) {
    if (phase_ == Phase::finished) return;
    Trouble& t = trouble();
    const bool under_way = latest_.number || !t.others.empty();
    if (under_way && operation_.safety != Safety::read)
        t.unresolved = join(t.unresolved, Effect::unknown);
    if (!under_way && phase_ == Phase::slot_reserved) give_slot_back(now);
    if (phase_ == Phase::fresh) {  // every end has a beginning, for those who count both
        memory_.budget().on_start(now);
        report({.kind = EventKind::call_started}, now);
    }
    cancel_all(now);
    t.last = {.cause = Cause::cancelled, .effect = Effect::none, .origin = Origin::application};
    finish(Stop::cancelled, now);
}

void Progress::abandon() noexcept {
    const TimePoint now = latest_.started;
    if (phase_ != Phase::finished) {
        const auto give_back = [&](const Racer& racer) {
            if (breaker_) breaker_->withdraw(racer.admission);
            if (limiter_) limiter_->leave(now, Left::not_accepted);
        };
        if (latest_.number != 0) give_back(latest_);
        else if (phase_ == Phase::slot_reserved) give_slot_back(now);
        if (trouble_)
            for (const Racer& racer : trouble_->others) give_back(racer);
        const bool sent =
            latest_.number ||
            (trouble_ && (!trouble_->others.empty() || trouble_->unresolved != Effect::none));
        end_paid();
        if (phase_ != Phase::fresh) memory_.budget().on_end(now);
        if (setting_.parent && setting_.parent->link && sent && operation_.safety != Safety::read)
            setting_.parent->link->join(Effect::unknown);
    }
    delete trouble_;
}

}  // namespace v0
}  // namespace perdure
