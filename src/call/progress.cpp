// SPDX-License-Identifier: Apache-2.0
//
// From one step to the next: waiting, preparing, starting attempts and copies. How attempts end is in
// progress_ends.cpp, what follows from it in progress_decide.cpp.
#include "perdure/call/progress.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "trouble.hpp"

namespace perdure {
inline namespace v0 {

Trouble& Progress::trouble() {
    if (!trouble_) {
        trouble_ = new Trouble;
        trouble_->tallies.resize(memory_.tallies());
        if (latest_.place) trouble_->been.push_back(&latest_.place->whole());
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
    if (setting_.parent) deadline_ = std::min(deadline_, setting_.parent->deadline.at());
    report({.kind = EventKind::call_started, .allowed = Deadline{deadline_}.left(started_)}, now);
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
    latest_.admission = breaker_ ? breaker_->admit(now, *setting_.random) : Admission{};
    if (latest_.admission.kind == Admission::refused) return give_up(Stop::breaker, now);
    wake_ = now;
    if (limiter_) {
        const Entry entry = limiter_->enter(now, latest_start());
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
    latest_.connected = TimePoint::min();
    memory_.learn_timeout(now, *setting_.random);
    latest_.deadline = std::min(after(now, attempt_limit()), latest_end());
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
    if (operation_.places) take_place(step.endpoint, now);
    const auto& options = memory_.plan().hedge;
    hedge_at_ = TimePoint::max();
    if (options && setting_.driving == Driving::concurrent &&
        operation_.copies == Copies::as_planned && may_hedge(options->what, operation_.safety)) {
        const int sent = hedge ? trouble_->hedges : 0;
        const auto delay = memory_.hedge_after(now, *setting_.random);
        if (delay && sent < options->extra)
            hedge_at_ =
                after(now, hedge && options->step > Duration::zero() ? options->step : *delay);
    }
    report({.kind = hedge ? EventKind::hedge_started : EventKind::attempt_started,
            .number = attempts_,
            .allowed = attempt_timeout(),
            .place = memory_.plan().place},
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
    if (operation_.places && operation_.places->at(copy_endpoint(), now).marked(now)) return false;
    const Admission admission = breaker_ ? breaker_->admit(now, *setting_.random) : Admission{};
    if (admission.kind == Admission::refused) return false;
    if (now >= latest_start() || attempts_ == std::numeric_limits<int>::max() ||
        (limiter_ && limiter_->enter(now, now).kind != Entry::Kind::admitted)) {
        if (breaker_) breaker_->withdraw(admission);
        return false;
    }
    if (!pay_for_copy(now)) {
        if (limiter_) limiter_->leave(now, Left::unused);
        if (breaker_) breaker_->withdraw(admission);
        memory_.counters().add(Count::retries_refused);
        return false;
    }
    Trouble& t = trouble();
    if (!t.first_start) t.first_start = latest_.started;  // the copy is not the call's first
    if (latest_.number) t.others.push_back(latest_);
    latest_.admission = admission;
    ++t.hedges;
    ++t.paid;
    memory_.counters().add(Count::hedges_made);
    return true;
}

bool Progress::pay_for_copy(TimePoint now) {
    const int cost = milli_tokens(memory_.plan().hedge->cost);
    if (!operation_.places) return memory_.budget().try_withdraw(cost, now, memory_);
    return operation_.places->at(copy_endpoint(), now).pay(cost, memory_.budget(), memory_, now);
}

int Progress::copy_endpoint() const noexcept { return trouble_ ? trouble_->endpoint + 1 : 1; }

// Where the latest attempt goes, and whether the call has been there.
void Progress::take_place(int endpoint, TimePoint now) {
    latest_.place = &operation_.places->at(endpoint, now);
    latest_.place->visit(now, *setting_.random);
    latest_.visit = been_at(*latest_.place) ? Place::Visit::again : Place::Visit::first;
    if (trouble_ && latest_.visit == Place::Visit::first)
        trouble_->been.push_back(&latest_.place->whole());
}

bool Progress::been_at(const Place& place) const {
    return trouble_ && std::ranges::find(trouble_->been, &place.whole()) != trouble_->been.end();
}

}  // namespace v0
}  // namespace perdure
