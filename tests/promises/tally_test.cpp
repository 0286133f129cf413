// SPDX-License-Identifier: Apache-2.0
//
// Would a drill notice a broken promise?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "promises/support/drill.hpp"

namespace perdure::promises {
namespace {

constexpr TimePoint at_second(int seconds) { return TimePoint{} + std::chrono::seconds{seconds}; }
constexpr Break from_5_to_6{at_second(5), at_second(6)};

CallNote call(int began, int ended, Word word) {
    return {.began = at_second(began), .ended = at_second(ended), .told = {.word = word}};
}

// Ten calls in flight, all of them done.
Outcome kept() {
    Outcome outcome{.drill = {.callers = 10}, .away = 1s};
    for (Tally& tally : outcome.tallies) {
        tally.in_flight = {.calls = 10, .done_once = 10};
        tally.all = {.calls = 100, .done_once = 100};
    }
    outcome.counts[0].requests = 136;
    return outcome;
}

std::string first_broken(const Outcome& outcome) {
    const std::vector<std::string> broken = broken_promises(outcome);
    return broken.empty() ? "none" : broken.front();
}

TEST(PromisesTally, tells_calls_in_flight_from_earlier_and_later_ones) {
    const Tally tally = tally_of({call(1, 5, Word::done), call(4, 7, Word::done),
                                  call(5, 7, Word::done), call(6, 7, Word::done)},
                                 from_5_to_6, {{0, 1}, {1, 1}, {2, 1}, {3, 1}});
    EXPECT_EQ(tally.all.calls, 4);
    EXPECT_EQ(tally.in_flight.calls, 2);
    EXPECT_EQ(tally.later.calls, 1);
}

TEST(PromisesTally, holds_each_word_against_what_the_server_did) {
    const std::vector<CallNote> notes{call(4, 7, Word::done),     call(4, 7, Word::done),
                                      call(4, 7, Word::done),     call(4, 7, Word::not_done),
                                      call(4, 7, Word::not_done), call(4, 7, Word::unknown)};
    const CallCounts calls =
        tally_of(notes, from_5_to_6, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {4, 1}, {5, 1}}).in_flight;
    EXPECT_EQ(calls.done_once, 1);
    EXPECT_EQ(calls.doubled, 1);
    EXPECT_EQ(calls.wrong_word, 2);
    EXPECT_EQ(calls.not_done, 1);
    EXPECT_EQ(calls.unknown, 1);
}

TEST(PromisesTally, finds_no_broken_promise_where_all_are_kept) {
    EXPECT_EQ(first_broken(kept()), "none");
}

TEST(PromisesTally, notices_a_call_that_was_done_twice) {
    Outcome outcome = kept();
    outcome.tallies[0].all.doubled = 1;
    EXPECT_EQ(first_broken(outcome), "calls done twice: 1, promised at most 0");
}

TEST(PromisesTally, notices_a_wrong_word) {
    Outcome outcome = kept();
    outcome.tallies[0].all.wrong_word = 1;
    EXPECT_EQ(first_broken(outcome), "wrong words: 1, promised at most 0");
}

TEST(PromisesTally, notices_a_call_that_a_loop_would_have_done) {
    Outcome outcome = kept();
    outcome.away = 6s;
    outcome.tallies[0].in_flight = {.calls = 10, .done_once = 8, .not_done = 2};
    outcome.tallies[1].in_flight = {.calls = 10, .done_once = 9, .doubled = 1};
    outcome.tallies[2].in_flight = {.calls = 10, .done_once = 7, .not_done = 3};
    EXPECT_EQ(first_broken(outcome),
              "calls in flight not done exactly once (limit: the better loop's): 2, promised at "
              "most 1");
    outcome.tallies[1].in_flight.done_once = 8;
    EXPECT_EQ(first_broken(outcome), "none");
}

TEST(PromisesTally, notices_a_call_given_up_although_the_server_came_back) {
    Outcome outcome = kept();
    for (Tally& tally : outcome.tallies)
        tally.in_flight = {.calls = 10, .done_once = 9, .not_done = 1};
    EXPECT_EQ(first_broken(outcome),
              "calls in flight reported as not done, the server back within 5 s: 1, promised at "
              "most 0");
    outcome.away = 6s;
    EXPECT_EQ(first_broken(outcome), "none");
}

TEST(PromisesTally, excuses_an_unknown_outcome_only_where_the_server_cannot_tell) {
    Outcome outcome = kept();
    outcome.tallies[0].in_flight = {.calls = 10, .done_once = 9, .unknown = 1};
    EXPECT_EQ(first_broken(outcome), "calls in flight reported as unknown: 1, promised at most 0");
    outcome.drill.doubts = Doubts::may_remain;
    EXPECT_EQ(first_broken(outcome), "none");
}

TEST(PromisesTally, promises_later_calls_only_where_another_address_is_there) {
    Outcome outcome = kept();
    outcome.tallies[0].later = {.calls = 10, .done_once = 9, .not_done = 1};
    EXPECT_EQ(first_broken(outcome), "none");
    outcome.drill.later = Later::promised;
    EXPECT_EQ(first_broken(outcome),
              "calls begun later not done exactly once (limit: the better loop's): 1, promised at "
              "most 0");
}

TEST(PromisesTally, excuses_no_more_unknown_outcomes_than_there_are_sessions) {
    Outcome outcome = kept();
    outcome.drill.doubts = Doubts::may_remain;
    outcome.drill.pool = 3;
    outcome.tallies[0].in_flight = {.calls = 10, .done_once = 6, .unknown = 4};
    EXPECT_EQ(first_broken(outcome),
              "calls in flight not done exactly once (limit: the better loop's): 1, promised at "
              "most 0");
}

TEST(PromisesTally, notices_a_drill_that_shows_nothing) {
    Outcome outcome = kept();
    outcome.complete = false;
    EXPECT_EQ(first_broken(outcome), "the drill did not come to its end");
    outcome.complete = true;
    outcome.tallies[0].in_flight = {.calls = 4, .done_once = 4};
    EXPECT_EQ(first_broken(outcome),
              "calls in flight, so that something is shown: 4, needed at least 5");
}

// 1.1 × 100 calls, 2 × 10 in flight and 6.
TEST(PromisesTally, notices_one_request_too_many) {
    Outcome outcome = kept();
    outcome.counts[0].requests = 137;
    EXPECT_EQ(first_broken(outcome), "requests the server worked on: 137, promised at most 136");
}

}  // namespace
}  // namespace perdure::promises
