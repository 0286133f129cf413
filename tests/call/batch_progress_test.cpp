// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/batch_progress.hpp"

#include <gtest/gtest.h>

#include "batch_story.hpp"

namespace perdure::testing {
namespace {

using Lines = std::vector<std::string>;

const Plan orders{.name = "orders"};
const Failure throttled_item{.cause = Cause::throttled, .code = "Throttled"};
const Failure unreachable{.cause = Cause::unavailable};
const Failure refused{.cause = Cause::invalid, .code = "NoSuchColumn"};

BatchOptions one_at_a_time(std::size_t chunk_items) {
    return {.chunk_items = chunk_items, .parallel = {.most = 1}};
}

TEST(BatchProgress, cuts_by_count_and_sends_side_by_side_up_to_the_limit) {
    Story story{orders, {.chunk_items = 3, .parallel = {.most = 2}}, 7};
    EXPECT_EQ(story.next(3), (Lines{"0 sends 0 1 2", "1 sends 3 4 5", "wait for an answer"}));
    story.answers(1);
    EXPECT_EQ(story.next(2), (Lines{"1 sends 6", "wait for an answer"}));
    story.answers(0);
    story.answers(1);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_TRUE(story.totals().complete());
    EXPECT_EQ(story.totals().done, 7u);
    EXPECT_EQ(story.totals().sends, 3u);
    EXPECT_EQ(story.totals().rounds, 1);
}

TEST(BatchProgress, has_nothing_to_do_for_no_items) {
    Story story{orders, {}, 0};
    EXPECT_EQ(story.next(), "finish");
    EXPECT_TRUE(story.totals().complete());
    EXPECT_EQ(story.totals().sends, 0u);
}

TEST(BatchProgress, cuts_by_bytes_and_sends_an_item_larger_than_a_chunk_alone) {
    const std::vector<std::size_t> sizes{40, 60, 1, 250, 10, 90, 101};
    const auto size_of = [&](std::size_t index) { return sizes[index]; };
    BatchOptions options = one_at_a_time(4);
    options.chunk_bytes = 100;
    options.size_of = size_of;
    Story story{orders, options, sizes.size()};
    for (const char* said : {"0 sends 0 1", "0 sends 2", "0 sends 3", "0 sends 4 5", "0 sends 6"}) {
        EXPECT_EQ(story.next(), said);
        story.answers(0);
    }
    EXPECT_EQ(story.next(), "finish");
}

TEST(BatchProgress, leaves_an_item_that_no_send_can_hold_without_sending_it) {
    const auto size_of = [](std::size_t index) { return index == 1 ? 401u : 10u; };
    BatchOptions options = one_at_a_time(9);
    options.largest_item = 400;
    options.size_of = size_of;
    Story story{orders, options, 3};
    EXPECT_EQ(story.next(), "0 sends 0 2");
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"1: too_large, permanent after 0"}));
    EXPECT_EQ(story.totals().leftovers[0].failure.code, "item-too-large");
}

TEST(BatchProgress, sends_leftovers_again_with_backoff_and_fills_the_chunk_up) {
    Story story{orders, one_at_a_time(3), 5};
    EXPECT_EQ(story.next(), "0 sends 0 1 2");
    story.answers(0, {{1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 1 3 4"}));
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_TRUE(story.totals().complete());
    EXPECT_EQ(story.totals().rounds, 2);
}

TEST(BatchProgress, doubles_the_wait_while_nothing_moves_and_begins_anew_when_something_does) {
    Story story{orders, one_at_a_time(2), 2};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0, {{0, throttled_item}, {1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 0 1"}));
    story.answers(0, {{0, throttled_item}, {1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 100ms", "0 sends 0 1"}));
    story.answers(0, {{1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 1"}));
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 100ms", "0 sends 1"}));
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 200ms", "0 sends 1"}));
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"1: throttled, attempts after 6"}));
    EXPECT_EQ(story.totals().done, 1u);
}

TEST(BatchProgress, pays_for_rounds_without_progress_only) {
    Story story{orders, one_at_a_time(2), 2};
    const int full = story.memory.budget().milli_left();
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0, {{1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 1"}));
    EXPECT_EQ(story.memory.budget().milli_left(), full);
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 100ms", "0 sends 1"}));
    EXPECT_EQ(story.memory.budget().milli_left(), full - 500);
}

// One retry costs what it costs, and is the work of many items.
TEST(BatchProgress, each_item_done_at_its_first_send_pays_in_as_a_call_would) {
    Story story{orders, one_at_a_time(4), 8};
    Budget& budget = story.memory.budget();
    while (budget.try_withdraw(1400, story.now, story.memory)) {}
    const int low = budget.milli_left();
    EXPECT_EQ(story.next(), "0 sends 0 1 2 3");
    story.answers(0, {{3, throttled_item}});
    EXPECT_EQ(budget.milli_left() - low, 200) << "3 items, of which the send would pay for one";
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 3 4 5 6"}));
    story.answers(0);
    EXPECT_EQ(budget.milli_left() - low, 200 + 200) << "the fourth was sent before";
    EXPECT_EQ(story.next(), "0 sends 7");
    story.answers(0);
    EXPECT_EQ(budget.milli_left() - low, 400 + 100) << "a send of one is a call of its own";
    EXPECT_EQ(story.memory.first_successes(), 1u + 4u);
}

TEST(BatchProgress, items_pay_nothing_into_a_budget_that_is_as_a_peer_has_it) {
    Plan as_aws = orders;
    as_aws.budget = {.kind = BudgetKind::fixed, .deposit = 0.1, .capacity = 50};
    Story story{as_aws, one_at_a_time(10), 10};
    Budget& budget = story.memory.budget();
    ASSERT_TRUE(budget.try_withdraw(5000, story.now, story.memory));
    EXPECT_EQ(story.next().substr(0, 7), "0 sends");
    story.answers(0);
    EXPECT_EQ(budget.milli_left(), 45'000 + 100);
}

TEST(BatchProgress, waits_by_another_rule_where_it_is_throttled_while_others_are_not) {
    Plan plan = orders;
    plan.rules = {{"throttled", {.backoff = {.base = 1s}}},
                  {"in-part", {.backoff = {.base = 5ms}}}};
    BatchOptions options{.chunk_items = 1, .parallel = {.most = 2}};
    options.throttled_in_part = "in-part";
    const Failure throttled_send{.cause = Cause::throttled};
    Story story{plan, options, 4};
    EXPECT_EQ(story.next(2), (Lines{"0 sends 0", "1 sends 1"}));
    story.fails(0, throttled_send);
    story.answers(1);
    EXPECT_EQ(story.next(2), (Lines{"wait 1000ms", "0 sends 0"})) << "nothing was done before";
    story.fails(0, throttled_send);
    EXPECT_EQ(story.next(2), (Lines{"wait 5ms", "0 sends 0"})) << "an item was done";
    story.fails(0, throttled_send);
    EXPECT_EQ(story.next(2), (Lines{"wait 10ms", "0 sends 0"})) << "not longer ago than 2 sends";
    story.fails(0, throttled_send);
    EXPECT_EQ(story.next(2), (Lines{"wait 2000ms", "0 sends 0"})) << "nothing moves any more";
}

TEST(BatchProgress, stops_without_a_budget_and_says_so) {
    Plan poor = orders;
    poor.budget = {.kind = BudgetKind::fixed, .capacity = 0};
    Story story{poor, one_at_a_time(2), 2};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0, {{1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 1"}));  // after progress: for nothing
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"1: throttled, budget after 2"}));
}

TEST(BatchProgress, an_item_refused_for_good_is_left_at_once_and_keeps_nobody) {
    Story story{orders, one_at_a_time(3), 3};
    EXPECT_EQ(story.next(), "0 sends 0 1 2");
    story.answers(0, {{0, refused}, {2, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 2"}));
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"0: invalid, permanent after 1"}));
    EXPECT_EQ(story.totals().leftovers[0].failure.code, "NoSuchColumn");
    EXPECT_EQ(story.totals().leftovers[0].failure.dependency, "orders");
}

TEST(BatchProgress, repeats_what_the_operation_insists_on) {
    const auto not_found_yet = [](const Failure& failure) {
        return failure.cause == Cause::not_found;
    };
    Story story{orders,
                one_at_a_time(2),
                2,
                {.operation = {.safety = Safety::idempotent, .also_repeat = {not_found_yet}}}};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0, {{0, {.cause = Cause::not_found}}, {1, refused}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 0"}));
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"1: invalid, permanent after 1"}));
}

TEST(BatchProgress, a_chunk_that_failed_as_a_whole_goes_through_the_five_questions) {
    Story story{orders, one_at_a_time(2), 4};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.fails(0, unreachable);
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 0 1"}));
    story.answers(0);
    EXPECT_EQ(story.next(), "0 sends 2 3");
    story.fails(0, refused);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(),
              (Lines{"2: invalid, permanent after 1", "3: invalid, permanent after 1"}));
}

TEST(BatchProgress, never_sends_again_what_may_have_happened_and_may_happen_only_once) {
    const Operation once{.name = "charge", .safety = Safety::once};
    Story story{orders, {.chunk_items = 2, .parallel = {.most = 2}}, 4, {.operation = once}};
    EXPECT_EQ(story.next(2), (Lines{"0 sends 0 1", "1 sends 2 3"}));
    story.fails(0, unreachable);
    // In an answer about each item only the doubtful one is kept back.
    story.answers(1, {{0, unreachable}, {1, throttled_item}});
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "1 sends 3"}));
    story.answers(1);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"0: unavailable, unsafe after 1, unknown",
                                   "1: unavailable, unsafe after 1, unknown",
                                   "2: unavailable, unsafe after 1, unknown"}));
}

TEST(BatchProgress, an_early_unknown_of_an_item_is_not_forgotten) {
    Story story{orders, one_at_a_time(2), 2};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.fails(0, unreachable);
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 0 1"}));
    story.answers(0, {{1, refused}});
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(), (Lines{"1: invalid, permanent after 2, unknown"}));
    EXPECT_EQ(story.totals().leftovers[0].failure.first_cause, Cause::unavailable);
}

TEST(BatchProgress, waits_as_long_as_the_item_that_was_told_to_wait_longest) {
    Story story{orders, one_at_a_time(2), 2};
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0, {{0, {.cause = Cause::throttled, .retry_after = 200ms}},
                      {1, {.cause = Cause::throttled, .retry_after = 700ms}}});
    EXPECT_EQ(story.next(), "wait 700ms");
}

TEST(BatchProgress, sends_less_at_once_while_it_is_throttled_and_holds_the_lanes_that_wait) {
    Story story{orders, {.chunk_items = 1, .parallel = {.most = 4}}, 9};
    EXPECT_EQ(story.next(4), (Lines{"0 sends 0", "1 sends 1", "2 sends 2", "3 sends 3"}));
    for (const std::size_t lane : {0u, 1u, 2u, 3u}) story.fails(lane, throttled_item);
    EXPECT_EQ(story.batch.limit(), 2);
    // Four wait, none is replaced; then two go out, and the others wait for their answers.
    EXPECT_EQ(story.next(4), (Lines{"wait 50ms", "0 sends 0", "1 sends 1", "wait for an answer"}));
    story.answers(0);
    EXPECT_EQ(story.next(2), (Lines{"2 sends 2", "wait for an answer"}));
}

TEST(BatchProgress, one_busy_key_in_a_chunk_does_not_narrow_the_others) {
    Story story{orders, {.chunk_items = 3, .parallel = {.most = 4}}, 12};
    (void)story.next(4);
    story.answers(0, {{0, throttled_item}});
    EXPECT_EQ(story.batch.limit(), 4);
    story.answers(1, {{0, throttled_item}, {2, throttled_item}});
    EXPECT_EQ(story.batch.limit(), 2);
}

TEST(BatchProgress, ends_by_the_deadline_and_leaves_what_was_not_sent) {
    Plan short_plan = orders;
    short_plan.deadline = 120ms;
    Story story{short_plan, one_at_a_time(1), 3};
    EXPECT_EQ(story.next(), "0 sends 0");
    story.fails(0, throttled_item);
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 0"}));
    story.now += 100ms;
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.totals().done, 1u);
    EXPECT_EQ(story.left(),
              (Lines{"1: timed_out, deadline after 0", "2: timed_out, deadline after 0"}));
}

TEST(BatchProgress, a_chunk_opened_late_has_no_more_time_than_the_batch) {
    Story story{orders, one_at_a_time(1), 2};
    const TimePoint end = story.now + 10s;
    EXPECT_EQ(story.next(), "0 sends 0");
    story.now += 8s;
    story.answers(0);
    const BatchStep second = story.batch.next(story.now);
    EXPECT_EQ(second.step.until, end);
}

TEST(BatchProgress, cuts_off_a_send_that_overruns_where_the_driver_can) {
    Plan quick = orders;
    quick.attempt_timeout = 100ms;
    Story story{quick, one_at_a_time(2), 2, {.overrun = Overrun::cut_off}};
    EXPECT_EQ(story.next(4), (Lines{"0 sends 0 1", "wait 100ms", "0 is cut off", "wait 50ms"}));
    EXPECT_EQ(story.next(), "0 sends 0 1");
    story.answers(0);
    EXPECT_EQ(story.next(), "finish");
}

TEST(BatchProgress, cancelled_it_sends_nothing_more_and_takes_in_what_is_under_way) {
    Story story{orders, {.chunk_items = 1, .parallel = {.most = 3}}, 5};
    (void)story.next(3);
    story.fails(0, throttled_item);
    story.batch.cancelled(story.now);
    EXPECT_EQ(story.next(), "wait for an answer");
    story.answers(1);
    story.fails(2, unreachable);
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.totals().done, 1u);
    EXPECT_EQ(story.left(),
              (Lines{"0: cancelled, cancelled after 1", "2: cancelled, cancelled after 1, unknown",
                     "3: cancelled, cancelled after 0", "4: cancelled, cancelled after 0"}));
}

TEST(BatchProgress, cancelled_it_cuts_off_what_can_be_cut_off) {
    Story story{orders, one_at_a_time(1), 2, {.overrun = Overrun::cut_off}};
    EXPECT_EQ(story.next(), "0 sends 0");
    story.batch.cancelled(story.now);
    EXPECT_EQ(story.next(2), (Lines{"0 is cut off", "finish"}));
    EXPECT_EQ(story.left(), (Lines{"0: cancelled, cancelled after 1, unknown",
                                   "1: cancelled, cancelled after 0"}));
}

TEST(BatchProgress, options_that_cannot_be_used_leave_every_item_with_the_reason) {
    Story story{orders, {.chunk_items = 0, .chunk_bytes = 10}, 2};
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.left(),
              (Lines{"0: invalid, permanent after 0", "1: invalid, permanent after 0"}));
    EXPECT_EQ(story.totals().leftovers[0].failure.code, "invalid-batch");
    EXPECT_NE(story.totals().leftovers[0].failure.message.find("size_of"), std::string::npos);
}

TEST(BatchProgress, a_plan_that_cannot_be_used_leaves_every_item_with_the_reason) {
    Plan broken = orders;
    broken.rule.attempts = -1;
    Story story{broken, one_at_a_time(1), 3};
    EXPECT_EQ(story.next(), "finish");
    EXPECT_EQ(story.totals().leftovers.size(), 3u);
    EXPECT_EQ(story.totals().leftovers[2].failure.code, "invalid-plan");
}

TEST(BatchProgress, an_item_the_answer_does_not_speak_of_is_not_taken_for_done) {
    Story story{orders, one_at_a_time(3), 3};
    EXPECT_EQ(story.next(), "0 sends 0 1 2");
    story.batch.answered(0, ChunkMarks(2), story.now);
    EXPECT_EQ(story.next(2), (Lines{"wait 50ms", "0 sends 2"}));
}

}  // namespace
}  // namespace perdure::testing
