// SPDX-License-Identifier: Apache-2.0
#include "get/timeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tool;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Phases phases(std::initializer_list<std::pair<Phase, Duration>> given) {
    Phases made;
    for (const auto& [phase, took] : given) made[phase] = took;
    return made;
}

AttemptRecord attempt(int number, Duration started, Duration took) {
    return {.number = number, .started = started, .took = took};
}

// A refused first attempt, a wait, and a good second one.
std::vector<Leg> two_attempts() {
    AttemptRecord first = attempt(1, 0ms, 100ms);
    first.cause = Cause::unavailable;
    first.code = "503";
    first.phases = phases({{Phase::dns, 40ms}, {Phase::connect, 20ms}, {Phase::first_byte, 40ms}});
    AttemptRecord second = attempt(2, 200ms, 200ms);
    second.waited_before = 100ms;
    second.succeeded = true;
    second.phases = phases({{Phase::first_byte, 160ms}, {Phase::body, 40ms}});
    second.phases->reused = true;
    return {{0ms, {first, second}, 0}};
}

constexpr TimelineStyle narrow{.width = 52};  // a column is 10 ms of 400

TEST(Timeline, draws_attempts_under_each_other_on_one_scale_of_time) {
    EXPECT_THAT(timeline(two_attempts(), 400ms, narrow),
                ElementsAre("           0                                  400 ms",
                            "attempt 1  ddddcc----x",
                            "attempt 2            ~~~~~~~~~~----------------####+",
                            "           d dns  c connect  - first byte  # body",
                            "           ~ wait  + answered  x failed", "",
                            "attempt 1  unavailable (503) after 100 ms: dns 40 ms,",
                            "           connect 20 ms, first byte 40 ms",
                            "attempt 2  answered after 200 ms: waited 100 ms,",
                            "           on a connection kept from before,",
                            "           first byte 160 ms, body 40 ms"));
}

TEST(Timeline, draws_in_unicode_where_the_terminal_has_it) {
    const auto lines = timeline(two_attempts(), 400ms, {.width = 52, .letters = Letters::unicode});
    EXPECT_EQ(lines[1], "attempt 1  ░░░░▒▒────✗");
    EXPECT_EQ(lines[2], "attempt 2            ··········────────────────████✓");
}

TEST(Timeline, colours_only_when_asked_and_always_takes_the_colour_back) {
    EXPECT_THAT(timeline(two_attempts(), 400ms, narrow), Each(Not(HasSubstr("\x1b"))));
    const auto lines = timeline(two_attempts(), 400ms, {.width = 52, .colour = Colour::on});
    EXPECT_EQ(lines[1],
              "attempt 1  \x1b[36mdddd\x1b[0m\x1b[34mcc\x1b[0m\x1b[32m----\x1b[0m\x1b[31mx\x1b[0m");
}

TEST(Timeline, puts_a_hedge_beside_the_attempt_it_raced) {
    AttemptRecord slow = attempt(1, 0ms, 400ms);
    slow.cut_off = true;
    slow.phases = phases({{Phase::connect, 40ms}, {Phase::first_byte, 360ms}});
    AttemptRecord copy = attempt(2, 200ms, 200ms);
    copy.hedge = copy.succeeded = true;
    copy.phases = phases({{Phase::connect, 40ms}, {Phase::first_byte, 160ms}});
    const auto lines = timeline({{0ms, {slow, copy}, 0}}, 400ms, narrow);
    EXPECT_EQ(lines[1], "attempt 1  cccc------------------------------------/");
    EXPECT_EQ(lines[2], "hedge 2                        cccc----------------+");
}

TEST(Timeline, shows_an_attempt_that_is_too_short_for_its_scale) {
    AttemptRecord tiny = attempt(1, 399ms, 1ms);
    tiny.phases = phases({{Phase::dns, 10us}, {Phase::connect, 900us}});
    AttemptRecord none = attempt(2, 400ms, 0ms);
    const auto lines = timeline({{0ms, {attempt(1, 0ms, 1ms), tiny, none}, 0}}, 400ms, narrow);
    EXPECT_EQ(lines[1], "attempt 1  =x");
    EXPECT_EQ(lines[2].substr(lines[2].size() - 1), "x");
    EXPECT_LE(lines[3].size(), 52U);
}

TEST(Timeline, says_how_many_attempts_are_not_shown_and_where) {
    std::vector<AttemptRecord> kept;
    for (int i = 1; i <= 10; ++i) kept.push_back(attempt(i, 10ms * i, 1ms));
    for (int i = 41; i <= 45; ++i) kept.push_back(attempt(i, 10ms * i, 1ms));
    const auto lines = timeline({{0ms, kept, 30}}, 460ms, narrow);
    EXPECT_EQ(lines[11], "(30 more)");
    EXPECT_THAT(lines[12], HasSubstr("attempt 41"));
}

TEST(Timeline, goes_on_after_a_redirect) {
    AttemptRecord moved = attempt(1, 0ms, 100ms);
    moved.succeeded = true;
    const auto lines = timeline({{0ms, {moved}, 0}, {100ms, {moved}, 0}}, 200ms, {.width = 44});
    EXPECT_EQ(lines[1], "attempt 1              ==========+");
    EXPECT_EQ(lines[2], "redirect 1, attempt 1            ==========+");
}

TEST(Timeline, has_a_word_for_a_call_without_attempts_and_survives_no_time_at_all) {
    EXPECT_THAT(timeline({{}}, 0ms, narrow), ElementsAre("no attempt was made"));
    EXPECT_THAT(timeline({{0ms, {attempt(1, 0ms, 0ms)}, 0}}, 0ms, {.width = 0}),
                Contains(HasSubstr("attempt 1")));
}

}  // namespace
