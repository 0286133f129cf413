// SPDX-License-Identifier: Apache-2.0
//
// The vocabulary is complete when these twelve real conversations need nothing but Progress.
#include <gtest/gtest.h>

#include "transcript.hpp"

namespace perdure::testing {
namespace {

const auto no_remedy = [](RemedySet, const Attempt&) -> Result<void> { return {}; };

Plan cosmos() {
    return {
        .name = "cosmos",
        .deadline = 60s,
        .rules = {{"429",
                   {.attempts = 10,
                    .window = 30s,
                    .window_counts = WindowCounts::waiting,
                    .backoff = {.base = 5s, .cap = 5s, .jitter = Jitter::none},
                    .hint = {HintUse::plus, 10ms}}},
                  {"449",
                   {.attempts = 0, .window = 30s, .backoff = {.base = 10ms, .cap = 1s}, .cost = 0}},
                  {"403/3",
                   {.attempts = 10,
                    .window = 30s,
                    .backoff = {.base = 1s, .cap = 1s, .first = FirstRetry::at_once}}}}};
}

TEST(TwelveCases, one_a_429_waits_what_the_server_asked_plus_a_little_jitter) {
    Transcript call{cosmos(), {.name = "create"}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::throttled, .retry_after = 200ms, .rule = "429", .status = 429});
    EXPECT_EQ(call.next(), "wait 210ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.succeeds();
    EXPECT_EQ(call.next(), "finish");
}

TEST(TwelveCases, one_b_429_ends_when_thirty_seconds_were_spent_waiting) {
    Transcript call{cosmos(), {.name = "create"}};
    for (int attempt = 1; attempt <= 4; ++attempt) {
        EXPECT_EQ(call.next(), "attempt " + std::to_string(attempt));
        call.fails(
            {.cause = Cause::throttled, .retry_after = 9'990ms, .rule = "429", .status = 429});
        EXPECT_EQ(call.next(), attempt < 4 ? "wait 10000ms" : "finish");
    }
    EXPECT_EQ(call.ending(), "window, effect none, throttled");
}

TEST(TwelveCases, two_a_449_is_repeated_for_thirty_seconds_and_costs_nothing) {
    Transcript call{cosmos(), {.name = "replace"}};
    const int tokens = call.memory.budget().milli_left();
    int attempts = 0;
    std::string last = call.next();
    for (; last != "finish"; last = call.next()) {
        if (!last.starts_with("attempt")) continue;
        ++attempts;
        call.fails({.cause = Cause::contended, .rule = "449", .status = 449});
    }
    // 10, 20, … 640 ms, then 1 s each: 1.27 s and 28 more whole seconds fit into 30 s.
    EXPECT_EQ(attempts, 1 + 7 + 28);
    EXPECT_EQ(call.memory.budget().milli_left(), tokens);
    EXPECT_EQ(call.ending(), "window, effect none, contended");
}

TEST(TwelveCases,
     three_a_transaction_in_progress_is_repeated_until_an_attempt_started_after_five_seconds) {
    Transcript call{{.name = "dynamodb",
                     .deadline = 30s,
                     .rules = {{"in-progress",
                                {.attempts = 4,
                                 .not_before_giving_up = 5s,
                                 .backoff = {.base = 200ms, .cap = 20s}}}}},
                    {.name = "transact", .safety = Safety::guarded}};
    std::vector<std::string> waits;
    std::string last = call.next();
    for (; last != "finish"; last = call.next()) {
        if (last.starts_with("wait")) waits.push_back(last);
        else call.fails({.cause = Cause::contended, .rule = "in-progress"});
    }
    // Four attempts end after 1.4 s; the fifth and sixth are owed to the floor.
    EXPECT_EQ(waits, (std::vector<std::string>{"wait 200ms", "wait 400ms", "wait 800ms",
                                               "wait 1600ms", "wait 3200ms"}));
    EXPECT_EQ(call.ending(), "attempts, effect none, contended");
}

TEST(TwelveCases, four_a_commit_cut_after_apply_is_resolved_by_its_token) {
    Transcript call{{.name = "bank"}, {.name = "transfer"}, {.resolver = Resolver::given}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::unavailable, .code = "08006"});
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::pending, 300ms, call.now);
    EXPECT_EQ(call.next(), "wait 300ms");
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::yes, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.progress.attempts(), 1);
    EXPECT_EQ(call.memory.counters()[Count::resolved_yes], 1u);
    EXPECT_EQ(call.memory.counters()[Count::calls_failed], 0u);
}

TEST(TwelveCases, five_a_commit_whose_fate_stays_unknown_is_never_repeated_and_says_so) {
    Transcript call{
        {.name = "bank", .deadline = 9s}, {.name = "transfer"}, {.resolver = Resolver::given}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::unavailable, .code = "08006"});
    int asked = 0;
    for (std::string last = call.next(); last != "finish"; last = call.next()) {
        ASSERT_FALSE(last.starts_with("attempt"));
        if (last != "ask") continue;
        ++asked;
        call.progress.resolver_failed({.cause = Cause::unavailable}, call.now);
    }
    EXPECT_GT(asked, 5);
    EXPECT_LE(call.now - call.progress.started(), 9s);
    EXPECT_EQ(call.memory.counters()[Count::unknown_outcomes], 1u);
    EXPECT_EQ(call.ending(), "unsafe, effect unknown, unavailable");
}

TEST(TwelveCases, six_a_guarded_create_that_meets_its_own_409_asks_and_succeeds) {
    Transcript call{{.name = "cosmos"},
                    {.name = "create", .safety = Safety::guarded},
                    {.resolver = Resolver::given}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::timed_out});
    EXPECT_EQ(call.next(), "wait 50ms");  // guarded: a repeat is harmless, so nobody is asked yet
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::conflict, .status = 409});
    EXPECT_EQ(call.next(), "ask");
    call.progress.landed(Verdict::yes, {}, call.now);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::resolved_yes], 1u);
}

TEST(TwelveCases, six_b_a_409_without_an_unknown_before_it_is_simply_a_conflict) {
    Transcript call{{.name = "cosmos"},
                    {.name = "create", .safety = Safety::guarded},
                    {.resolver = Resolver::given}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::conflict, .status = 409});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "permanent, effect none, conflict");
}

TEST(TwelveCases, seven_leftovers_that_shrink_start_the_series_anew_and_cost_nothing) {
    Transcript call{{.name = "dynamodb"}, {.name = "batch-write", .safety = Safety::idempotent}};
    const int tokens = call.memory.budget().milli_left();
    const Failure shrinking{
        .cause = Cause::throttled, .advanced = true, .code = "UnprocessedItems"};
    for (int round = 1; round <= 6; ++round) {  // more rounds than the rule has attempts
        EXPECT_EQ(call.next(), "attempt " + std::to_string(round));
        call.progress.partial(round, shrinking, call.now);
        EXPECT_EQ(call.next(), "wait 50ms");
    }
    EXPECT_EQ(call.memory.budget().milli_left(), tokens);
    EXPECT_EQ(call.next(), "attempt 7");
    Failure stuck = shrinking;
    stuck.advanced = false;
    call.progress.partial(7, stuck, call.now);
    EXPECT_EQ(call.next(), "wait 100ms");
    EXPECT_EQ(call.memory.budget().milli_left(), tokens - 500);
    EXPECT_EQ(call.next(), "attempt 8");
    call.succeeds();
    EXPECT_EQ(call.next(), "finish");
}

TEST(TwelveCases, eight_a_hedged_read_takes_the_first_answer_and_ignores_the_loser) {
    Transcript call{{.name = "replicas", .hedge = HedgeOptions{.after = 30ms}},
                    {.name = "get", .safety = Safety::read},
                    {.driving = Driving::concurrent}};
    EXPECT_EQ(call.next(), "attempt 1");
    EXPECT_EQ(call.next(), "wait 30ms");
    EXPECT_EQ(call.next(), "attempt 2");
    call.took(5ms);
    call.succeeds_in(2);
    EXPECT_EQ(call.next(), "cancel 1");
    EXPECT_EQ(call.next(), "finish");
    call.took(5ms);
    call.succeeds_in(1);
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.memory.counters()[Count::hedges_won], 1u);
    EXPECT_EQ(call.memory.latencies().count(), 1u);
}

TEST(TwelveCases, nine_expired_credentials_are_refreshed_once) {
    Transcript call{{.name = "dynamodb"}, {.name = "put", .prepare = no_remedy}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::credentials, .code = "ExpiredTokenException"});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "prepare refresh_credentials");
    call.progress.prepared({}, call.now);
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails({.cause = Cause::credentials, .code = "ExpiredTokenException"});
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "attempts, effect none, credentials");
}

TEST(TwelveCases, ten_clock_skew_is_adjusted_before_the_next_attempt) {
    Transcript call{{.name = "dynamodb"}, {.name = "put", .prepare = no_remedy}};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails({.cause = Cause::clock_skew, .status = 400, .code = "InvalidSignatureException"});
    EXPECT_EQ(call.next(), "wait 50ms");
    EXPECT_EQ(call.next(), "prepare adjust_clock");
    call.progress.prepared({}, call.now);
    EXPECT_EQ(call.next(), "attempt 2");
    call.succeeds();
    EXPECT_EQ(call.next(), "finish");
}

TEST(TwelveCases, eleven_a_403_3_marks_the_endpoint_refreshes_and_moves) {
    Transcript call{cosmos(), {.name = "create", .prepare = no_remedy}};
    const Failure forbidden_here{.cause = Cause::wrong_region,
                                 .remedies = Remedy::mark_endpoint |
                                             Remedy::refresh_routing_account |
                                             Remedy::write_endpoint,
                                 .rule = "403/3",
                                 .status = 403};
    EXPECT_EQ(call.next(), "attempt 1");
    call.fails(forbidden_here);
    EXPECT_EQ(call.next(), "prepare refresh_routing_account, write_endpoint, mark_endpoint");
    call.progress.prepared({}, call.now);
    EXPECT_EQ(call.next(), "attempt 2");
    call.fails(forbidden_here);
    EXPECT_EQ(call.next(), "wait 1000ms");
    EXPECT_EQ(call.next(), "prepare refresh_routing_account, write_endpoint, mark_endpoint");
    call.progress.prepared(fail({.cause = Cause::unavailable, .code = "account-read"}), call.now);
    EXPECT_EQ(call.next(), "wait 50ms");  // the refresh failed: an ordinary failure, its own rule
    EXPECT_EQ(call.next(), "prepare refresh_routing_account, write_endpoint, mark_endpoint");
    call.progress.prepared({}, call.now);
    EXPECT_EQ(call.next(), "attempt 3");
    call.succeeds();
    EXPECT_EQ(call.next(), "finish");
}

TEST(TwelveCases,
     twelve_an_unknown_nested_call_makes_the_outer_attempt_unknown_whatever_was_rolled_back) {
    Transcript outer{{.name = "bank"}, {.name = "transfer"}};
    EXPECT_EQ(outer.next(), "attempt 1");
    const std::stop_token nobody;
    AttemptLink link{nobody};
    const Attempt attempt{.number = 1, .deadline = Deadline{outer.now + 3s}, .link = &link};

    Transcript inner{{.name = "payments"}, {.name = "charge"}, {.parent = &attempt}};
    EXPECT_EQ(inner.next(), "attempt 1");
    inner.fails({.cause = Cause::timed_out});
    EXPECT_EQ(inner.next(), "finish");  // one attempt: the outer call owns the retries
    EXPECT_EQ(inner.ending(), "unsafe, effect unknown, timed_out");
    EXPECT_EQ(inner.progress.deadline(), attempt.deadline);

    outer.fails({.cause = Cause::contended, .code = "40001"}, link.nested());
    EXPECT_EQ(outer.next(), "finish");
    EXPECT_EQ(outer.ending(), "unsafe, effect unknown, contended");
}

}  // namespace
}  // namespace perdure::testing
