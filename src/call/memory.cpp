// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr Duration learn_hedge_every = 1s;

Rule connect_rule(const Plan& plan) {
    Rule rule = plan.connect;
    // Who wants one attempt means it for connecting too.
    if (plan.rule.attempts == 1 && rule == Plan{}.connect) rule.attempts = 1;
    return rule;
}

// Fresh credentials help once, whatever the default rule says.
std::vector<NamedRule> with_standing_rules(const Plan& plan) {
    std::vector<NamedRule> rules = plan.rules;
    const auto named = [&](std::string_view name) {
        return std::ranges::any_of(rules, [&](const NamedRule& rule) { return rule.name == name; });
    };
    if (!named(to_string(Cause::credentials))) {
        Rule once = plan.rule;
        once.attempts = default_attempts(Cause::credentials, plan.rule.attempts);
        rules.push_back({std::string{to_string(Cause::credentials)}, once});
    }
    if (!named("connect")) rules.push_back({"connect", connect_rule(plan)});
    return rules;
}

std::string problems_of(const Plan& plan) {
    std::string text;
    for (const Finding& finding : validate(plan)) {
        if (finding.severity != Severity::problem) continue;
        if (!text.empty()) text += "; ";
        text += finding.field + ": " + finding.text;
    }
    return text;
}

bool learns_from_latencies(const Plan& plan) {
    return plan.learn_timeout || (plan.hedge && plan.hedge->after == Duration::zero());
}

Resolution resolution_of(const Plan& plan, Keeps keeps) {
    return keeps == Keeps::latencies || learns_from_latencies(plan) ? Resolution::buckets
                                                                    : Resolution::count_only;
}

}  // namespace

Memory::Memory(Plan plan, Keeps keeps)
    : plan_{std::move(plan)},
      rules_{with_standing_rules(plan_)},
      latencies_{resolution_of(plan_, keeps)},
      refusal_{problems_of(plan_)} {
    set_attempt_timeout(attempt_timeout_of(plan_));
    for (int cause = 0; cause < cause_count; ++cause)
        for (std::size_t i = 0; i < rules_.size(); ++i)
            if (rules_[i].name == to_string(static_cast<Cause>(cause)))
                by_cause_[static_cast<std::size_t>(cause)] = static_cast<std::uint16_t>(i + 1);
    // An unsound plan refuses every call, so what it would have built is never asked.
    const bool sound = refusal_.empty();
    budget_ = plan_.shared_budget ? plan_.shared_budget
                                  : make_budget(sound ? plan_.budget : BudgetOptions{},
                                                sound ? plan_.rule : Rule{});
    if (sound && plan_.limiter.kind != LimiterKind::none) {
        limiters_ = std::make_unique<Limiters>(plan_.limiter);
        limiter_ = limiters_->at("");
    }
    if (sound && plan_.breaker) {
        breakers_ = std::make_unique<Breakers>(*plan_.breaker);
        breaker_ = &breakers_->at("");
    }
    if (sound && plan_.learn_timeout) {
        learner_ = std::make_unique<TimeoutLearner>(*plan_.learn_timeout, attempt_timeout());
        set_attempt_timeout(learner_->timeout());
    }
    plain_ = sound && !limiter_ && !learner_ && !plan_.hedge && plan_.spread == Duration::zero() &&
             plan_.shortest_attempt == Duration::zero() && !budget_->wants_ends();
}

void Memory::set_attempt_timeout(Duration timeout) noexcept {
    const Duration most = plan_.deadline;
    const Duration limit =
        plan_.set_up > most - std::min(timeout, most) ? most : timeout + plan_.set_up;
    attempt_timeout_.store(timeout.count(), std::memory_order_relaxed);
    attempt_limit_.store(limit.count(), std::memory_order_relaxed);
}

// Work that ends at its deadline comes back a little after it: by a turn of the scheduler (a few
// milliseconds under load), or by the coarse timeout of its library.
Duration Memory::note_overrun(TimePoint started, TimePoint deadline, TimePoint now) noexcept {
    const Duration late = now - deadline;
    if (late <= std::max<Duration>(10ms, (deadline - started) / 10)) return {};
    counters_.add(Count::attempts_overran);
    return late;
}

Memory::RuleAt Memory::rule_for(const Failure& failure) const noexcept {
    std::size_t index = by_cause_[static_cast<std::size_t>(Cause{failure.cause})];
    if (!failure.rule.empty())
        for (std::size_t i = 0; i < rules_.size(); ++i)
            if (rules_[i].name == failure.rule) index = i + 1;
    if (index == 0) return {&plan_.rule, 0};
    const Rule& rule = rules_[index - 1].rule;
    return {&rule, rule.counting == Counting::shared ? 0 : index};
}

bool Memory::waits_to_connect() const noexcept {
    return rule_for({.cause = Cause::unavailable, .rule = "connect"}).rule->attempts == 0;
}

void Memory::look_at_latencies(TimePoint now, Random& random) noexcept {
    try {
        const auto learned =
            learner_->look(now, latencies_, counters_[Count::attempts_timed_out], random);
        if (learned) set_attempt_timeout(*learned);
    } catch (const std::bad_alloc&) {
        return;  // no call must fail over statistics
    }
}

std::optional<Duration> Memory::hedge_after(TimePoint now, Random& random) noexcept {
    if (!plan_.hedge) return std::nullopt;
    if (plan_.hedge->after > Duration::zero()) return plan_.hedge->after;
    Duration::rep learns_at = hedge_learns_at_.load(std::memory_order_relaxed);
    const auto next = [&] {
        return after(now, lengthened(learn_hedge_every, random.next())).time_since_epoch().count();
    };
    // One thread learns; the others go on with what was known.
    if (now.time_since_epoch().count() >= learns_at &&
        hedge_learns_at_.compare_exchange_strong(learns_at, next(), std::memory_order_relaxed)) {
        const Sketch seen = latencies_.snapshot();
        const auto delay =
            hedges_too_often(*plan_.hedge, counters_[Count::hedges_made], seen.count())
                ? std::nullopt
                : hedge_delay(*plan_.hedge, seen);
        hedge_after_.store(delay ? delay->count() : -1, std::memory_order_relaxed);
    }
    const Duration::rep delay = hedge_after_.load(std::memory_order_relaxed);
    if (delay < 0) return std::nullopt;
    return Duration{delay};
}

std::uint64_t Memory::first_successes() const noexcept {
    const std::uint64_t helped = counters_[Count::retries_helped];
    const std::uint64_t late = helped - std::min(helped, paid_in_elsewhere());
    const std::uint64_t all = latencies_.count();
    return (all > late ? all - late : 0) + items_done_.load(std::memory_order_relaxed);
}

}  // namespace v0
}  // namespace perdure
