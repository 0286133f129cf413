// SPDX-License-Identifier: Apache-2.0
//
// The peers' own conformance sequences, value by value: the delay before each retry and the tokens
// left after it, with chance fixed at 1.
#include "transcript.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace perdure::testing {
namespace {

// AWS counts a tenth of our token: 500 of theirs are 50 of ours, 14 are 1.4.
constexpr int milli_per_aws_token = 100;

Failure answered(int status) {
    return {.cause = status == 500 ? Cause::internal : Cause::unavailable, .status = status};
}
Failure throttling() { return {.cause = Cause::throttled, .status = 400, .code = "Throttling"}; }
Failure hinted(Duration after) {
    return {.cause = Cause::internal, .retry_after = after, .status = 500};
}

// One answer of the service, and what must follow from it.
struct Turn {
    std::optional<Failure> failure{};  // none: a success
    int tokens_left = 0;
    Duration delay{};        // before the retry
    Stop stop = Stop::none;  // none: there is a retry, or it succeeded
};
constexpr auto no_delay = Duration::zero();

Turn success(int tokens_left) { return {.tokens_left = tokens_left}; }

struct Sequence {
    const char* name;
    Preset preset;
    std::vector<Turn> turns;
};

Preset starting_with(Preset preset, int attempts, double aws_tokens) {
    preset.rule.attempts = attempts;
    for (NamedRule& named : preset.rules) named.rule.attempts = attempts;
    preset.budget.capacity = aws_tokens / 10;
    return preset;
}
Preset standard(int attempts = 3, double tokens = 500) {
    return starting_with(presets::aws_standard_2026(), attempts, tokens);
}

Plan patient(const Preset& preset) {
    Plan plan = plan_from(preset, "aws");
    plan.deadline = 1h;
    return plan;
}

void expect_turn(Transcript& call, const Turn& turn) {
    if (turn.failure) call.fails(*turn.failure);
    else call.succeeds();
    EXPECT_EQ(call.memory.budget().milli_left(), turn.tokens_left * milli_per_aws_token);
    if (!turn.failure) {
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.memory.counters()[Count::calls_failed], 0u);
    } else if (turn.stop != Stop::none) {
        EXPECT_EQ(call.next(), "finish");
        const Failure ending = call.progress.take_failure();
        EXPECT_EQ(ending.stop, turn.stop);
        EXPECT_EQ(ending.status, turn.failure->status) << "the original failure travels up";
    } else {
        EXPECT_EQ(call.next(), "wait " + in_words(turn.delay));
    }
}

void expect_sequence(const Sequence& sequence) {
    SCOPED_TRACE(sequence.name);
    Transcript call{patient(sequence.preset), {.name = "put", .safety = Safety::idempotent}};
    int number = 0;
    for (const Turn& turn : sequence.turns) {
        SCOPED_TRACE("answer " + std::to_string(++number));
        EXPECT_EQ(call.next(), "attempt " + std::to_string(number));
        expect_turn(call, turn);
    }
}

TEST(RetrySequences, aws_standard_of_2026_keeps_its_delays_and_its_quota) {
    const Sequence sequences[] = {
        {"1: two retries help, and the last one's cost comes back",
         standard(),
         {{answered(500), 486, 50ms}, {answered(500), 472, 100ms}, success(486)}},
        {"2: attempts used up",
         standard(),
         {{answered(502), 486, 50ms},
          {answered(502), 472, 100ms},
          {answered(502), 472, no_delay, Stop::attempts}}},
        {"3: the quota pays for one retry",
         standard(3, 14),
         {{answered(500), 0, 50ms}, {answered(500), 0, no_delay, Stop::budget}}},
        {"4: no tokens, no retry", standard(3, 0), {{answered(500), 0, no_delay, Stop::budget}}},
        {"5: five attempts",
         standard(5),
         {{answered(500), 486, 50ms},
          {answered(500), 472, 100ms},
          {answered(500), 458, 200ms},
          {answered(500), 444, 400ms},
          {answered(500), 444, no_delay, Stop::attempts}}},
        {"7: a rest that is too small stays where it is",
         standard(5, 20),
         {{answered(500), 6, 50ms}, {answered(502), 6, no_delay, Stop::budget}}},
        {"9: a throttle waits a second and costs 5",
         standard(),
         {{throttling(), 495, 1s}, success(500)}},
    };
    for (const Sequence& sequence : sequences) expect_sequence(sequence);
}

TEST(RetrySequences, dynamodb_has_four_attempts_and_starts_at_25_ms) {
    expect_sequence({"10",
                     presets::dynamodb_2026(),
                     {{answered(500), 486, 25ms},
                      {answered(500), 472, 50ms},
                      {answered(500), 458, 100ms},
                      {answered(500), 458, no_delay, Stop::attempts}}});
}

TEST(RetrySequences, the_server_may_ask_for_at_most_five_seconds_more) {
    const Sequence sequences[] = {
        {"16: 1500", standard(), {{hinted(1500ms), 486, 1500ms}, success(500)}},
        {"17: 0", standard(), {{hinted(0ms), 486, 50ms}, success(500)}},
        {"18: 10000", standard(), {{hinted(10s), 486, 5050ms}, success(500)}},
        {"19: invalid", standard(), {{answered(500), 486, 50ms}, success(500)}},
        {"19: -100", standard(), {{hinted(-100ms), 486, 50ms}, success(500)}},
    };
    for (const Sequence& sequence : sequences) expect_sequence(sequence);
}

TEST(RetrySequences, throttles_and_faults_share_one_limit_of_attempts_and_one_series) {
    expect_sequence({"mixed",
                     standard(),
                     {{throttling(), 495, 1s},
                      {answered(500), 481, 100ms},
                      {throttling(), 481, no_delay, Stop::attempts}}});
}

TEST(RetrySequences, the_cap_of_twenty_seconds_lies_inside_the_jitter) {
    for (const double draw : {1.0, 0.5}) {
        SCOPED_TRACE(draw);
        Transcript call{patient(standard(12)), {.safety = Safety::idempotent}, {.random = draw}};
        std::string last;
        for (int n = 1; n < 12; ++n) {
            call.next();
            call.fails(answered(500));
            last = call.next();
        }
        EXPECT_EQ(last, draw == 1.0 ? "wait 20000ms" : "wait 10000ms");
    }
}

TEST(RetrySequences, aws_standard_of_2020_asks_ten_for_a_timeout_and_five_else) {
    const Failure timed_out{.cause = Cause::timed_out, .status = 0};
    const auto with = [](double tokens) {
        return starting_with(presets::aws_standard_2020(), 3, tokens);
    };
    const Sequence sequences[] = {
        {"any retry 5, a timeout 10, and its cost comes back",
         with(500),
         {{answered(500), 495, 1s}, {timed_out, 485, 2s}, success(495)}},
        {"after an ordinary retry 5 come back", with(500), {{throttling(), 495, 1s}, success(500)}},
        {"7 left do not pay for a timeout", with(7), {{timed_out, 7, no_delay, Stop::budget}}},
        {"7 left pay for an ordinary retry", with(7), {{answered(500), 2, 1s}, success(7)}},
        {"no hint was known then", with(500), {{hinted(9s), 495, 1s}, success(500)}},
        {"attempts used up",
         with(500),
         {{answered(500), 495, 1s},
          {answered(500), 490, 2s},
          {answered(500), 490, no_delay, Stop::attempts}}},
    };
    for (const Sequence& sequence : sequences) expect_sequence(sequence);
}

// A call on a memory that has lived through others.
void run_one(Memory& memory, Random& random, const std::optional<Failure>& answer) {
    const Operation operation{.safety = Safety::idempotent};
    const TimePoint now{Duration{1h}};
    Progress call{memory, operation, {.now = now, .random = &random}};
    const Step step = call.next(now);
    ASSERT_EQ(step.kind, StepKind::attempt);
    if (answer) call.failed(step.number, *answer, Effect::none, now);
    else call.succeeded(step.number, now);
}

TEST(RetrySequences, a_success_at_once_gives_one_token_and_never_more_than_the_bucket_holds) {
    for (const Preset& preset : {presets::aws_standard_2026(), presets::aws_standard_2020()}) {
        Memory memory{patient(preset)};
        FixedRandom ceiling{1.0};
        run_one(memory, ceiling, {});
        EXPECT_EQ(memory.budget().milli_left(), 500 * milli_per_aws_token);
        run_one(memory, ceiling, throttling());  // the retry is paid, the call then dropped
        EXPECT_EQ(memory.budget().milli_left(), 495 * milli_per_aws_token);
        for (int tokens = 496; tokens <= 500; ++tokens) {
            run_one(memory, ceiling, {});
            EXPECT_EQ(memory.budget().milli_left(), tokens * milli_per_aws_token);
        }
        run_one(memory, ceiling, {});
        EXPECT_EQ(memory.budget().milli_left(), 500 * milli_per_aws_token);
    }
}

TEST(RetrySequences, entity_framework_core_waits_0_1_3_7_15_30_seconds) {
    const std::vector<std::vector<Duration>> tables{
        {0s, 1s, 3s, 7s, 15s, 30s},                 // without noise
        {0s, 1100ms, 3300ms, 7700ms, 16500ms, 30s}  // with all of it; the cap lies outside
    };
    for (std::size_t draw = 0; draw < tables.size(); ++draw) {
        Transcript call{patient(presets::ef_core()),
                        {.safety = Safety::idempotent},
                        {.random = static_cast<double>(draw)}};
        for (const Duration delay : tables[draw]) {
            call.next();
            const TimePoint failed_at = call.now;
            call.fails({.cause = Cause::unavailable});
            if (delay > 0s) {
                EXPECT_EQ(call.next(), "wait " + in_words(delay));
            }
            EXPECT_EQ(call.now - failed_at, delay);
        }
        EXPECT_EQ(call.next(), "attempt 7");
        call.fails({.cause = Cause::unavailable});
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), "attempts, effect unknown, unavailable");
    }
}

TEST(RetrySequences, the_legacy_dynamodb_client_sleeps_25_55_seconds_before_it_gives_up) {
    Transcript call{patient(presets::dynamodb_legacy()), {.safety = Safety::idempotent}};
    int attempts = 0;
    for (std::string step = call.next(); step != "finish"; step = call.next()) {
        if (!step.starts_with("attempt")) continue;
        ++attempts;
        call.fails({.cause = Cause::throttled});
    }
    EXPECT_EQ(attempts, 11);
    EXPECT_EQ(call.now - call.progress.started(), 25550ms);
}

TEST(RetrySequences, grpc_switches_retries_off_at_half_its_ten_tokens) {
    Plan plan = patient(presets::grpc_a6());
    plan.rule.attempts = 0;
    Transcript call{plan, {.safety = Safety::idempotent}};
    for (int failures = 1; failures <= 4; ++failures) {
        EXPECT_EQ(call.next(), "attempt " + std::to_string(failures));
        call.fails({.cause = Cause::unavailable});
        EXPECT_EQ(call.memory.budget().milli_left(), 10'000 - 1'000 * failures);
        EXPECT_TRUE(call.next().starts_with("wait"));
    }
    EXPECT_EQ(call.next(), "attempt 5");
    call.fails({.cause = Cause::unavailable});
    EXPECT_EQ(call.memory.budget().milli_left(), 5'000);  // not above half: off
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "budget, effect unknown, unavailable");
    FixedRandom ceiling{1.0};
    run_one(call.memory, ceiling, {});
    EXPECT_EQ(call.memory.budget().milli_left(), 5'100);  // a success gives 0.1
}

TEST(RetrySequences, grpc_push_back_replaces_the_delay_and_starts_the_series_again) {
    Transcript call{patient(presets::grpc_a6()), {.safety = Safety::idempotent}, {.random = 0.5}};
    call.next();
    call.fails({.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "wait 100ms");
    call.next();
    call.fails({.cause = Cause::unavailable, .retry_after = 7s});
    EXPECT_EQ(call.next(), "wait 7000ms");
    call.next();
    call.fails({.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "wait 100ms");
}

}  // namespace
}  // namespace perdure::testing
