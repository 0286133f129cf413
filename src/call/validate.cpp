// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "perdure/call/plan.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Collects findings; every check runs, so that one look shows all of them.
class Findings {
public:
    void problem(bool wrong, std::string field, std::string text) {
        if (wrong) found_.push_back({Severity::problem, std::move(field), std::move(text)});
    }
    void warning(bool doubtful, std::string field, std::string text) {
        if (doubtful) found_.push_back({Severity::warning, std::move(field), std::move(text)});
    }
    std::vector<Finding> take() { return std::move(found_); }

private:
    std::vector<Finding> found_;
};

bool outside(double value, double low, double high) { return !(value >= low && value <= high); }

void check_backoff(Findings& found, const std::string& at, const Backoff& backoff) {
    found.problem(backoff.base < Duration::zero(), at + ".base",
                  "is negative; a delay starts at zero");
    found.problem(backoff.cap < backoff.base, at + ".cap",
                  "is below the base; the cap is the longest delay");
    found.problem(outside(backoff.factor, 1, 1e6), at + ".factor",
                  "must lie between 1 and 1000000");
    found.problem(outside(backoff.jitter.low, 0, 10) || outside(backoff.jitter.high, 0, 10) ||
                      backoff.jitter.low > backoff.jitter.high,
                  at + ".jitter", "needs 0 ≤ low ≤ high ≤ 10");
    found.problem(backoff.skip < 0, at + ".skip", "is negative");
    found.problem(backoff.plus < Duration::zero(), at + ".plus", "is negative");
    found.warning(backoff.base > Duration::zero() && backoff.jitter.low == backoff.jitter.high,
                  at + ".jitter", "is off: clients that fail together come back together");
    found.warning(
        backoff.cap_place == CapPlace::outside_jitter, at + ".cap_place",
        "lies outside the jitter: every client that has reached the cap waits exactly the cap");
}

void check_rule(Findings& found, const std::string& at, const Rule& rule, Duration deadline) {
    found.problem(rule.attempts < 0, at + ".attempts",
                  "is negative; 1 is a single attempt, 0 means no limit");
    found.problem(rule.window < Duration::zero(), at + ".window", "is negative");
    found.problem(rule.not_before_giving_up < Duration::zero(), at + ".not_before_giving_up",
                  "is negative");
    found.problem(rule.cost && outside(*rule.cost, 0, 1e6), at + ".cost",
                  "must lie between 0 and 1000000 tokens");
    found.problem(rule.hint.by < Duration::zero(), at + ".hint.by", "is negative");
    found.warning(rule.not_before_giving_up > deadline, at + ".not_before_giving_up",
                  "lies behind the deadline, so it is never reached");
    check_backoff(found, at + ".backoff", rule.backoff);
}

constexpr const char* endless =
    "nothing ends it: no attempts, no window and no deadline; set one of them";

bool is_endless(const Rule& rule, Duration deadline) {
    return rule.attempts == 0 && rule.window == never && deadline == never;
}

void check_repeating_rule(Findings& found, const std::string& at, const Rule& rule,
                          Duration deadline) {
    check_rule(found, at, rule, deadline);
    found.problem(is_endless(rule, deadline), at + ".attempts", endless);
}

// A warning only: calls may have deadlines of their own, and most have no resolver.
void check_resolve_rule(Findings& found, const Plan& plan) {
    check_rule(found, "resolve", plan.resolve, plan.deadline);
    found.warning(is_endless(plan.resolve, plan.deadline), "resolve.attempts", endless);
}

// Whether an outage makes it repeat anything.
bool repeats(const Plan& plan) {
    const auto more_than_once = [](const Rule& rule) {
        return rule.attempts != 1 || rule.not_before_giving_up > Duration::zero();
    };
    return plan.hedge || more_than_once(plan.rule) ||
           std::ranges::any_of(plan.rules,
                               [&](const auto& named) { return more_than_once(named.rule); });
}

void check_budget(Findings& found, const Plan& plan) {
    const BudgetOptions& budget = plan.budget;
    found.problem(outside(budget.deposit, 0, 1e6), "budget.deposit",
                  "must lie between 0 and 1000000 tokens");
    found.problem(outside(budget.capacity, 0, 1e6), "budget.capacity",
                  "must lie between 0 and 1000000 tokens");
    found.problem(outside(budget.per_second, 0, 1e6), "budget.per_second",
                  "must lie between 0 and 1000000 tokens");
    found.problem(outside(budget.least, 0, 1e6), "budget.least", "must lie between 0 and 1000000");
    found.problem(outside(budget.per_caught, 0, 100), "budget.per_caught",
                  "must lie between 0 and 100 retries");
    found.problem(budget.remembers <= Duration::zero(), "budget.remembers",
                  "must be longer than zero");
    found.warning(budget.kind == BudgetKind::none && repeats(plan), "budget.kind",
                  "is off: in an outage every call is made as often as the rules allow");
    found.warning(budget.kind == BudgetKind::requests && budget.deposit == 0 &&
                      budget.per_second == 0,
                  "budget.deposit", "and per_second are zero: nothing is ever retried");
    found.warning(budget.kind == BudgetKind::in_flight && budget.deposit == 0 && budget.least < 1,
                  "budget.deposit", "is zero and least is below one: nothing is ever retried");
}

void check_guards(Findings& found, const Plan& plan) {
    if (plan.limiter.kind == LimiterKind::rate) {
        found.problem(outside(plan.limiter.per_second, 1e-6, 1e9), "limiter.per_second",
                      "must lie between 0.000001 and 1e9");
        found.problem(outside(plan.limiter.burst, 1, 1e9), "limiter.burst",
                      "must lie between 1 and 1e9");
    }
    found.problem(plan.limiter.kind == LimiterKind::concurrency && plan.limiter.concurrent < 1,
                  "limiter.concurrent", "must be at least 1");
    if (plan.limiter.kind == LimiterKind::throttle) {
        found.problem(outside(plan.limiter.accepts, 1, 1e6), "limiter.accepts",
                      "must lie between 1 and 1000000");
        found.problem(plan.limiter.remembers <= Duration::zero(), "limiter.remembers",
                      "must be longer than zero");
        found.warning(
            plan.limiter.remembers < attempt_timeout_of(plan), "limiter.remembers",
            "is shorter than an attempt may take: it forgets requests before their answers");
    }
    if (const auto& breaker = plan.breaker) {
        found.problem(outside(breaker->failure_share, 1e-6, 1), "breaker.failure_share",
                      "must lie above 0 and at most at 1");
        found.problem(breaker->least_calls < 0, "breaker.least_calls", "is negative");
        found.problem(breaker->window < 10ns, "breaker.window", "must be longer than zero");
        found.problem(breaker->open_for < Duration::zero() || breaker->ramp < Duration::zero(),
                      "breaker.open_for", "and ramp must not be negative");
        found.problem(breaker->probes < 1, "breaker.probes",
                      "must be at least 1, or it never closes again");
        found.warning(
            breaker->failure_share < 0.5, "breaker.failure_share",
            "is below 0.5: with one key for many shards, a partial failure becomes a total one");
    }
    if (const auto& hedge = plan.hedge) {
        found.problem(hedge->after < Duration::zero() || hedge->step < Duration::zero() ||
                          hedge->least < Duration::zero(),
                      "hedge.after", ", step and least must not be negative");
        found.problem(outside(hedge->quantile, 0, 1), "hedge.quantile", "must lie between 0 and 1");
        found.problem(hedge->extra < 1 || hedge->extra > 10, "hedge.extra",
                      "must lie between 1 and 10");
        found.problem(outside(hedge->cost, 0, 1e6), "hedge.cost",
                      "must lie between 0 and 1000000 tokens");
        found.warning(plan.budget.kind == BudgetKind::none, "hedge",
                      "has no budget to pay from, and nothing bounds it");
        found.warning(hedge->quantile < 0.9, "hedge.quantile",
                      "is below 0.9: more than a tenth of all requests are sent twice");
    }
}

void check_learning(Findings& found, const Plan& plan) {
    if (!plan.learn_timeout) return;
    const LearnTimeout& learn = *plan.learn_timeout;
    const Duration most = learn.most > Duration::zero() ? learn.most : attempt_timeout_of(plan);
    found.problem(outside(learn.false_timeouts, 1e-6, 0.5), "learn_timeout.false_timeouts",
                  "must lie between 0.000001 and 0.5");
    found.problem(outside(learn.margin, 1, 100), "learn_timeout.margin",
                  "must lie between 1 and 100");
    found.problem(outside(learn.step, 1e-3, 0.9), "learn_timeout.step",
                  "must lie between 0.001 and 0.9");
    found.problem(learn.every <= Duration::zero(), "learn_timeout.every",
                  "must be longer than zero");
    found.problem(learn.least <= Duration::zero(), "learn_timeout.least",
                  "must be longer than zero");
    found.problem(learn.most < Duration::zero() || most < learn.least || most == never ||
                      most > plan.deadline,
                  "learn_timeout.most",
                  "must lie between least and the deadline; without a deadline it must be given");
    found.problem(!(learn.frozen_above > learn.false_timeouts && learn.frozen_above <= 1),
                  "learn_timeout.frozen_above", "must lie above false_timeouts and at most at 1");
    found.warning(plan.hedge.has_value(), "learn_timeout",
                  "sees only the faster of two copies, so with hedging it comes out shorter");
}

}  // namespace

std::vector<Finding> validate(const Plan& plan) {
    Findings found;
    found.problem(plan.name.empty(), "name",
                  "is empty; name the dependency, it stands in every log line");
    found.problem(plan.deadline <= Duration::zero(), "deadline",
                  "must be longer than zero; use `never` for none");
    found.problem(plan.attempt_timeout < Duration::zero(), "attempt_timeout",
                  "is negative; zero means a third of the deadline");
    found.problem(plan.attempt_timeout > plan.deadline, "attempt_timeout",
                  "is longer than the deadline");
    found.problem(plan.set_up < Duration::zero(), "set_up", "is negative");
    found.problem(plan.spread < Duration::zero(), "spread", "is negative");
    found.problem(plan.shortest_attempt < Duration::zero(), "shortest_attempt", "is negative");
    found.problem(plan.shortest_attempt >= plan.deadline, "shortest_attempt",
                  "leaves no time for any attempt");
    found.problem(plan.resolve_within < Duration::zero(), "resolve_within", "is negative");
    check_repeating_rule(found, "rule", plan.rule, plan.deadline);
    check_resolve_rule(found, plan);
    // It ends without a deadline too; one that counts with the default rule has that rule's findings.
    if (plan.connect.counting == Counting::own)
        check_repeating_rule(found, "connect", plan.connect,
                             std::min(plan.deadline, Duration{30s}));
    for (std::size_t i = 0; i < plan.rules.size(); ++i) {
        const auto& [name, rule] = plan.rules[i];
        const std::string at = "rules[" + (name.empty() ? std::to_string(i) : name) + "]";
        found.problem(name.empty(), at, "has no name, so no failure can name it");
        for (std::size_t j = 0; j < i; ++j)
            found.problem(plan.rules[j].name == name, at, "stands twice");
        check_repeating_rule(found, at, rule, plan.deadline);
    }
    check_budget(found, plan);
    check_guards(found, plan);
    check_learning(found, plan);
    found.warning(plan.deadline == never, "deadline",
                  "is `never`: a call may hold its thread for ever");
    found.warning(
        plan.attempt_timeout > Duration::zero() && plan.rule.attempts > 1 &&
            plan.attempt_timeout > plan.deadline / 2,
        "attempt_timeout",
        "is more than half of the deadline: one slow attempt leaves no time for a second");
    return found.take();
}

}  // namespace v0
}  // namespace perdure
