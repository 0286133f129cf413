// SPDX-License-Identifier: Apache-2.0
//
// Do the presets wait, count and pay as their originals do?
#include "perdure/policy/presets.hpp"

#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/policy/decide.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure {
namespace {

using testing::FixedRandom;
using Delays = std::vector<Duration>;

const Rule& rule_for(const Preset& preset, Cause cause) {
    for (const NamedRule& named : preset.rules)
        if (named.name == to_string(cause)) return named.rule;
    return preset.rule;
}

// The delays of a call whose every attempt fails with this cause.
Delays delays(const Preset& preset, Cause cause, double draw, const Failure& failure) {
    FixedRandom random{draw};
    Delays all;
    Situation at{.now = TimePoint{1h}, .safety = Safety::read};
    for (;; ++at.attempts_under_rule) {
        const Decision decision = decide(rule_for(preset, cause), failure, at, random);
        if (decision.stop != Stop::none) return all;
        all.push_back(decision.delay);
        at.series = decision.series;
    }
}

Delays delays(const Preset& preset, Cause cause = Cause::unavailable, double draw = 1) {
    return delays(preset, cause, draw, {.cause = cause});
}

int cost(const Preset& preset, Cause cause) {
    FixedRandom random{1};
    return decide(rule_for(preset, cause), {.cause = cause}, {.safety = Safety::read}, random)
        .cost_milli;
}

TEST(Presets, aws_2026_waits_50_and_100_ms_or_seconds_when_throttled) {
    const Preset preset = presets::aws_standard_2026();
    EXPECT_EQ(delays(preset), (Delays{50ms, 100ms}));
    EXPECT_EQ(delays(preset, Cause::throttled), (Delays{1s, 2s}));
    EXPECT_EQ(delays(preset, Cause::throttled, 0), (Delays{0s, 0s}));
    Preset patient = preset;
    patient.rule.attempts = 5;
    EXPECT_EQ(delays(patient), (Delays{50ms, 100ms, 200ms, 400ms}));
    patient.rule.attempts = 12;
    EXPECT_EQ(delays(patient).back(), 20s);
}

TEST(Presets, aws_2026_pays_14_and_5_of_500_and_shares_one_count) {
    for (const Preset& preset : {presets::aws_standard_2026(), presets::dynamodb_2026()}) {
        EXPECT_EQ(cost(preset, Cause::unavailable), 1400);
        EXPECT_EQ(cost(preset, Cause::timed_out), 1400);
        EXPECT_EQ(cost(preset, Cause::throttled), 500);
        EXPECT_EQ(preset.budget.kind, BudgetKind::fixed);
        EXPECT_EQ(make_budget(preset.budget, preset.rule)->milli_capacity(), 50'000);
        EXPECT_EQ(rule_for(preset, Cause::throttled).counting, Counting::shared);
    }
}

TEST(Presets, aws_2026_takes_a_hint_up_to_5_s_above_its_own_delay) {
    const Preset preset = presets::aws_standard_2026();
    const struct {
        Duration asked, waited;
    } cases[] = {{1500ms, 1500ms}, {0ms, 50ms}, {10s, 5050ms}, {-100ms, 50ms}};
    for (const auto& [asked, waited] : cases) {
        const Failure failure{.cause = Cause::internal, .retry_after = asked};
        EXPECT_EQ(delays(preset, Cause::internal, 1, failure).front(), waited);
    }
    const Failure throttle{.cause = Cause::throttled, .retry_after = 10s};
    EXPECT_EQ(delays(preset, Cause::throttled, 1, throttle).front(), 6s);
}

TEST(Presets, dynamodb_2026_makes_four_attempts_from_25_ms) {
    EXPECT_EQ(delays(presets::dynamodb_2026()), (Delays{25ms, 50ms, 100ms}));
    EXPECT_EQ(delays(presets::dynamodb_2026(), Cause::throttled), (Delays{1s, 2s, 4s}));
}

TEST(Presets, aws_2020_waits_seconds_and_pays_double_for_timeouts) {
    const Preset preset = presets::aws_standard_2020();
    EXPECT_EQ(delays(preset), (Delays{1s, 2s}));
    EXPECT_EQ(delays(preset, Cause::throttled), (Delays{1s, 2s}));
    EXPECT_EQ(delays(preset, Cause::timed_out, 0.5), (Delays{500ms, 1s}));
    EXPECT_EQ(cost(preset, Cause::throttled), 500);
    EXPECT_EQ(cost(preset, Cause::unavailable), 500);
    EXPECT_EQ(cost(preset, Cause::timed_out), 1000);
    EXPECT_EQ(rule_for(preset, Cause::timed_out).counting, Counting::shared);
}

TEST(Presets, dynamodb_legacy_hangs_for_25_and_a_half_seconds) {
    for (const double draw : {0.0, 1.0}) {
        const Delays all = delays(presets::dynamodb_legacy(), Cause::internal, draw);
        EXPECT_EQ(
            all, (Delays{0ms, 50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 12'800ms}));
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), Duration{}), 25'550ms);
    }
    EXPECT_EQ(presets::dynamodb_legacy().budget.kind, BudgetKind::none);
}

TEST(Presets, ef_core_waits_0_1_3_7_15_30_seconds_whatever_the_server_asks) {
    const Preset preset = presets::ef_core();
    EXPECT_EQ(delays(preset, Cause::unavailable, 0), (Delays{0s, 1s, 3s, 7s, 15s, 30s}));
    const Failure asks{.cause = Cause::throttled, .retry_after = 1min};
    EXPECT_EQ(delays(preset, Cause::throttled, 0, asks), (Delays{0s, 1s, 3s, 7s, 15s, 30s}));
    const Delays longest = delays(preset);
    EXPECT_LE(std::accumulate(longest.begin(), longest.end(), Duration{}), 59s);
    EXPECT_EQ(preset.budget.kind, BudgetKind::none);
}

TEST(Presets, grpc_waits_a_tenth_of_a_second_doubled_and_obeys_a_push_back) {
    const Preset preset = presets::grpc_a6();
    EXPECT_EQ(delays(preset, Cause::unavailable, 0.5), (Delays{100ms, 200ms, 400ms}));
    EXPECT_EQ(delays(preset, Cause::unavailable, 0), (Delays{80ms, 160ms, 320ms}));
    EXPECT_EQ(delays(preset), (Delays{120ms, 240ms, 480ms}));
    const Failure pushed{.cause = Cause::unavailable, .retry_after = 7ms};
    EXPECT_EQ(delays(preset, Cause::unavailable, 1, pushed), (Delays{7ms, 7ms, 7ms}));
    const Failure forbidden{.cause = Cause::unavailable, .retry_after = never};
    EXPECT_EQ(delays(preset, Cause::unavailable, 1, forbidden), Delays{});
    EXPECT_EQ(make_budget(preset.budget, preset.rule)->milli_capacity(), 10'000);
    EXPECT_GT(cost(preset, Cause::contended), 0) << "every retry asks the throttle";
}

TEST(Presets, finagle_allows_a_fifth_of_the_requests_and_ten_a_second) {
    const Preset preset = presets::finagle();
    EXPECT_EQ(delays(preset, Cause::unavailable, 0), (Delays{5ms, 5ms, 5ms}));
    EXPECT_EQ(delays(preset), (Delays{15ms, 45ms, 135ms})) << "up to three times the last";
    EXPECT_EQ(cost(preset, Cause::contended), 1000) << "every retry is one retry";
    const auto budget = make_budget(preset.budget, preset.rule);
    EXPECT_EQ(budget->milli_left(), 100'000) << "a hundred retries are always there";
    budget->on_start(TimePoint{1h});
    EXPECT_EQ(budget->milli_left(), 100'200);
}

TEST(Presets, envoy_retries_once_within_25_ms_and_holds_three_places) {
    Preset preset = presets::envoy();
    EXPECT_EQ(delays(preset), (Delays{25ms}));
    EXPECT_EQ(delays(preset, Cause::unavailable, 0), (Delays{0ms}));
    EXPECT_EQ(make_budget(preset.budget, preset.rule)->milli_left(), 3000);
    preset.rule.attempts = 6;
    EXPECT_EQ(delays(preset), (Delays{25ms, 75ms, 175ms, 250ms, 250ms}));
}

TEST(Presets, polly_waits_two_seconds_three_times_or_follows_its_curve) {
    for (const double draw : {0.0, 1.0})
        EXPECT_EQ(delays(presets::polly_v8(), Cause::internal, draw), (Delays{2s, 2s, 2s}));
    const Preset smooth = presets::polly_v8_exponential();
    const Delays middle = delays(smooth, Cause::internal, 0.5);
    ASSERT_EQ(middle.size(), 3U);
    const double medians[] = {1.80, 2.28, 4.04};  // twice 0.90, 1.14 and 2.02
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(std::chrono::duration<double>(middle[i]).count(), medians[i], 0.15) << i;
    EXPECT_EQ(smooth.budget.kind, BudgetKind::none);
}

TEST(Presets, azure_doubles_already_the_first_delay_and_stops_at_60_s) {
    Preset preset = presets::azure_cpp();
    EXPECT_EQ(delays(preset, Cause::internal, 0), (Delays{1280ms, 2560ms, 5120ms}));
    EXPECT_EQ(delays(preset), (Delays{2080ms, 4160ms, 8320ms}));
    const Failure asks{.cause = Cause::throttled, .retry_after = 7s};
    EXPECT_EQ(delays(preset, Cause::throttled, 1, asks), (Delays{7s, 7s, 7s}));
    preset.rule.attempts = 9;
    EXPECT_EQ(delays(preset).back(), 60s);
    EXPECT_EQ(preset.budget.kind, BudgetKind::none);
}

TEST(Presets, sre_makes_three_attempts_under_a_throttle_of_two) {
    const Preset preset = presets::sre_throttle();
    EXPECT_EQ(delays(preset).size(), 2U);
    EXPECT_EQ(preset.limiter.kind, LimiterKind::throttle);
    EXPECT_EQ(preset.limiter.accepts, 2);
    EXPECT_EQ(preset.limiter.remembers, 2min);
    EXPECT_EQ(presets::aws_standard_2026().limiter.kind, LimiterKind::none);
}

}  // namespace
}  // namespace perdure
