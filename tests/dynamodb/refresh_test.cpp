// SPDX-License-Identifier: Apache-2.0
//
// When are keys fetched anew, how long do the old ones serve, and when is a failure a problem?
#include <gtest/gtest.h>

#include "credentials_home.hpp"
#include "dynamodb/refresh_shelf.hpp"
#include "perdure/time/random.hpp"
#include "time/tenths.hpp"

namespace perdure::dynamodb {
namespace {

Keys keys_until(std::optional<WallTime> expires, const char* id = "AKID") {
    Keys keys{id, "HUSH-secret", "HUSH-token"};
    keys.expires = expires;
    return keys;
}

const Failure refusal{.cause = Cause::unavailable, .message = "nobody there"};

TEST(Windows, are_those_of_aws_for_keys_of_an_hour_and_shrink_with_shorter_lives) {
    const std::tuple<Duration, Duration, Duration> rows[] = {
        {6h, 15min, 10min},  {1h, 15min, 10min}, {30min, 450s, 5min},
        {15min, 225s, 150s}, {1min, 15s, 10s},   {0s, 0s, 0s},
    };
    for (const auto& [life, advisory, mandatory] : rows) {
        EXPECT_EQ(windows_for(life).advisory, advisory);
        EXPECT_EQ(windows_for(life).mandatory, mandatory);
    }
}

TEST(KeyShelf, is_empty_at_first_and_wants_a_fetch_at_once) {
    const KeyShelf shelf{"somewhere", 1};
    EXPECT_EQ(shelf.look(noon).keys, nullptr);
    EXPECT_EQ(shelf.look(noon).due, WallTime::min());
    EXPECT_FALSE(shelf.problem());
}

TEST(KeyShelf, keeps_keys_that_do_not_expire) {
    KeyShelf shelf{"somewhere", 1};
    shelf.took(keys_until(std::nullopt), noon, 0);
    EXPECT_EQ(shelf.look(noon + 90'000h).keys->id, "AKID");
    EXPECT_EQ(shelf.look(noon).due, WallTime::max());
}

TEST(KeyShelf, wants_new_keys_early_in_the_advisory_window_spread_by_chance) {
    const std::pair<double, Duration> rows[] = {
        {0, 345min}, {0.5, 345min + 75s}, {0.999999, 347min}};
    for (const auto& [draw, from] : rows) {
        KeyShelf shelf{"somewhere", 1};
        shelf.took(keys_until(noon + 6h), noon, draw);
        EXPECT_GE(shelf.look(noon).due, noon + from);
        EXPECT_LE(shelf.look(noon).due, noon + from + 31s);
    }
}

TEST(KeyShelf, lets_the_old_keys_serve_until_they_expire_and_not_longer) {
    KeyShelf shelf{"somewhere", 1};
    shelf.took(keys_until(noon + 1h), noon, 0);
    EXPECT_TRUE(shelf.look(noon + 1h - 1ns).keys);
    EXPECT_FALSE(shelf.look(noon + 1h).keys);
    EXPECT_FALSE(shelf.problem());
}

TEST(KeyShelf, makes_no_problem_of_a_failure_before_the_mandatory_window) {
    KeyShelf shelf{"somewhere", 1};
    shelf.took(keys_until(noon + 1h), noon, 0);
    shelf.failed(refusal, 1, noon + 46min);
    EXPECT_FALSE(shelf.problem());
    shelf.failed(refusal, 2, noon + 50min);
    ASSERT_TRUE(shelf.problem());
    EXPECT_TRUE(shelf.look(noon + 50min).keys);
    EXPECT_TRUE(says(*shelf.problem(), "no keys could be fetched from somewhere: nobody there"));
    EXPECT_TRUE(says(*shelf.problem(), "Mon, 16 Nov 2026 13:00:00 GMT"));
    EXPECT_EQ(shelf.problem()->effect, Effect::none);
    EXPECT_EQ(shelf.problem()->dependency, "credentials");
    EXPECT_TRUE(tells_no_secret(*shelf.problem()));
    shelf.took(keys_until(noon + 2h, "NEXT"), noon + 51min, 0);
    EXPECT_FALSE(shelf.problem());
    EXPECT_EQ(shelf.look(noon + 51min).keys->id, "NEXT");
}

TEST(KeyShelf, is_patient_with_a_first_fetch_but_not_with_what_no_repetition_helps) {
    KeyShelf shelf{"somewhere", 3};
    shelf.failed(refusal, 1, noon);
    shelf.failed(refusal, 2, noon);
    EXPECT_FALSE(shelf.problem());
    shelf.failed(refusal, 3, noon);
    EXPECT_TRUE(shelf.problem());

    KeyShelf other{"somewhere", 3};
    other.failed({.cause = Cause::not_found}, 1, noon);
    EXPECT_TRUE(other.problem());
}

TEST(KeyShelf, keeps_to_itself_how_the_source_would_be_mended) {
    KeyShelf shelf{"somewhere", 1};
    shelf.failed({.cause = Cause::credentials,
                  .effect = Effect::unknown,
                  .retry_after = 1h,
                  .rule = "throttled",
                  .status = 401,
                  .code = "401"},
                 1, noon);
    ASSERT_TRUE(shelf.problem());
    EXPECT_EQ(shelf.problem()->cause, Cause::forbidden);
    EXPECT_EQ(shelf.problem()->effect, Effect::none);
    EXPECT_TRUE(shelf.problem()->remedies.empty());
    EXPECT_FALSE(shelf.problem()->retry_after);
    EXPECT_EQ(shelf.problem()->rule, "");
    EXPECT_EQ(shelf.problem()->status, 0);
    EXPECT_EQ(shelf.problem()->code, "401");
}

TEST(KeyShelf, takes_refused_keys_away_once_however_many_say_so) {
    KeyShelf shelf{"somewhere", 1};
    const Keys keys = keys_until(noon + 1h);
    shelf.took(keys, noon, 0);
    EXPECT_FALSE(shelf.reject(keys_until(noon + 1h, "OTHER"), noon + 1min));  // long gone
    EXPECT_TRUE(shelf.look(noon + 1min).keys);
    EXPECT_TRUE(shelf.reject(keys, noon + 1min));
    EXPECT_FALSE(shelf.reject(keys, noon + 1min));
    EXPECT_FALSE(shelf.look(noon + 1min).keys);
    EXPECT_EQ(shelf.look(noon + 1min).due, WallTime::min());
    shelf.failed(refusal, 1, noon + 1min);
    EXPECT_TRUE(shelf.problem());  // though they would live for an hour
    shelf.took(keys_until(noon + 2h, "NEXT"), noon + 2min, 0);
    EXPECT_EQ(shelf.look(noon + 2min).keys->id, "NEXT");
    EXPECT_FALSE(shelf.problem());
}

TEST(KeyShelf, does_not_ask_for_each_call_when_the_source_gives_the_same_refused_keys_again) {
    KeyShelf shelf{"somewhere", 1};
    const Keys keys = keys_until(std::nullopt);
    shelf.took(keys, noon, 0);
    EXPECT_FALSE(shelf.reject(keys, noon + 1s));
    EXPECT_TRUE(shelf.reject(keys, noon + 5s));
    shelf.took(keys, noon + 5s, 0);
    EXPECT_TRUE(shelf.look(noon + 5s).keys);  // better than none: the service may be wrong
    EXPECT_FALSE(shelf.reject(keys, noon + 9s));
    EXPECT_TRUE(shelf.reject(keys, noon + 10s));
}

TEST(KeyShelf, looks_again_at_half_time_while_the_source_has_no_newer_keys) {
    KeyShelf shelf{"somewhere", 1};
    const Keys keys = keys_until(noon + 1h);
    shelf.took(keys, noon, 0);
    WallTime now = noon;
    std::vector<Duration> looks;
    for (int i = 0; i < 12; ++i) {
        now = shelf.look(now).due;
        looks.push_back(noon + 1h - now);
        shelf.took(keys, now, 0);
    }
    EXPECT_EQ(looks[0], 15min);
    EXPECT_EQ(looks[1], 450s);
    EXPECT_EQ(looks[2], 225s);
    for (std::size_t i = 1; i < looks.size(); ++i) EXPECT_LE(looks[i] + 1s, looks[i - 1]);
}

// When it looks again if the source has nothing newer an hour before the keys expire.
Duration second_look(double draw) {
    KeyShelf shelf{"somewhere", 1};
    const Keys keys = keys_until(noon + 1h);
    shelf.took(keys, noon, draw);
    shelf.took(keys, noon, draw);
    return shelf.look(noon).due - noon;
}

TEST(KeyShelf, looks_again_up_to_a_tenth_after_half_time) {
    EXPECT_EQ(second_look(0), 30min);
    EXPECT_EQ(second_look(1), 33min);
}

TEST(KeyShelf, does_not_make_a_fleet_look_again_at_the_same_time) {
    SeededRandom random{6};
    std::vector<Duration> waits(200);
    for (Duration& wait : waits) wait = second_look(random.next());
    EXPECT_LT(fullest_tenth(waits, 30min, 33min), 0.25) << "seed 6";
}

}  // namespace
}  // namespace perdure::dynamodb
