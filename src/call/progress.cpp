// SPDX-License-Identifier: Apache-2.0
//
// Starting attempts and taking in how they ended. What follows from an end is in
// progress_decide.cpp.
#include "perdure/call/progress.hpp"

#include <limits>
#include <utility>

#include "trouble.hpp"

namespace perdure {
inline namespace v0 {

Trouble& Progress::trouble() {
    if (!trouble_) {
        trouble_ = new Trouble;
        trouble_->tallies.resize(memory_.tallies());
    }
    return *trouble_;
}

Duration Progress::resolve_reserve() const noexcept {
    const Plan& plan = memory_.plan();
    return std::min(plan.resolve_within, Deadline{deadline_}.left(started_) / 3);
}

TimePoint Progress::latest_start() const noexcept {
    return after(latest_end(), -memory_.plan().shortest_attempt);
}

bool Progress::one_attempt_only() const noexcept {
    return setting_.parent && operation_.nested == Nested::one_attempt;
}

Step Progress::advance(TimePoint now) {
    for (;;) {
        if (trouble_ && !trouble_->to_cancel.empty()) {
            const int number = trouble_->to_cancel.back();
            trouble_->to_cancel.pop_back();
            return {.kind = StepKind::cancel, .number = number};
        }
        switch (phase_) {
            case Phase::fresh: begin(now); break;
            case Phase::waiting:
                if (now < wake_) return {.kind = StepKind::wait, .until = wake_};
                report({.kind = EventKind::woken, .wait = now - wake_}, now);
                phase_ = trouble_ && !trouble_->remedies.empty() && operation_.prepare
                             ? Phase::preparing
                             : Phase::starting;
                break;
            case Phase::preparing:
                report({.kind = EventKind::preparing, .remedies = trouble_->remedies}, now);
                return {.kind = StepKind::prepare,
                        .number = attempts_ + 1,
                        .until = deadline_,
                        .remedies = trouble_->remedies,
                        .endpoint = trouble_->endpoint};
            case Phase::starting: start_attempt(now); break;
            case Phase::slot_reserved:
                if (now < wake_) return {.kind = StepKind::wait, .until = wake_};
                if (now < latest_start()) return launch(now);
                give_slot_back(now);  // overslept
                give_up(Stop::deadline, now);
                break;
            case Phase::attempting:
                if (Step step = watch_attempts(now); step.kind != StepKind::finish) return step;
                break;
            case Phase::waiting_to_ask:
                if (now < wake_) return {.kind = StepKind::wait, .until = wake_};
                phase_ = Phase::asking;
                break;
            case Phase::asking:
                if (now >= deadline_) {
                    stay_unknown(now);
                    break;
                }
                memory_.counters().add(Count::resolver_asked);
                report({.kind = EventKind::asking}, now);
                return {.kind = StepKind::ask, .number = attempts_, .until = deadline_};
            case Phase::finished: return {.kind = StepKind::finish};
        }
    }
}

void Progress::begin(TimePoint now) {
    memory_.budget().on_start(now);
    report({.kind = EventKind::call_started}, now);
    if (setting_.parent) deadline_ = std::min(deadline_, setting_.parent->deadline.at());
    if (!memory_.refusal().empty())
        return refuse(Stop::permanent,
                      {.cause = Cause::invalid,
                       .origin = Origin::application,
                       .code = "invalid-plan",
                       .message = memory_.refusal()},
                      now);
    phase_ = Phase::starting;
    if (memory_.plan().spread > Duration::zero()) {
        const double share = setting_.random->next();
        wake_ = after(now, std::chrono::duration_cast<Duration>(
                               std::min(memory_.plan().spread, never / 2) * share));
        if (wake_ >= latest_start()) wake_ = now;  // spreading must not cost the call
        report({.kind = EventKind::waiting, .wait = wake_ - now}, now);
        phase_ = Phase::waiting;
    }
}

void Progress::start_attempt(TimePoint now) {
    if (now >= latest_start()) return give_up(Stop::deadline, now);
    // An unlimited rule without delays could get here; no attempt has a number beyond this one.
    if (attempts_ == std::numeric_limits<int>::max()) return give_up(Stop::attempts, now);
    latest_.admission = breaker_ ? breaker_->admit(now, *setting_.random) : Admission::admitted;
    if (latest_.admission == Admission::refused) return give_up(Stop::breaker, now);
    wake_ = now;
    if (Limiter* limiter = memory_.limiter()) {
        const Entry entry = limiter->enter(now, latest_start());
        if (entry.kind == Entry::Kind::refused) {
            if (breaker_) breaker_->withdraw(latest_.admission);
            return give_up(Stop::limited, now);
        }
        if (entry.kind == Entry::Kind::later) wake_ = entry.at;
    }
    phase_ = Phase::slot_reserved;
}

Step Progress::launch(TimePoint now) {
    const bool hedge = phase_ == Phase::attempting;
    latest_.number = ++attempts_;
    latest_.started = now;
    latest_.deadline = std::min(after(now, memory_.attempt_timeout()), latest_end());
    phase_ = Phase::attempting;
    Step step{.kind = StepKind::attempt, .number = attempts_, .until = latest_.deadline};
    if (trouble_) {
        Trouble& t = *trouble_;
        if (!t.first_start) t.first_start = now;
        step.remedies = std::exchange(t.remedies, {});
        step.endpoint = hedge ? ++t.endpoint : t.endpoint;
        if (!hedge) t.first_of_round = attempts_;
        if (!hedge && std::exchange(t.retrying, false)) {
            ++t.retries;
            memory_.counters().add(Count::retries_made);
        }
    }
    const auto& options = memory_.plan().hedge;
    hedge_at_ = TimePoint::max();
    if (options && setting_.driving == Driving::concurrent &&
        may_hedge(options->what, operation_.safety)) {
        const int sent = hedge ? trouble_->hedges : 0;
        const auto delay = memory_.hedge_after(now);
        if (delay && sent < options->extra)
            hedge_at_ =
                after(now, hedge && options->step > Duration::zero() ? options->step : *delay);
    }
    report({.kind = hedge ? EventKind::hedge_started : EventKind::attempt_started,
            .number = attempts_},
           now);
    return step;
}

// A step to take, or `finish` for "look again": an attempt was cut off and the phase has changed.
Step Progress::watch_attempts(TimePoint now) {
    const int before = attempts_;
    cut_off_late(now);
    if (phase_ != Phase::attempting || (trouble_ && !trouble_->to_cancel.empty()) ||
        before != attempts_)
        return {};
    if (now >= hedge_at_ && hedge_now(now)) return launch(now);
    TimePoint until = std::min(latest_.number ? latest_.deadline : TimePoint::max(), hedge_at_);
    if (trouble_)
        for (const Racer& racer : trouble_->others) until = std::min(until, racer.deadline);
    return {.kind = StepKind::wait, .until = until};
}

// Copies are a kindness, not a need: whoever refuses only suppresses the copy.
bool Progress::hedge_now(TimePoint now) {
    hedge_at_ = TimePoint::max();
    const int cost = milli_tokens(memory_.plan().hedge->cost);
    const Admission admission =
        breaker_ ? breaker_->admit(now, *setting_.random) : Admission::admitted;
    if (admission == Admission::refused) return false;
    Limiter* limiter = memory_.limiter();
    if (now >= latest_start() || attempts_ == std::numeric_limits<int>::max() ||
        (limiter && limiter->enter(now, now).kind != Entry::Kind::admitted)) {
        if (breaker_) breaker_->withdraw(admission);
        return false;
    }
    if (!memory_.budget().try_withdraw(cost, now, memory_)) {
        if (limiter) limiter->leave(now);
        if (breaker_) breaker_->withdraw(admission);
        memory_.counters().add(Count::retries_refused);
        return false;
    }
    Trouble& t = trouble();
    if (latest_.number) t.others.push_back(latest_);
    latest_.admission = admission;
    ++t.hedges;
    memory_.counters().add(Count::hedges_made);
    return true;
}

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

// Takes an attempt off the list of those under way and tells everyone who keeps count. False when
// it is not on the list: the loser of a race, or one cut off earlier, that answers late.
bool Progress::close_attempt(int number, const Failure* failure, TimePoint now) {
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
    if (closed.number == 0) return false;
    const Duration took = now - closed.started;
    if (Limiter* limiter = memory_.limiter()) limiter->leave(now);
    if (breaker_) {
        if (failure && failure->cause == Cause::cancelled) breaker_->withdraw(closed.admission);
        else if (failure && counts_against_service(failure->cause))
            breaker_->record_failure(now, closed.admission);
        else breaker_->record_success(now, took, closed.admission);
    }
    if (failure && failure->cause == Cause::timed_out)
        memory_.counters().add(Count::attempts_timed_out);
    if (!failure) memory_.latencies().record(took);
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
    return true;
}

void Progress::succeeded_with_care(int number, TimePoint now) {
    if (phase_ != Phase::attempting || !close_attempt(number, nullptr, now)) return;
    if (trouble_) {
        Trouble& t = *trouble_;
        if (number != t.first_of_round && t.hedges > 0) memory_.counters().add(Count::hedges_won);
        t.succeeded = true;
        t.unresolved = Effect::none;
        if (t.retries > 0) {
            memory_.counters().add(Count::retries_helped);
            memory_.budget().on_late_success(t.last_cost_milli);
        }
        cancel_all(now);
    }
    if (!trouble_ || trouble_->retries == 0) memory_.budget().on_first_success(now);
    settle(operation_.safety == Safety::once ? Effect::applied : Effect::none, now);
    report({.kind = EventKind::finished}, now);
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
    if (!close_attempt(number, &failure, now)) return;
    memory_.budget().on_failure(failure.cause);
    if (!t.first_cause) t.first_cause = failure.cause;

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
    if (Limiter* limiter = memory_.limiter()) limiter->leave(now);
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
            if (Limiter* limiter = memory_.limiter()) limiter->leave(now);
        };
        const bool latest_out = latest_.number != 0 || phase_ == Phase::slot_reserved;
        if (latest_out) give_back(latest_);
        if (trouble_)
            for (const Racer& racer : trouble_->others) give_back(racer);
        const bool sent =
            latest_.number ||
            (trouble_ && (!trouble_->others.empty() || trouble_->unresolved != Effect::none));
        if (phase_ != Phase::fresh) memory_.budget().on_end(now);
        if (setting_.parent && setting_.parent->link && sent && operation_.safety != Safety::read)
            setting_.parent->link->join(Effect::unknown);
    }
    delete trouble_;
}

}  // namespace v0
}  // namespace perdure
