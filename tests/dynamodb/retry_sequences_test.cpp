// SPDX-License-Identifier: Apache-2.0
//
// AWS's conformance sequences of 2026 from the wire on: bytes of an answer, what they mean, the delay
// before the retry and the tokens left after it, with chance fixed at 1.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "../call/transcript.hpp"
#include "perdure/dynamodb/classify.hpp"
#include "perdure/dynamodb/plans.hpp"

namespace perdure::dynamodb {
namespace {

using perdure::testing::in_words;
using perdure::testing::Transcript;

// AWS counts a tenth of our token: 500 of theirs are 50 of ours.
constexpr int milli_per_aws_token = 100;

struct Said {
    int status = 500;
    std::string code{};
    std::string retry_after{};
};

Failure failure_of(const Said& said) {
    http::Headers headers;
    if (!said.retry_after.empty()) headers.add("x-amz-retry-after", said.retry_after);
    const ServiceError error = parse_error(
        said.code.empty() ? ""
                          : R"({"__type":"com.amazon.coral.availability#)" + said.code + "\"}");
    return classify(
        {.status = said.status, .headers = &headers, .error = &error, .operation = "PutItem"});
}

struct Turn {
    Said said{};
    int tokens_left = 0;
    std::optional<Duration> delay{};  // nothing: the call ends
    Stop stop = Stop::none;           // none and no delay: it succeeded
};

struct Sequence {
    const char* name;
    int attempts = 3;
    double tokens = 500;
    std::vector<Turn> turns;
};

Plan standard(const Sequence& sequence) {
    Plan plan = plan_from(presets::aws_standard_2026(), "aws");
    plan.deadline = 1h;
    plan.rule.attempts = sequence.attempts;
    for (NamedRule& named : plan.rules) named.rule.attempts = sequence.attempts;
    plan.budget.capacity = sequence.tokens / 10;
    return plan;
}

void expect_turns(Transcript& call, const std::vector<Turn>& turns) {
    int number = 0;
    for (const Turn& turn : turns) {
        SCOPED_TRACE("answer " + std::to_string(++number));
        EXPECT_EQ(call.next(), "attempt " + std::to_string(number));
        const bool success = turn.said.status == 200;
        if (success) call.succeeds();
        else call.fails(failure_of(turn.said));
        EXPECT_EQ(call.memory.budget().milli_left(), turn.tokens_left * milli_per_aws_token);
        EXPECT_EQ(call.next(), turn.delay ? "wait " + in_words(*turn.delay) : "finish");
        if (turn.stop != Stop::none) {
            EXPECT_EQ(call.progress.take_failure().stop, turn.stop);
        }
    }
}

void expect_sequence(const Sequence& sequence) {
    SCOPED_TRACE(sequence.name);
    Transcript call{standard(sequence), {.name = "put", .safety = Safety::idempotent}};
    expect_turns(call, sequence.turns);
}

Turn fails(int status, int tokens, Duration delay) { return {{.status = status}, tokens, delay}; }
Turn ends(int status, int tokens, Stop stop) { return {{.status = status}, tokens, {}, stop}; }
Turn succeeds(int tokens) { return {{.status = 200}, tokens}; }

TEST(DynamoSequences, of_any_service_keep_their_delays_and_their_quota) {
    const Sequence sequences[] = {
        {.name = "1", .turns = {fails(500, 486, 50ms), fails(500, 472, 100ms), succeeds(486)}},
        {.name = "2",
         .turns = {fails(502, 486, 50ms), fails(502, 472, 100ms), ends(502, 472, Stop::attempts)}},
        {.name = "3", .tokens = 14, .turns = {fails(500, 0, 50ms), ends(500, 0, Stop::budget)}},
        {.name = "4", .tokens = 0, .turns = {ends(500, 0, Stop::budget)}},
        {.name = "5",
         .attempts = 5,
         .turns = {fails(500, 486, 50ms), fails(500, 472, 100ms), fails(500, 458, 200ms),
                   fails(500, 444, 400ms), ends(500, 444, Stop::attempts)}},
        {.name = "7",
         .attempts = 5,
         .tokens = 20,
         .turns = {fails(500, 6, 50ms), ends(502, 6, Stop::budget)}},
        {.name = "9",
         .turns = {{{.status = 400, .code = "Throttling"}, 495, 1000ms}, succeeds(500)}},
        {.name = "15", .turns = {ends(404, 500, Stop::permanent)}},
    };
    for (const Sequence& sequence : sequences) expect_sequence(sequence);
}

TEST(DynamoSequences, let_the_service_ask_for_at_most_five_seconds_more) {
    const struct {
        const char* header;
        Duration delay;
    } cases[] = {
        {"1500", 1500ms}, {"0", 50ms}, {"10000", 5050ms}, {"invalid", 50ms}, {"-100", 50ms}};
    for (const auto& [header, delay] : cases)
        expect_sequence(
            {.name = header,
             .turns = {{{.status = 500, .retry_after = header}, 486, delay}, succeeds(500)}});
}

TEST(DynamoSequences, of_dynamodb_have_four_attempts_and_start_at_25_ms) {
    Transcript call{plan_for(Retries::aws_2026), {.safety = Safety::idempotent}};
    expect_turns(call, {fails(500, 486, 25ms), fails(500, 472, 50ms), fails(500, 458, 100ms),
                        ends(500, 458, Stop::attempts)});
}

TEST(DynamoSequences, of_dynamodbs_throttling_wait_a_second_and_pay_five) {
    Transcript call{plan_for(Retries::aws_2026), {.safety = Safety::once}};
    const Said throttled{.status = 400, .code = "ProvisionedThroughputExceededException"};
    expect_turns(call,
                 {{throttled, 495, 1s}, {throttled, 490, 2s}, {throttled, 485, 4s}, succeeds(490)});
}

// The same waits and prices out of a bucket of another size: 84 of AWS's tokens until there is traffic.
TEST(DynamoSequences, of_perdures_default_differ_in_the_capacity_only) {
    Transcript call{plan_for(), {.safety = Safety::idempotent}};
    expect_turns(call, {fails(500, 70, 25ms), fails(500, 56, 50ms), fails(500, 42, 100ms),
                        ends(500, 42, Stop::attempts)});
}

TEST(DynamoSequences, of_2020_pay_five_and_ten_after_a_timeout) {
    Transcript call{plan_for(Retries::aws_2020), {.safety = Safety::idempotent}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails(failure_of({.status = 500}));
    EXPECT_EQ(call.memory.budget().milli_left(), 49'500);
    EXPECT_EQ(call.next(), "wait 1000ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::timed_out});
    EXPECT_EQ(call.memory.budget().milli_left(), 48'500);
    EXPECT_EQ(call.next(), "wait 2000ms");
    EXPECT_EQ(call.next(), "attempt 3");
    call.succeeds();
    EXPECT_EQ(call.memory.budget().milli_left(), 49'500);
}

// What no SDK asks: was the write applied? Without a way to know, a write that is not harmless to repeat
// stays unknown instead.
TEST(DynamoSequences, end_at_the_first_open_outcome_of_a_write_that_must_not_happen_twice) {
    Transcript call{plan_for(Retries::aws_2026), {.safety = Safety::once}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails(failure_of({.status = 500, .code = "InternalServerError"}));
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, internal");
}

}  // namespace
}  // namespace perdure::dynamodb
