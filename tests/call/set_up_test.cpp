// SPDX-License-Identifier: Apache-2.0
//
// Setting up a connection has its own limit: it is neither the attempt's time nor the service's
// latency.
#include <gtest/gtest.h>

#include "perdure/call/diagnostics.hpp"
#include "transcript.hpp"

namespace perdure::testing {
namespace {

Plan with_set_up() {
    return {.name = "users", .deadline = 10s, .attempt_timeout = 1s, .set_up = 3s};
}

TEST(SetUp, comes_on_top_of_the_attempt_timeout_until_the_connection_is_there) {
    Transcript call{with_set_up(), get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    call.took(2s);
    call.progress.connected(1, call.now);
    EXPECT_EQ(call.next(), "wait 1000ms") << "the timeout starts now";
}

TEST(SetUp, that_never_ends_is_cut_off_with_the_attempt) {
    Transcript call{with_set_up(), get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 4000ms");
    EXPECT_EQ(call.next(), "cancel 1");
}

TEST(SetUp, never_reaches_beyond_the_deadline) {
    Plan plan = with_set_up();
    plan.deadline = 2s;
    Transcript call{plan, get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 2000ms");
    Transcript late{plan, get_operation, concurrent};
    late.next();
    late.took(1500ms);
    late.progress.connected(1, late.now);
    EXPECT_EQ(late.next(), "wait 500ms");

    plan.deadline = never;
    plan.set_up = never;
    Transcript endless{plan, get_operation, concurrent};
    EXPECT_EQ(endless.next(), "attempt 1");
    EXPECT_EQ(endless.next(), "wait for ever");
}

TEST(AttemptTimeout, of_one_call_may_be_shorter_than_the_plans_but_never_longer) {
    Operation hurried = get_operation;
    hurried.attempt_timeout = 200ms;
    Transcript call{with_set_up(), hurried, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 3200ms") << "what the set-up may take comes on top";
    Transcript connected{with_set_up(), hurried, concurrent};
    connected.next();
    connected.progress.connected(1, connected.now);
    EXPECT_EQ(connected.next(), "wait 200ms");
    hurried.attempt_timeout = 1h;
    Transcript patient{with_set_up(), hurried, concurrent};
    patient.next();
    EXPECT_EQ(patient.next(), "wait 4000ms");
}

TEST(SetUp, is_not_counted_as_latency) {
    Transcript fast{with_set_up(), get_operation, concurrent};
    fast.next();
    fast.took(2s);
    fast.progress.connected(1, fast.now);
    fast.took(10ms);
    fast.succeeds();
    EXPECT_EQ(fast.next(), "finish");
    const Sketch latencies = fast.memory.latencies().snapshot();
    EXPECT_EQ(latencies.count(), 1u);
    EXPECT_LT(latencies.quantile(1.0), 11ms);
}

TEST(SetUp, is_not_counted_as_latency_of_a_repeated_attempt_either) {
    Transcript call{with_set_up(), get_operation, concurrent};
    call.next();
    call.progress.connected(1, call.now);
    call.fails({.cause = Cause::unavailable});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.took(2s);
    EXPECT_EQ(call.progress.next(call.now).until - call.now, 2s) << "not connected a second time";
    call.progress.connected(2, call.now);
    call.took(10ms);
    call.succeeds();
    EXPECT_LT(call.memory.latencies().snapshot().quantile(1.0), 11ms);
}

TEST(SetUp, counts_for_each_copy_by_itself) {
    Plan plan = with_set_up();
    plan.hedge = HedgeOptions{.after = 500ms};
    Transcript call{plan, get_operation, concurrent};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 500ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.progress.connected(2, call.now);
    EXPECT_EQ(call.next(), "wait 1000ms") << "the copy's timeout";
    call.progress.connected(7, call.now);  // of nobody: without effect
    EXPECT_EQ(call.next(), "cancel 2");
    EXPECT_EQ(call.next(), "wait 2500ms") << "the first one may still set up";
    call.progress.connected(1, call.now - 1s);
    call.succeeds_in(1);
    EXPECT_EQ(call.memory.latencies().snapshot().count(), 1u);
}

TEST(SetUp, must_not_be_negative) {
    Plan plan = with_set_up();
    plan.set_up = -1ms;
    const auto findings = validate(plan);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].field, "set_up");
}

TEST(Phases, stand_in_the_record_of_their_attempt) {
    Diagnostics diagnostics;
    Operation watched = get_operation;
    watched.diagnostics = &diagnostics;
    Transcript call{with_set_up(), watched, concurrent};
    call.next();
    Phases phases{.reached = Phase::body, .sent = Sent::response_begun, .reused = true};
    phases[Phase::send] = 5ns;
    diagnostics.note_phases(1, phases);
    diagnostics.note_phases(9, {});
    call.succeeds();
    ASSERT_EQ(diagnostics.attempts().size(), 1u);
    EXPECT_EQ(diagnostics.attempts()[0].phases, phases);
    EXPECT_NE(diagnostics.to_json().find(R"("phases":{"reached":"body","sent":"response_begun",)"
                                         R"("reused":true,"send_ns":5})"),
              std::string::npos)
        << diagnostics.to_json();
}

TEST(Phases, decide_by_the_first_byte_whether_anything_can_have_happened) {
    EXPECT_EQ(effect_of(Sent::nothing), Effect::none);
    EXPECT_EQ(effect_of(Sent::partly), Effect::unknown);
    EXPECT_EQ(effect_of(Sent::all), Effect::unknown);
    EXPECT_EQ(effect_of(Sent::response_begun), Effect::unknown);
}

}  // namespace
}  // namespace perdure::testing
