// SPDX-License-Identifier: Apache-2.0
//
// When may a failure be repeated, when is it, and what stops it? No clock: `now` is an argument.
#include "perdure/policy/decide.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"

namespace perdure {
namespace {

using testing::FixedRandom;

const TimePoint noon{1h};

struct Case {
    std::string when{};
    Rule rule{};
    Failure failure{};
    Situation at{};
    Stop stop = Stop::none;
    Duration delay{};
};

Decision decided(const Case& each, double draw = 1) {
    FixedRandom random{draw};
    Situation at = each.at;
    at.now = noon;
    return decide(each.rule, each.failure, at, random);
}

void expect(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        SCOPED_TRACE(each.when);
        const Decision decision = decided(each);
        EXPECT_EQ(to_string(decision.stop), to_string(each.stop));
        if (each.stop != Stop::none) continue;
        EXPECT_EQ(decision.delay.count(), each.delay.count());
    }
}

const Failure throttled{.cause = Cause::throttled};
const Failure lost{.cause = Cause::timed_out};
const Failure bad_request{.cause = Cause::invalid};

TEST(Decide, says_whether_it_is_safe_to_repeat) {
    expect({
        {.when = "a throttle did nothing", .failure = throttled, .delay = 50ms},
        {.when = "a lost reply to a read",
         .failure = lost,
         .at = {.safety = Safety::read, .unresolved = Effect::unknown},
         .delay = 50ms},
        {.when = "… to an idempotent write",
         .failure = lost,
         .at = {.safety = Safety::idempotent, .unresolved = Effect::unknown},
         .delay = 50ms},
        {.when = "… to a guarded write",
         .failure = lost,
         .at = {.safety = Safety::guarded, .unresolved = Effect::unknown},
         .delay = 50ms},
        {.when = "… to a write that may run once",
         .failure = lost,
         .at = {.unresolved = Effect::unknown},
         .stop = Stop::unsafe},
        {.when = "an early unknown, now a throttle",
         .failure = throttled,
         .at = {.unresolved = Effect::unknown},
         .stop = Stop::unsafe},
        {.when = "applied, under once",
         .failure = {.cause = Cause::corrupt, .effect = Effect::applied},
         .at = {.unresolved = Effect::applied},
         .stop = Stop::unsafe},
        {.when = "applied, under idempotent",
         .failure = {.cause = Cause::corrupt, .effect = Effect::applied},
         .at = {.safety = Safety::idempotent, .unresolved = Effect::applied},
         .delay = 50ms},
    });
}

TEST(Decide, says_whether_repeating_can_help) {
    for (int i = 0; i < cause_count; ++i) {
        const auto cause = static_cast<Cause>(i);
        const Stop stop = cause == Cause::cancelled ? Stop::cancelled
                          : is_repeatable(cause)    ? Stop::none
                                                    : Stop::permanent;
        expect({{.when = std::string{to_string(cause)},
                 .failure = {.cause = cause},
                 .at = {.safety = Safety::read},
                 .stop = stop,
                 .delay = 50ms}});
    }
    expect({
        {.when = "the server says never",
         .failure = {.cause = Cause::throttled, .retry_after = never},
         .stop = Stop::permanent},
        {.when = "the operation insists",
         .failure = bad_request,
         .at = {.insisted = Insisted::yes},
         .delay = 50ms},
        {.when = "it insists against never",
         .failure = {.cause = Cause::throttled, .retry_after = never},
         .at = {.insisted = Insisted::yes},
         .delay = 50ms},
        {.when = "insisting does not make it safe",
         .failure = bad_request,
         .at = {.unresolved = Effect::unknown, .insisted = Insisted::yes},
         .stop = Stop::unsafe},
        {.when = "insisting does not undo a cancel",
         .failure = {.cause = Cause::cancelled},
         .at = {.insisted = Insisted::yes},
         .stop = Stop::cancelled},
    });
}

TEST(Decide, says_whether_it_is_worth_it) {
    const Rule three{.attempts = 3};
    const Rule window{.attempts = 0, .window = 1s};
    const Rule waiting{.attempts = 0, .window = 1s, .window_counts = WindowCounts::waiting};
    const Rule patient{.attempts = 3, .not_before_giving_up = 10s};
    expect({
        {.when = "two of three attempts made",
         .rule = three,
         .failure = throttled,
         .at = {.attempts_under_rule = 2},
         .delay = 50ms},
        {.when = "three of three",
         .rule = three,
         .failure = throttled,
         .at = {.attempts_under_rule = 3},
         .stop = Stop::attempts},
        {.when = "one attempt only",
         .rule = {.attempts = 1},
         .failure = throttled,
         .stop = Stop::attempts},
        {.when = "no limit of its own",
         .rule = {.attempts = 0},
         .failure = throttled,
         .at = {.attempts_under_rule = 1'000'000},
         .delay = 50ms},
        {.when = "the delay ends exactly with the window",
         .rule = window,
         .failure = throttled,
         .at = {.rule_age = 950ms},
         .delay = 50ms},
        {.when = "… a little after it",
         .rule = window,
         .failure = throttled,
         .at = {.rule_age = 950ms + 1ns},
         .stop = Stop::window},
        {.when = "a window of waiting does not count the attempts' own time",
         .rule = waiting,
         .failure = throttled,
         .at = {.rule_age = 1h, .rule_waited = 950ms},
         .delay = 50ms},
        {.when = "… but all waits",
         .rule = waiting,
         .failure = throttled,
         .at = {.rule_waited = 951ms},
         .stop = Stop::window},
        {.when = "not giving up before an attempt was started 10 s in",
         .rule = patient,
         .failure = throttled,
         .at = {.attempts_under_rule = 9, .last_start = 9'999ms},
         .delay = 50ms},
        {.when = "… giving up then",
         .rule = patient,
         .failure = throttled,
         .at = {.attempts_under_rule = 9, .last_start = 10s},
         .stop = Stop::attempts},
        {.when = "would start just before the deadline",
         .failure = throttled,
         .at = {.latest_start = noon + 51ms},
         .delay = 50ms},
        {.when = "would start at the deadline",
         .failure = throttled,
         .at = {.latest_start = noon + 50ms},
         .stop = Stop::deadline},
        {.when = "the server asks for more time than there is",
         .failure = {.cause = Cause::throttled, .retry_after = 3s},
         .at = {.latest_start = noon + 2s},
         .stop = Stop::deadline},
    });
}

TEST(Decide, uses_the_servers_hint_as_the_rule_says) {
    const auto hinted = [](HintUse use, Duration by = {}) {
        return Rule{.hint = {.use = use, .by = by}};
    };
    const auto asks = [](Duration wait) {
        return Failure{.cause = Cause::throttled, .retry_after = wait};
    };
    expect({
        {.when = "at least: the longer wins",
         .rule = hinted(HintUse::at_least),
         .failure = asks(3s),
         .delay = 3s},
        {.when = "at least: ours is longer",
         .rule = hinted(HintUse::at_least),
         .failure = asks(1ms),
         .delay = 50ms},
        {.when = "clamp: in the range",
         .rule = hinted(HintUse::clamp, 5s),
         .failure = asks(1500ms),
         .delay = 1500ms},
        {.when = "clamp: zero is not below ours",
         .rule = hinted(HintUse::clamp, 5s),
         .failure = asks(0ms),
         .delay = 50ms},
        {.when = "clamp: at most 5 s above ours",
         .rule = hinted(HintUse::clamp, 5s),
         .failure = asks(10s),
         .delay = 5050ms},
        {.when = "a negative hint is none",
         .rule = hinted(HintUse::clamp, 5s),
         .failure = asks(-100ms),
         .delay = 50ms},
        {.when = "replace: exactly, also when shorter",
         .rule = hinted(HintUse::replace),
         .failure = asks(7ms),
         .delay = 7ms},
        {.when = "replace: zero means now",
         .rule = hinted(HintUse::replace),
         .failure = asks(0ms),
         .delay = 0ms},
        {.when = "plus: with all of the jitter",
         .rule = hinted(HintUse::plus, 100ms),
         .failure = asks(1s),
         .delay = 1100ms},
        {.when = "ignore: ours",
         .rule = hinted(HintUse::ignore),
         .failure = asks(3s),
         .delay = 50ms},
        {.when = "no hint: ours",
         .rule = hinted(HintUse::replace),
         .failure = throttled,
         .delay = 50ms},
    });
}

TEST(Decide, starts_the_series_again_after_a_push_back_and_moves_it_on_otherwise) {
    const Situation third{.series = {.position = 2}};
    Case each{.failure = throttled, .at = third};
    EXPECT_EQ(decided(each).delay, 200ms);
    EXPECT_EQ(decided(each).series.position, 3);
    each.rule.hint.use = HintUse::replace;
    each.failure.retry_after = 1s;
    EXPECT_EQ(decided(each).series.position, 0);
}

TEST(Decide, names_the_first_reason_that_holds) {
    const Rule strict{.attempts = 1, .window = 1ms};
    const Situation hopeless{.latest_start = noon, .unresolved = Effect::unknown};
    Situation safe = hopeless;
    safe.safety = Safety::read;
    expect({
        {.when = "unsafe before permanent",
         .rule = strict,
         .failure = bad_request,
         .at = hopeless,
         .stop = Stop::unsafe},
        {.when = "cancelled before unsafe",
         .rule = strict,
         .failure = {.cause = Cause::cancelled},
         .at = hopeless,
         .stop = Stop::cancelled},
        {.when = "permanent before attempts",
         .rule = strict,
         .failure = bad_request,
         .at = safe,
         .stop = Stop::permanent},
        {.when = "attempts before window",
         .rule = strict,
         .failure = lost,
         .at = safe,
         .stop = Stop::attempts},
        {.when = "window before deadline",
         .rule = {.window = 1ms},
         .failure = lost,
         .at = safe,
         .stop = Stop::window},
        {.when = "deadline last", .failure = lost, .at = safe, .stop = Stop::deadline},
    });
}

TEST(Decide, prices_a_retry_by_its_rule_or_else_by_its_cause) {
    const auto cost = [](Cause cause, Rule rule = {}) {
        return decided({.rule = rule, .failure = {.cause = cause}, .at = {.safety = Safety::read}})
            .cost_milli;
    };
    EXPECT_EQ(cost(Cause::unavailable), 1400);
    EXPECT_EQ(cost(Cause::throttled), 500);
    EXPECT_EQ(cost(Cause::stale_route), 500);
    EXPECT_EQ(cost(Cause::contended), 0);
    EXPECT_EQ(cost(Cause::contended, {.cost = 2.5}), 2500);
    EXPECT_EQ(cost(Cause::unavailable, {.cost = 0}), 0);
}

TEST(Decide, hands_on_the_failures_remedies) {
    const Decision decision = decided({.failure = {.cause = Cause::stale_route}});
    EXPECT_TRUE(decision.remedies.has(Remedy::refresh_routing_item));
}

}  // namespace
}  // namespace perdure
