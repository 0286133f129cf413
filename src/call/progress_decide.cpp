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

namespace {

// Where neither the plan nor the call has a deadline.
constexpr Duration connect_without_deadline = 30s;
constexpr Duration ask_without_deadline = 5min;

}  // namespace

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
    const bool final = !is_repeatable(t.last.cause) || t.last.retry_after == never;
    if (!final || t.last.cause == Cause::cancelled) return Insisted::no;
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
    // Plan::connect is the only rule that may have no end of its own.
    if (rule.attempts == 0 && rule.window == never && deadline_ == TimePoint::max())
        rule.window = connect_without_deadline;
    if (tally.attempts < std::numeric_limits<int>::max()) ++tally.attempts;
    if (!tally.first_failure) tally.first_failure = now;

    const Decision decision = decide_and_pay({rule, tally, insisted}, now);
    if (decision.stop == Stop::budget) memory_.counters().add(Count::retries_refused);
    if (decision.stop != Stop::none) return give_up(decision.stop, now);
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
    return operation_.places && (last.remedies.has(Remedy::next_endpoint) ||
                                 (counts_against_service(last.cause) && trouble_->failed_place));
}

// Where the next place is known to be ill and this one is not, its failure was a stray one.
bool Progress::better_here(TimePoint now) {
    const Trouble& t = *trouble_;
    return counts_against_service(t.last.cause) &&
           !operation_.places->at(t.endpoint, now).marked(now) &&
           operation_.places->at(t.endpoint + 1, now).marked(now);
}

Decision Progress::decide_for(const Question& asked, int endpoint, TimePoint now) {
    const Trouble& t = *trouble_;
    Situation at{.now = now,
                 .latest_start = latest_start(),
                 .safety = operation_.safety,
                 .unresolved = t.unresolved,
                 .insisted = asked.insisted,
                 .attempts_under_rule = asked.tally.attempts,
                 .rule_age = now - *asked.tally.first_failure,
                 .rule_waited = asked.tally.waited,
                 .last_start = latest_.started - *t.first_start,
                 .series = asked.tally.series};
    if (operation_.places) {
        const Place& place = operation_.places->at(endpoint, now);
        if (!been_at(place) && !place.marked(now)) at.goes = Goes::fresh;
        else if (&place.whole() != t.failed_place) at.goes = Goes::back;
        at.asked_there = asked_by(place, now);
    }
    return decide(asked.rule, t.last, at, *setting_.random);
}

std::optional<Duration> Progress::asked_by(const Place& place, TimePoint now) const {
    for (const Trouble::Asked& one : trouble_->asked)
        if (one.place == &place.whole() && one.until > now) return one.until - now;
    return std::nullopt;
}

// The best place that has not asked to be left alone; if all have, the best.
int Progress::first_candidate(int from, int end, TimePoint now) {
    if (trouble_->asked.empty()) return from;
    for (int endpoint = from; endpoint < end; ++endpoint)
        if (!asked_by(operation_.places->at(endpoint, now), now)) return endpoint;
    return from;
}

// At the dependency, and at the place it goes to, which is chosen here.
Decision Progress::decide_and_pay(const Question& asked, TimePoint now) {
    Trouble& t = *trouble_;
    const bool moves = wants_another_place() && !better_here(now);
    const int from = moves ? t.endpoint + 1 : t.endpoint;
    const int end = from + (moves ? std::max(operation_.places->count(now), 1) : 1);
    const int first = moves ? first_candidate(from, end, now) : from;
    Decision decision = decide_for(asked, first, now);
    if (decision.stop != Stop::none) return decision;
    const int cost = decision.cost_milli;
    if (cost > 0 && !memory_.budget().try_withdraw(cost, now, memory_))
        return {.stop = Stop::budget};
    if (operation_.places) {
        decision = choose_place(asked, decision, {first, end}, now);
        if (decision.stop != Stop::none) memory_.budget().give_back(cost);
    } else if (decision.remedies.has(Remedy::next_endpoint)) {
        ++t.endpoint;
    }
    if (decision.stop == Stop::none && cost > 0) {
        ++t.paid;
        t.last_paid_milli = cost;
    }
    return decision;
}

// The first candidate that can pay its part. Another one than was decided about has its own wait.
Decision Progress::choose_place(const Question& asked, const Decision& decided, Candidates among,
                                TimePoint now) {
    const int cost = decided.cost_milli;
    int chosen = among.first;
    const auto place = [&]() -> Place& { return operation_.places->at(chosen, now); };
    // Where no other can pay, perhaps the one where the call is can.
    const int here = trouble_->endpoint;
    const bool may_stay = counts_against_service(trouble_->last.cause);
    while (cost > 0 && !place().pay_here(cost, memory_.budget(), now)) {
        if (chosen == here) return {.stop = Stop::budget};
        if (++chosen < among.end) continue;
        if (!may_stay) return {.stop = Stop::budget};
        chosen = here;
    }
    Decision decision = chosen == among.first ? decided : decide_for(asked, chosen, now);
    if (decision.stop == Stop::none) trouble_->endpoint = chosen;
    else if (cost > 0) place().give_back(cost);
    return decision;
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
    if (failure.cause == Cause::cancelled) return finish(Stop::cancelled, now);
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
    if (deadline_ == TimePoint::max() &&
        delay > ask_without_deadline - (now - *tally.first_failure))
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
        Cause cause = Cause::unavailable;
        if (stop == Stop::deadline) cause = Cause::timed_out;
        if (stop == Stop::limited) cause = Cause::exhausted;
        return refuse(stop,
                      {.cause = cause,
                       .effect = Effect::none,
                       .origin = Origin::application,
                       .message = "not attempted"},
                      now);
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
