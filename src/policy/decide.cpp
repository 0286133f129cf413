// SPDX-License-Identifier: Apache-2.0
#include "perdure/policy/decide.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {

namespace {

Duration saturating_add(Duration a, Duration b) {
    return a > Duration::max() - b ? Duration::max() : a + b;
}

Duration with_hint(const Hint& hint, Duration own, Duration asked, Decision& decision,
                   Random& random) {
    switch (hint.use) {
        case HintUse::ignore: return own;
        case HintUse::at_least: return std::max(own, asked);
        case HintUse::clamp: return std::clamp(asked, own, saturating_add(own, hint.by));
        case HintUse::replace: decision.series = {}; return asked;
        case HintUse::plus: {
            const double jitter =
                static_cast<double>(std::min(hint.by, never / 2).count()) * random.next();
            return saturating_add(asked, Duration{static_cast<Duration::rep>(jitter)});
        }
    }
    return own;
}

// `never` is an answer, not a time: who insists against it waits its own delay.
Duration delay_with(const Rule& rule, std::optional<Duration> asked, Decision& decision,
                    Random& random) {
    const Duration own = next_delay(rule.backoff, decision.series, random);
    if (!asked || *asked < Duration::zero() || *asked == never) return own;
    return with_hint(rule.hint, own, *asked, decision, random);
}

bool attempts_used_up(const Rule& rule, const Situation& at) {
    if (rule.attempts == 0 || at.attempts_under_rule < rule.attempts) return false;
    return at.last_start >= rule.not_before_giving_up;
}

Stop forbidden(const Failure& failure, const Situation& at) {
    if (failure.cause == Cause::cancelled) return Stop::cancelled;
    if (at.unresolved != Effect::none && !may_repeat_unknown(at.safety)) return Stop::unsafe;
    if (at.insisted == Insisted::yes) return Stop::none;
    if (!is_repeatable(failure.cause) || failure.retry_after == never) return Stop::permanent;
    return Stop::none;
}

}  // namespace

bool outside_window(const Rule& rule, Duration age, Duration waited, Duration delay) {
    const Duration spent = rule.window_counts == WindowCounts::waiting ? waited : age;
    return saturating_add(spent, delay) > rule.window;
}

Decision decide(const Rule& rule, const Failure& failure, const Situation& at, Random& random) {
    Decision decision{.remedies = failure.remedies, .series = at.series};
    decision.stop = forbidden(failure, at);
    if (decision.stop != Stop::none) return decision;
    if (attempts_used_up(rule, at)) return {.stop = Stop::attempts};

    if (at.goes != Goes::fresh)
        decision.delay = delay_with(
            rule, at.goes == Goes::same ? failure.retry_after : at.asked_there, decision, random);
    if (outside_window(rule, at.rule_age, at.rule_waited, decision.delay))
        return {.stop = Stop::window};
    if (after(at.now, decision.delay) >= at.latest_start) return {.stop = Stop::deadline};

    decision.cost_milli = milli_tokens(rule.cost.value_or(default_cost(failure.cause)));
    return decision;
}

}  // namespace v0
}  // namespace perdure
