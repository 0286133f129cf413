// SPDX-License-Identifier: Apache-2.0
//
// What does Progress say to a driver that can hold several attempts at once?
#include "time/tenths.hpp"
#include "transcript.hpp"

#include <gtest/gtest.h>

namespace perdure::testing {
namespace {

Plan hedged(HedgeOptions hedge = {.after = 30ms}) { return {.name = "replicas", .hedge = hedge}; }

TEST(Hedging, sends_at_most_the_extra_copies_one_step_apart) {
    Transcript call{hedged({.after = 30ms, .extra = 2, .step = 10ms}), get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    EXPECT_EQ(call.next(), "wait 10ms");
    EXPECT_EQ(call.next(), "attempt 3");
    EXPECT_EQ(call.next(), "wait " + in_words(Duration{10s} / 3 - 40ms)) << "the first one's limit";
    call.succeeds_in(1);
    EXPECT_EQ(call.next().substr(0, 6), "cancel");
    EXPECT_EQ(call.next().substr(0, 6), "cancel");
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::hedges_made], 2u);
    EXPECT_EQ(call.memory.counters()[Count::hedges_won], 0u);
}

TEST(Hedging, is_paid_from_the_budget_and_a_refusal_only_suppresses_the_copy) {
    Plan plan = hedged();
    plan.budget = {.kind = BudgetKind::fixed, .capacity = 1.5};
    Transcript paid{plan, get_operation, concurrent};
    paid.next();
    paid.next();
    EXPECT_EQ(paid.next(), "attempt 2");
    EXPECT_EQ(paid.memory.budget().milli_left(), 100);

    plan.budget.capacity = 1.3;
    Transcript refused{plan, get_operation, concurrent};
    refused.next();
    refused.next();
    EXPECT_TRUE(refused.next().starts_with("wait"));
    EXPECT_EQ(refused.memory.budget().milli_left(), 1300);
    EXPECT_EQ(refused.memory.counters()[Count::hedges_made], 0u);
    refused.succeeds_in(1);
    EXPECT_EQ(refused.next(), "finish");
}

TEST(Hedging, sends_no_copy_where_the_call_says_there_is_nowhere_to_send_one) {
    Transcript call{
        hedged(), {.name = "get", .safety = Safety::read, .copies = Copies::none}, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait " + in_words(Duration{10s} / 3));
}

TEST(Hedging, is_for_reads_and_for_the_idempotent_only_when_insisted) {
    const struct {
        Safety safety;
        HedgeWhat what;
        Driving driving;
        bool copies;
    } cases[] = {
        {Safety::read, HedgeWhat::reads, Driving::concurrent, true},
        {Safety::read, HedgeWhat::reads, Driving::one_at_a_time, false},
        {Safety::idempotent, HedgeWhat::reads, Driving::concurrent, false},
        {Safety::idempotent, HedgeWhat::idempotent_too, Driving::concurrent, true},
        {Safety::guarded, HedgeWhat::idempotent_too, Driving::concurrent, false},
        {Safety::once, HedgeWhat::idempotent_too, Driving::concurrent, false},
    };
    for (const auto& [safety, what, driving, copies] : cases) {
        SCOPED_TRACE(to_string(safety));
        Transcript call{
            hedged({.after = 30ms, .what = what}), {.safety = safety}, {.driving = driving}};
        call.next();
        EXPECT_EQ(call.next() == "wait 30ms", copies);
    }
}

TEST(Hedging, waits_for_the_copy_when_the_first_fails_and_the_last_failure_counts) {
    Transcript call{hedged(), get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails_in(1, {.cause = Cause::timed_out});
    EXPECT_TRUE(call.next().starts_with("wait")) << "the copy may still answer";
    call.fails_in(2, {.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 3");
    call.succeeds_in(3);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::retries_made], 1u);
}

TEST(Hedging, a_failed_copy_brings_the_next_one_forward) {
    Transcript call{hedged({.after = 30ms, .extra = 2}), get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.took(1ms);
    call.fails_in(1, {.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "attempt 3") << "no use in waiting for the other 29 ms";
}

TEST(Hedging, a_write_whose_other_copy_was_called_off_may_have_happened) {
    Transcript call{hedged({.after = 30ms, .what = HedgeWhat::idempotent_too}),
                    {.safety = Safety::idempotent},
                    concurrent};
    call.next();
    call.next();
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails_in(2, {.cause = Cause::invalid});
    EXPECT_EQ(call.next(), "cancel 1");
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect unknown, invalid");
}

TEST(Hedging, a_final_answer_wins_the_race_although_it_is_a_failure) {
    Transcript call{hedged(), get_operation, concurrent};
    call.next();
    call.next();
    call.next();
    call.fails_in(2, {.cause = Cause::not_found, .status = 404});
    EXPECT_EQ(call.next(), "cancel 1");
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect none, not_found");
}

TEST(Hedging, late_outcomes_change_nothing) {
    Transcript call{hedged(), get_operation, concurrent};
    call.next();
    call.next();
    call.next();
    call.succeeds_in(2);
    const CallCounts counts = call.memory.counters().snapshot();
    call.fails_in(1, {.cause = Cause::unavailable});
    call.succeeds_in(1);
    call.succeeds_in(2);
    call.succeeds_in(77);
    EXPECT_EQ(call.memory.counters().snapshot(), counts);
    EXPECT_EQ(call.memory.latencies().count(), 1u);
    EXPECT_EQ(call.next(), "cancel 1");
    EXPECT_EQ(call.next(), "finish");
}

TEST(Hedging, an_attempt_past_its_limit_is_cut_off_and_counts_as_timed_out) {
    Transcript call{{.deadline = 9s}, {.safety = Safety::idempotent}, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 3000ms");
    EXPECT_EQ(call.next(), "cancel 1");
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.succeeds_in(1);
    EXPECT_EQ(call.next(), "wait 3000ms") << "the first was given up: its late success is ignored";
    EXPECT_EQ(call.memory.counters()[Count::attempts_timed_out], 1u);
}

TEST(Hedging, cancelling_cancels_every_copy_and_a_write_may_have_happened) {
    for (const Safety safety : {Safety::read, Safety::idempotent}) {
        Transcript call{hedged({.after = 30ms, .what = HedgeWhat::idempotent_too}),
                        {.safety = safety},
                        concurrent};
        call.next();
        call.next();
        call.next();
        call.progress.cancelled(call.now);
        EXPECT_EQ(call.next().substr(0, 6), "cancel");
        EXPECT_EQ(call.next().substr(0, 6), "cancel");
        EXPECT_EQ(call.next(), "finish");
        EXPECT_EQ(call.ending(), safety == Safety::read ? "cancelled, effect none, cancelled"
                                                        : "cancelled, effect unknown, cancelled");
    }
}

TEST(Hedging, does_not_move_the_start_that_giving_up_is_counted_from) {
    Plan plan = hedged();
    plan.rule = {.attempts = 1, .not_before_giving_up = 20ms};
    Transcript call{plan, get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails_in(1, {.cause = Cause::unavailable});
    call.fails_in(2, {.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "finish") << "the copy went out 30 ms after the call's first attempt";
    EXPECT_EQ(call.ending(), "attempts, effect none, unavailable");
}

TEST(Hedging, learns_its_delay_from_the_latencies_once_there_are_enough) {
    Plan plan = hedged({.quantile = 0.95, .least_samples = 100});
    Memory memory{plan};
    const TimePoint now{Duration{1h}};
    for (int i = 0; i < 99; ++i) memory.latencies().record(20ms);
    testing::FixedRandom random{0};
    EXPECT_EQ(memory.hedge_after(now, random), std::nullopt);
    memory.latencies().record(20ms);
    EXPECT_EQ(memory.hedge_after(now + 999ms, random), std::nullopt)
        << "looks at most once a second";
    const auto learned = memory.hedge_after(now + 1s, random);
    ASSERT_TRUE(learned);
    EXPECT_NEAR(static_cast<double>(learned->count()), 20e6, 0.2e6);
    memory.counters().add(Count::hedges_made, 50);
    EXPECT_EQ(memory.hedge_after(now + 2s, random), std::nullopt)
        << "half of all calls: firing too often";
}

// How long after its first look at the latencies a memory looks again.
Duration relearns_after(Random& random) {
    Memory memory{hedged({.quantile = 0.95, .least_samples = 1})};
    const TimePoint now{Duration{1h}};
    (void)memory.hedge_after(now, random);
    memory.latencies().record(20ms);
    Duration wait{};
    while (!memory.hedge_after(now + wait, random)) wait += 1ms;
    return wait;
}

TEST(Hedging, learns_again_after_up_to_a_tenth_more_than_a_second) {
    testing::FixedRandom least{0}, most{1};
    EXPECT_EQ(relearns_after(least), 1s);
    EXPECT_EQ(relearns_after(most), 1100ms);
}

TEST(Hedging, does_not_make_a_fleet_learn_at_the_same_time) {
    SeededRandom random{9};
    std::vector<Duration> waits(200);
    for (Duration& wait : waits) wait = relearns_after(random);
    EXPECT_LT(fullest_tenth(waits, 1s, 1100ms), 0.25) << "seed 9";
}

}  // namespace
}  // namespace perdure::testing
