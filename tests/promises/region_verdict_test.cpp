// SPDX-License-Identifier: Apache-2.0
//
// Would a drill of regions notice a broken promise?
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "promises/support/region_drill.hpp"

namespace perdure::promises {
namespace {

constexpr TimePoint at(Duration time) { return TimePoint{} + time; }

CallNote call(Duration began, Duration ended, Word word) {
    return {.began = at(began), .ended = at(ended), .told = {.word = word}};
}

// Four hundred calls, three hundred of them after the first second, all done.
RegionOutcome all_kept() {
    RegionOutcome outcome{.drill = {.sick = {"East US"}, .callers = 10, .calls = 40}};
    for (const char* key : {"perdure", "four", "until", "js"}) {
        WayOutcome way{.key = key, .late_calls = 300};
        way.tally.all = {.calls = 400, .done_once = 400};
        outcome.ways.push_back(way);
    }
    return outcome;
}

std::string first_broken(const RegionOutcome& outcome) {
    const std::vector<std::string> broken = broken_promises(outcome);
    return broken.empty() ? "none" : broken.front();
}

TEST(PromisesRegionVerdict, finds_no_broken_promise_where_all_are_kept) {
    EXPECT_EQ(first_broken(all_kept()), "none");
}

TEST(PromisesRegionVerdict, notices_calls_that_were_not_made_in_time) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].tally.all.calls = 399;
    EXPECT_EQ(first_broken(outcome), "calls made: 399, promised at least 400");
}

TEST(PromisesRegionVerdict, notices_doubled_calls_and_wrong_words) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].tally.all.doubled = 1;
    EXPECT_EQ(first_broken(outcome), "calls done twice: 1, promised at most 0");
    outcome.ways[0].tally.all = {.calls = 400, .done_once = 400, .wrong_word = 2};
    EXPECT_EQ(first_broken(outcome), "wrong words: 2, promised at most 0");
}

TEST(PromisesRegionVerdict, notices_calls_that_another_client_got_done) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].tally.all = {.calls = 400, .done_once = 398, .not_done = 2};
    for (std::size_t other : {1u, 2u}) outcome.ways[other].tally.all.done_once = 398;
    outcome.ways[3].tally.all.done_once = 399;
    EXPECT_EQ(first_broken(outcome),
              "calls done exactly once, beside JavaScript SDK: 398, promised at least 399");
}

TEST(PromisesRegionVerdict, accepts_unknown_outcomes_only_where_they_cannot_be_resolved) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].tally.all = {.calls = 400, .done_once = 390, .unknown = 10};
    EXPECT_EQ(first_broken(outcome), "calls reported as unknown: 10, promised at most 0");
    outcome.drill.doubts = Doubts::may_remain;
    EXPECT_EQ(first_broken(outcome), "none");
    outcome.ways[0].unfounded_unknown = 1;
    EXPECT_EQ(first_broken(outcome), "calls reported as unknown: 1, promised at most 0");
}

TEST(PromisesRegionVerdict, allows_a_hundredth_of_the_calls_at_the_sick_place_and_one_at_least) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].counts.late_at_sick = 3;
    EXPECT_EQ(first_broken(outcome), "none");
    outcome.ways[0].counts.late_at_sick = 4;
    EXPECT_EQ(first_broken(outcome),
              "requests at the sick place after the first second: 4, promised at most 3");
    outcome.drill.sick_share = SickShare::shown;
    EXPECT_EQ(first_broken(outcome), "none");
    outcome.drill.sick_share = SickShare::promised;
    outcome.drill.sick.range = "3";
    outcome.ways[0].late_calls = 30;
    outcome.ways[0].counts.late_at_sick = 1;
    EXPECT_EQ(first_broken(outcome), "none");
}

TEST(PromisesRegionVerdict, notices_a_drill_that_shows_nothing) {
    RegionOutcome outcome = all_kept();
    outcome.ways[0].late_calls = 99;
    EXPECT_EQ(first_broken(outcome),
              "calls after the first second, so that something is shown: 99, promised at least "
              "100");
}

TEST(PromisesRegionVerdict, divides_the_calls_at_the_end_of_the_first_second) {
    const std::vector<CallNote> notes{call(1s, 2s, Word::done), call(4s, 5500ms, Word::done),
                                      call(5500ms, 5600ms, Word::done),
                                      call(6s, 6200ms, Word::done), call(7s, 9s, Word::done)};
    const Effects effects{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}};
    const WayOutcome way = outcome_of(Does::read, "perdure", notes, at(5s),
                                      {.effects = effects, .about = {0, 1, 2, 4}});
    EXPECT_EQ(way.tally.all.calls, 5);
    EXPECT_EQ(way.tally.in_flight.calls, 2);
    EXPECT_EQ(way.tally.later.calls, 2);
    EXPECT_EQ(way.late_calls, 1);
    EXPECT_EQ(way.longest, 2s);
}

TEST(PromisesRegionVerdict, accepts_an_unknown_outcome_only_of_a_call_that_reached_the_sick_place) {
    // The last one was in flight at the strike: its connection may have been closed.
    const std::vector<CallNote> notes{call(6s, 7s, Word::unknown), call(6s, 7s, Word::unknown),
                                      call(4s, 7s, Word::unknown)};
    const WayOutcome way = outcome_of(Does::write, "perdure", notes, at(5s), {.met = {1}});
    EXPECT_EQ(way.unfounded_unknown, 1);
}

TEST(PromisesRegionVerdict, counts_a_read_whose_response_was_lost_as_not_done) {
    const std::vector<CallNote> notes{call(6s, 7s, Word::not_done)};
    const RegionCounts answered{.effects = {{0, 1}}};
    EXPECT_EQ(outcome_of(Does::read, "js", notes, at(5s), answered).tally.all.not_done, 1);
    EXPECT_EQ(outcome_of(Does::write, "js", notes, at(5s), answered).tally.all.wrong_word, 1);
}

}  // namespace
}  // namespace perdure::promises
