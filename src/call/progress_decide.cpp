// SPDX-License-Identifier: Apache-2.0
//
// What follows from a failure: the order of one decision, asking whether it landed, and the end.
#include <algorithm>
#include <limits>
#include <utility>

#include "perdure/call/diagnostics.hpp"
#include "perdure/call/progress.hpp"
#include "trouble.hpp"

namespace perdure {
inline namespace v0 {

void Progress::conclude(Failure failure, TimePoint now) {
    Trouble& t = *trouble_;
    t.unresolved = failure.settles_earlier ? failure.effect : join(t.unresolved, failure.effect);
    // Another dependency's remedies are applied there, by its own nested call.
    if (!failure.dependency.empty() && failure.dependency != memory_.plan().name)
        failure.remedies = {};
    t.last = std::move(failure);
    t.hedges = 0;
    t.asked_in_vain = false;
    end_paid();
    if (must_ask(now)) phase_ = Phase::asking;
    else decide_next(now);
}

bool Progress::must_ask(TimePoint now) const {
    const Trouble& t = *trouble_;
    if (setting_.resolver == Resolver::none || t.unresolved == Effect::none || now >= deadline_)
        return false;
    if (t.last.cause == Cause::cancelled) return false;
    return operation_.safety == Safety::once ||
           (operation_.safety == Safety::guarded && t.last.cause == Cause::conflict);
}

// Whether the operation itself wants a failure repeated that the table calls final.
Insisted Progress::insists(Effect unresolved) {
    Trouble& t = *trouble_;
    if (is_repeatable(t.last.cause) || t.last.cause == Cause::cancelled) return Insisted::no;
    if (operation_.also_repeat.when && operation_.also_repeat.when(t.last)) return Insisted::yes;
    if (!operation_.amend || unresolved != Effect::none) return Insisted::no;
    // A request that is still refused after as many changes as attempts is not going to fit.
    if (++t.amended > std::max(memory_.plan().rule.attempts, 4)) return Insisted::no;
    return operation_.amend(t.last) ? Insisted::yes : Insisted::no;
}

void Progress::decide_next(TimePoint now) {
    Trouble& t = *trouble_;
    const Insisted insisted = insists(t.unresolved);
    // Progress was made: every series begins anew. A batch that moves may meet many troubles on its way.
    if (t.last.advanced) std::ranges::fill(t.tallies, Tally{});
    const auto [named, index] = memory_.rule_for(t.last);
    Rule rule = insisted == Insisted::yes ? memory_.plan().rule : *named;
    Tally& tally = insisted == Insisted::yes ? t.also : t.tallies[index];
    if (insisted == Insisted::yes && operation_.also_repeat.attempts > 0)
        rule.attempts = operation_.also_repeat.attempts;
    if (one_attempt_only()) rule = {.attempts = 1};
    if (t.last.advanced) tally = {};
    if (t.last.advanced) rule.cost = 0;
    if (tally.attempts < std::numeric_limits<int>::max()) ++tally.attempts;
    if (!tally.first_failure) tally.first_failure = now;

    Decision decision =
        decide(rule, t.last,
               {.now = now,
                .latest_start = latest_start(),
                .safety = operation_.safety,
                .unresolved = t.unresolved,
                .insisted = insisted,
                .elsewhere = wants_another_place() && operation_.places->has_fresh(now),
                .attempts_under_rule = tally.attempts,
                .rule_age = now - *tally.first_failure,
                .rule_waited = tally.waited,
                .last_start = latest_.started - *t.first_start,
                .series = tally.series},
               *setting_.random);
    if (decision.stop != Stop::none) return give_up(decision.stop, now);
    if (!pay_for_retry(decision, rule, now)) {
        memory_.counters().add(Count::retries_refused);
        return give_up(Stop::budget, now);
    }
    tally.series = decision.series;
    tally.waited += decision.delay;
    t.remedies |= decision.remedies;
    t.retrying = true;
    wake_ = after(now, decision.delay);
    phase_ = Phase::waiting;
    report({.kind = EventKind::waiting, .number = attempts_, .wait = decision.delay}, now);
}

// What a place did wrong, another may do right.
bool Progress::wants_another_place() const {
    const Failure& last = trouble_->last;
    return operation_.places &&
           (last.remedies.has(Remedy::next_endpoint) || counts_against_service(last.cause));
}

// At the dependency, and at the place it goes to, which is chosen here.
bool Progress::pay_for_retry(Decision& decision, const Rule& rule, TimePoint now) {
    Trouble& t = *trouble_;
    const int cost = decision.cost_milli;
    if (cost > 0 && !memory_.budget().try_withdraw(cost, now, memory_)) return false;
    if (operation_.places) {
        if (!choose_place(decision, rule, now)) {
            memory_.budget().give_back(cost);
            return false;
        }
    } else if (decision.remedies.has(Remedy::next_endpoint)) {
        ++t.endpoint;
    }
    if (cost == 0) return true;
    ++t.paid;
    t.last_paid_milli = cost;
    return true;
}

// The first candidate that can pay its part.
bool Progress::choose_place(Decision& decision, const Rule& rule, TimePoint now) {
    Trouble& t = *trouble_;
    const int cost = decision.cost_milli;
    const bool moves = wants_another_place();
    const int first = moves ? t.endpoint + 1 : t.endpoint;
    const int end = first + (moves ? std::max(operation_.places->count(now), 1) : 1);
    int chosen = first;
    while (cost > 0 && !operation_.places->at(chosen, now).pay_here(cost, memory_.budget(), now))
        if (++chosen == end) return false;
    // Elsewhere than at the place that needs no wait.
    if (chosen != first && decision.delay == Duration::zero())
        decision.delay = next_delay(rule.backoff, decision.series, *setting_.random);
    t.endpoint = chosen;
    return true;
}

void Progress::landed(Verdict verdict, Duration ask_again_after, TimePoint now) {
    if (phase_ != Phase::asking) return;
    Trouble& t = *trouble_;
    report({.kind = EventKind::landed, .verdict = verdict}, now);
    switch (verdict) {
        case Verdict::yes:
            memory_.counters().add(Count::resolved_yes);
            t.succeeded = true;
            settle(operation_.safety == Safety::once ? Effect::applied : Effect::none, now);
            return report({.kind = EventKind::finished}, now);
        case Verdict::no:
            memory_.counters().add(Count::resolved_no);
            // The service itself said yes; a resolver that sees nothing cannot make it safe.
            if (t.unresolved == Effect::applied && operation_.safety == Safety::once)
                return finish(Stop::unsafe, now);
            t.unresolved = Effect::none;
            if (t.pending_stop != Stop::none) return finish(t.pending_stop, now);
            return decide_next(now);
        case Verdict::pending: return ask_again(ask_again_after, now);
        case Verdict::unknown: return stay_unknown(now);
    }
}

void Progress::resolver_failed(const Failure& failure, TimePoint now) {
    if (phase_ != Phase::asking) return;
    if (failure.settles_earlier && failure.effect != Effect::unknown)
        return settle_as(failure, now);
    if (!is_repeatable(failure.cause) || failure.retry_after == never) return stay_unknown(now);
    ask_again(failure.retry_after.value_or(Duration::zero()), now);
}

// The outcome is known, and it is a failure: of this call, not of the question.
void Progress::settle_as(const Failure& failure, TimePoint now) {
    Trouble& t = *trouble_;
    t.last = failure;
    t.unresolved = failure.effect;
    t.asked_in_vain = true;  // there is nothing left to find out
    if (t.pending_stop != Stop::none) return finish(t.pending_stop, now);
    decide_next(now);
}

void Progress::ask_again(Duration at_least, TimePoint now) {
    Tally& tally = trouble_->resolve;
    const Rule& rule = memory_.plan().resolve;
    ++tally.attempts;
    if (!tally.first_failure) tally.first_failure = now;
    if (rule.attempts > 0 && tally.attempts >= rule.attempts) return stay_unknown(now);
    Duration delay = std::max(next_delay(rule.backoff, tally.series, *setting_.random), at_least);
    if (outside_window(rule, now - *tally.first_failure, tally.waited, delay))
        return stay_unknown(now);
    // A wait that would end after the deadline is shortened, so that the last seconds are used too.
    const Duration left = Deadline{deadline_}.left(now);
    if (delay >= left) {
        delay = std::max(left / 2, at_least);
        if (delay >= left || delay < std::max<Duration>(rule.backoff.base, 1ms))
            return stay_unknown(now);
    }
    wake_ = after(now, delay);
    tally.waited += delay;
    phase_ = Phase::waiting_to_ask;
}

void Progress::stay_unknown(TimePoint now) {
    Trouble& t = *trouble_;
    t.asked_in_vain = true;
    if (t.pending_stop != Stop::none) return finish(t.pending_stop, now);
    decide_next(now);
}

// The last chance to learn the outcome, whatever the reason to stop. A nested call also applies its
// remedies now, for the retry that the owner of the retries may make.
void Progress::give_up(Stop stop, TimePoint now) {
    Trouble& t = trouble();
    if (!t.first_cause) {
        Failure failure{.cause = stop == Stop::deadline ? Cause::timed_out : Cause::unavailable,
                        .effect = Effect::none,
                        .origin = Origin::application};
        if (stop == Stop::limited) failure.cause = Cause::exhausted;
        failure.message = "not attempted";
        return refuse(stop, std::move(failure), now);
    }
    t.pending_stop = stop;
    const bool may_ask = setting_.resolver == Resolver::given && t.unresolved != Effect::none &&
                         operation_.safety != Safety::read && stop != Stop::cancelled &&
                         now < deadline_;
    if (may_ask && !t.asked_in_vain) {
        phase_ = Phase::asking;
    } else if (one_attempt_only() && !t.last.remedies.empty() && operation_.prepare &&
               now < deadline_) {
        t.remedies = t.last.remedies;
        phase_ = Phase::preparing;
    } else {
        finish(stop, now);
    }
}

void Progress::refuse(Stop stop, Failure failure, TimePoint now) {
    Trouble& t = trouble();
    t.first_cause = failure.cause;
    t.last = std::move(failure);
    finish(stop, now);
}

void Progress::finish(Stop stop, TimePoint now) {
    Trouble& t = *trouble_;
    t.last.effect = t.unresolved;
    t.last.stop = stop;
    t.last.attempts = attempts_;
    t.last.elapsed = now - started_;
    t.last.first_cause = t.first_cause.value_or(t.last.cause);
    if (t.last.dependency.empty()) t.last.dependency = memory_.plan().name;
    memory_.counters().add(Count::calls_failed);
    if (t.retries > 0) memory_.counters().add(Count::retries_wasted);
    if (t.unresolved == Effect::unknown) memory_.counters().add(Count::unknown_outcomes);
    settle(t.unresolved, now);
    report({.kind = EventKind::finished, .number = attempts_, .failure = &t.last, .stop = stop},
           now);
}

void Progress::end_paid() noexcept {
    if (trouble_) memory_.budget().on_retries_over(std::exchange(trouble_->paid, 0));
}

// The call is over; what it did to the world belongs to the attempt it was nested in.
void Progress::settle(Effect effect, TimePoint now) {
    phase_ = Phase::finished;
    end_paid();
    memory_.budget().on_end(now);
    if (setting_.parent && setting_.parent->link) setting_.parent->link->join(effect);
}

Failure Progress::take_failure() { return std::move(trouble_->last); }

void Progress::report(Event event, TimePoint now) const {
    if (!setting_.observer && !operation_.diagnostics) return;
    event.dependency = memory_.plan().name;
    event.operation = operation_.name;
    event.at = now;
    event.elapsed = now - started_;
    event.budget_milli_left = memory_.budget().milli_left();
    if (operation_.diagnostics) operation_.diagnostics->note(event);
    if (setting_.observer) setting_.observer->on_event(event);
}

}  // namespace v0
}  // namespace perdure
