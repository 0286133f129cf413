// SPDX-License-Identifier: Apache-2.0
//
// When does the door close, how does it open again, and what cannot confuse it?
#include "perdure/policy/breaker.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"
#include "policy/door.hpp"
#include "policy/start.hpp"
#include "time/tenths.hpp"

namespace perdure {
namespace {

using testing::FixedRandom;
using enum Admission::Kind;
using enum BreakerState;

TEST(Breaker, opens_at_the_share_of_failures_once_it_has_seen_enough) {
    struct Case {
        std::string when;
        BreakerOptions options;
        int good, bad;
        BreakerState state;
    };
    const Case cases[] = {
        {"the default needs 100 calls", {}, 0, 99, closed},
        {"… and opens at the hundredth", {}, 0, 100, open},
        {"half of the calls is enough", ten, 5, 5, open},
        {"a little less than half is not", ten, 6, 5, closed},
        {"nine failures are too few to tell", ten, 0, 9, closed},
        {"a lower share", {.failure_share = 0.1, .least_calls = 10}, 9, 1, open},
        {"a share of one tolerates no success",
         {.failure_share = 1, .least_calls = 10},
         1,
         20,
         closed},
        {"one call is enough if so asked", {.least_calls = 1}, 0, 1, open},
        {"none is the same as one", {.least_calls = 0}, 0, 1, open},
        {"none, and no failure", {.least_calls = 0}, 5, 0, closed},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.when);
        Door door{each.options};
        door.good(each.good);
        door.bad(each.bad);
        EXPECT_EQ(door.breaker.state(), each.state);
        EXPECT_EQ(door.admit().kind, each.state == closed ? admitted : refused);
    }
}

TEST(Breaker, counts_exactly_and_forgets_what_left_the_window) {
    Door door{{.least_calls = 1000}};
    for (int slice = 0; slice < 10; ++slice, door.now += 3s) {
        door.good(3);
        door.bad(2);
    }
    // Each slice of three seconds held five; the oldest of ten is just being given up.
    door.good();
    EXPECT_EQ(door.breaker.counts().successes, 9U * 3 + 1);
    EXPECT_EQ(door.breaker.counts().failures, 9U * 2);
    door.now += 30s;
    door.good();
    EXPECT_EQ(door.breaker.counts().successes, 1U);
    EXPECT_EQ(door.breaker.counts().failures, 0U);
}

TEST(Breaker, does_not_add_up_failures_of_different_windows) {
    Door door{ten};
    for (int day = 0; day < 100; ++day, door.now += 30s) door.bad(9);
    EXPECT_EQ(door.breaker.state(), closed);
}

TEST(Breaker, refuses_while_open_then_lets_a_few_probes_through) {
    Door door{ten};
    door.bad(10);
    door.now += 5s - 1ns;
    EXPECT_EQ(door.admit().kind, refused);
    door.now += 1ns;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(door.admit().kind, probe);
    EXPECT_EQ(door.admit().kind, refused) << "three at once";
    door.good(1, door.last_probe);
    EXPECT_EQ(door.admit().kind, probe) << "one came back";
    EXPECT_EQ(door.admit().kind, refused);
    EXPECT_EQ(door.breaker.state(), half_open);
}

// When the first probe goes out after the failures that opened it, looking every millisecond.
Duration first_probe(Random& random) {
    Door door{ten};
    door.bad(10);
    while (door.admit(random).kind == refused) door.now += 1ms;
    return door.now - start;
}

TEST(Breaker, stays_open_for_up_to_a_tenth_longer) {
    for (const auto& [draw, wait] : {std::pair{0.0, 5000ms}, {0.5, 5250ms}, {1.0, 5500ms}}) {
        FixedRandom random{draw};
        EXPECT_EQ(first_probe(random), wait) << draw;
    }
}

TEST(Breaker, renews_lost_probes_up_to_a_tenth_later) {
    for (const auto& [draw, wait] : {std::pair{0.0, 5000ms}, {1.0, 5500ms}}) {
        FixedRandom random{draw};
        Door door{ten};
        door.half_open_it();
        door.now += 1s;
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 3; ++i) ASSERT_EQ(door.admit(random).kind, probe);
            door.now += wait - 1ns;
            EXPECT_EQ(door.admit(random).kind, refused) << draw;
            door.now += 1ns;
        }
        EXPECT_EQ(door.admit(random).kind, probe) << draw;
    }
}

TEST(Breaker, draws_once_for_each_opening_and_each_set_of_probes) {
    testing::ListedRandom random{{0.0, 1.0}};
    Door door{ten};
    door.bad(10);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(door.admit(random).kind, refused);
    EXPECT_EQ(random.drawn(), 1U);
    door.now += 5s;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(door.admit(random).kind, probe);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(door.admit(random).kind, refused);
    EXPECT_EQ(random.drawn(), 2U);
}

TEST(Breaker, does_not_send_the_probes_of_a_fleet_at_the_same_time) {
    SeededRandom random{3};
    std::vector<Duration> waits(200);
    for (Duration& wait : waits) wait = first_probe(random);
    EXPECT_LT(fullest_tenth(waits, 5s, 5500ms), 0.25) << "seed 3";
}

TEST(Breaker, ramps_after_as_many_good_probes_and_then_closes) {
    Door door{ten};
    door.begin_ramp();
    EXPECT_EQ(door.breaker.state(), ramping);
    FixedRandom half{0.5};
    EXPECT_EQ(door.admit(half).kind, refused) << "nothing yet: the draw is 0.5, the share 0";
    door.now += 5s;
    EXPECT_EQ(door.admit(half).kind, refused) << "0.5 is not below 0.5";
    door.now += 1ms;
    EXPECT_EQ(door.admit(half).kind, admitted);
    door.now += 5s;
    EXPECT_EQ(door.admit(half).kind, admitted);
    EXPECT_EQ(door.breaker.state(), closed);
}

TEST(Breaker, admits_a_share_that_grows_evenly) {
    Door door{ten};
    door.begin_ramp();
    SeededRandom random{11};
    for (int second = 1; second < 10; ++second) {
        int let_in = 0;
        for (int i = 0; i < 10'000; ++i)
            let_in += door.breaker.admit(door.now + second * 1s, random).kind == admitted ? 1 : 0;
        EXPECT_NEAR(let_in, second * 1'000, 200) << "seed 11, second " << second;
    }
}

TEST(Breaker, without_a_ramp_closes_at_once) {
    Door door{{.least_calls = 10, .ramp = 0s}};
    door.begin_ramp();
    EXPECT_EQ(door.breaker.state(), closed);
    EXPECT_EQ(door.admit().kind, admitted);
}

TEST(Breaker, opens_again_when_a_probe_fails) {
    Door door{ten};
    door.half_open_it();
    ASSERT_EQ(door.admit().kind, probe);
    door.good(1, door.last_probe);
    ASSERT_EQ(door.admit().kind, probe);
    door.now += 1s;
    door.bad(1, door.last_probe);
    EXPECT_EQ(door.breaker.state(), open);
    door.now += 5s - 1ns;
    EXPECT_EQ(door.admit().kind, refused) << "the whole time again";
    door.now += 1ns;
    for (int i = 0; i < 2; ++i) door.good(1, door.admit());
    EXPECT_EQ(door.breaker.state(), half_open) << "earlier good probes do not count";
}

TEST(Breaker, needs_fewer_calls_to_open_again_while_ramping) {
    Door door{{.least_calls = 100}};
    door.bad(100);
    door.now += 5s;
    for (int i = 0; i < 3; ++i) door.good(1, door.admit());
    ASSERT_EQ(door.breaker.state(), ramping);
    door.good(5);
    door.bad(4);
    EXPECT_EQ(door.breaker.state(), ramping);
    door.bad(1);
    EXPECT_EQ(door.breaker.state(), open);
}

TEST(Breaker, is_not_moved_by_late_outcomes_of_calls_from_before) {
    Door door{ten};
    door.bad(10);
    door.now += 3s;
    door.bad(50);
    door.good(50);
    door.now += 2s;
    EXPECT_EQ(door.admit().kind, probe)
        << "five seconds after it opened, not after the last failure";
    door.bad(50);
    door.good(50);
    EXPECT_EQ(door.breaker.state(), half_open) << "only probes decide now";
    for (int i = 0; i < 3; ++i) door.good(1, door.last_probe);
    ASSERT_EQ(door.breaker.state(), ramping);
    EXPECT_EQ(door.breaker.counts().successes + door.breaker.counts().failures, 0U);
}

TEST(Breaker, ignores_a_probe_that_comes_back_after_the_door_is_open_again_or_closed) {
    Door door{ten};
    door.half_open_it();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(door.admit().kind, probe);
    door.bad(1, door.last_probe);
    door.now += 1s;
    door.bad(1, door.last_probe);
    door.good(1, door.last_probe);
    EXPECT_EQ(door.breaker.state(), open);
    door.now += 4s;
    EXPECT_EQ(door.admit().kind, probe);
}

TEST(Breaker, gives_back_the_permit_of_a_probe_that_told_nothing) {
    Door door{ten};
    door.half_open_it();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(door.admit().kind, probe);
    door.breaker.withdraw(admitted);
    EXPECT_EQ(door.admit().kind, refused);
    door.breaker.withdraw(door.last_probe);
    EXPECT_EQ(door.admit().kind, probe);
    EXPECT_EQ(door.admit().kind, refused);
}

TEST(Breaker, does_not_wait_for_ever_for_probes_that_never_come_back) {
    Door door{ten};
    door.half_open_it();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3; ++i) ASSERT_EQ(door.admit().kind, probe) << "round " << round;
        door.now += 5s - 1ns;
        EXPECT_EQ(door.admit().kind, refused);
        door.now += 1ns;
    }
    for (int i = 0; i < 3; ++i) door.good(1, door.admit());
    EXPECT_EQ(door.breaker.state(), ramping);
}

// A probe of one half-open period that ends in the next one: the breaker opened again in between.
struct LateProbe : Door {
    explicit LateProbe(const BreakerOptions& options = ten) : Door{options} {
        half_open_it();
        late = admit();
        bad(1, admit());
        now += 5s;
        current = admit();
    }
    Admission late = admitted, current = admitted;
};

TEST(Breaker, does_not_open_by_a_failed_probe_of_an_earlier_half_open_period) {
    LateProbe door;
    door.bad(1, door.late);
    EXPECT_EQ(door.breaker.state(), half_open);
    door.bad(1, door.current);
    EXPECT_EQ(door.breaker.state(), open);
}

TEST(Breaker, does_not_close_by_a_good_probe_of_an_earlier_half_open_period) {
    LateProbe door;
    door.good(1, door.late);
    door.good(1, door.current);
    door.good(1, door.admit());
    EXPECT_EQ(door.breaker.state(), half_open) << "two good probes of this period, three needed";
    door.good(1, door.admit());
    EXPECT_EQ(door.breaker.state(), ramping);
}

TEST(Breaker, frees_no_permit_for_a_probe_of_an_earlier_half_open_period) {
    for (const bool withdrawn : {true, false}) {
        SCOPED_TRACE(withdrawn ? "withdrawn" : "succeeded");
        LateProbe door;
        for (int i = 0; i < 2; ++i) ASSERT_EQ(door.admit().kind, probe);
        ASSERT_EQ(door.admit().kind, refused) << "three permits are out";
        if (withdrawn) door.breaker.withdraw(door.late);
        else door.good(1, door.late);
        EXPECT_EQ(door.admit().kind, refused);
        door.breaker.withdraw(door.current);
        EXPECT_EQ(door.admit().kind, probe);
    }
}

TEST(Breaker, frees_no_permit_for_a_probe_that_was_written_off) {
    Door door{{.least_calls = 10, .probes = 1}};
    door.half_open_it();
    const Admission lost = door.admit();
    door.now += 5s;
    const Admission renewed = door.admit();
    ASSERT_EQ(renewed.kind, probe);
    door.breaker.withdraw(lost);
    EXPECT_EQ(door.admit().kind, refused) << "another probe has its permit";
    door.breaker.withdraw(renewed);
    EXPECT_EQ(door.admit().kind, probe);
}

TEST(Breaker, closes_by_probes_that_take_longer_than_it_waits_for_them) {
    Door door{ten};
    door.half_open_it();
    std::vector<Admission> slow;
    for (int round = 0; round < 3; ++round, door.now += 5s)
        for (int i = 0; i < 3; ++i) slow.push_back(door.admit());
    for (int i = 0; i < 2; ++i) door.good(1, slow.at(static_cast<std::size_t>(i)));
    EXPECT_EQ(door.breaker.state(), half_open);
    door.good(1, slow.at(2));
    EXPECT_EQ(door.breaker.state(), ramping);
}

TEST(Breaker, opens_by_a_failed_probe_that_was_written_off_in_the_same_period) {
    Door door{{.least_calls = 10, .probes = 1}};
    door.half_open_it();
    const Admission slow = door.admit();
    door.now += 5s;
    ASSERT_EQ(door.admit().kind, probe);
    door.bad(1, slow);
    EXPECT_EQ(door.breaker.state(), open);
}

TEST(Breaker, counts_slow_successes_as_failures) {
    Door door{{.least_calls = 10, .slow_after = 100ms}};
    for (int i = 0; i < 9; ++i) door.breaker.record_success(door.now, 101ms, admitted);
    EXPECT_EQ(door.breaker.state(), closed);
    door.breaker.record_success(door.now, 100ms, admitted);
    EXPECT_EQ(door.breaker.counts().successes, 1U);
    EXPECT_EQ(door.breaker.counts().failures, 9U);
    door.breaker.record_success(door.now, 1h, admitted);
    EXPECT_EQ(door.breaker.state(), open);
    door.now += 5s;
    door.breaker.record_success(door.now, 1h, door.admit());
    EXPECT_EQ(door.breaker.state(), open) << "a slow probe is a failed one";
}

TEST(Breaker, starts_with_clean_counts_after_it_opened_and_after_it_closed) {
    Door door{ten};
    door.bad(10);
    EXPECT_EQ(door.breaker.counts().failures, 0U);
    door.now += 5s;
    for (int i = 0; i < 3; ++i) door.good(1, door.admit());
    door.good(20);
    door.now += 10s;
    ASSERT_EQ(door.admit().kind, admitted);
    ASSERT_EQ(door.breaker.state(), closed);
    EXPECT_EQ(door.breaker.counts().successes, 0U);
    door.bad(9);
    EXPECT_EQ(door.breaker.state(), closed) << "the least number of calls counts again";
}

TEST(Breaker, is_not_harmed_by_a_clock_that_goes_back) {
    Door door{ten};
    door.good(5);
    door.now -= 1h;
    door.bad(10);
    EXPECT_EQ(door.breaker.state(), open);
    door.now -= 1min;
    EXPECT_EQ(door.admit().kind, refused);
    door.now += 2h;
    for (int i = 0; i < 3; ++i) door.good(1, door.admit());
    door.now -= 1s;
    EXPECT_EQ(door.admit().kind, refused) << "a share of nothing, not of less";
    door.now += 1h;
    EXPECT_EQ(door.admit().kind, admitted);
}

TEST(Breaker, survives_windows_of_no_and_of_endless_length) {
    for (const Duration window : {Duration{0}, Duration{1}, Duration{never}}) {
        Door door{{.least_calls = 10, .window = window}};
        door.good(3);
        door.bad(10);
        door.now += 1h;
        door.good(1);
        EXPECT_LE(door.breaker.counts().successes, 4U);
    }
}

TEST(Breaker, takes_answers_about_state_as_a_sign_of_life) {
    for (const Cause cause : {Cause::conflict, Cause::not_found, Cause::throttled, Cause::contended,
                              Cause::invalid, Cause::exhausted, Cause::cancelled})
        EXPECT_FALSE(counts_against_service(cause)) << to_string(cause);
    for (const Cause cause :
         {Cause::overloaded, Cause::unavailable, Cause::timed_out, Cause::internal, Cause::corrupt})
        EXPECT_TRUE(counts_against_service(cause)) << to_string(cause);
}

TEST(Breakers, keep_one_door_per_key_and_one_for_the_rest) {
    Breakers breakers{{.least_calls = 1, .most_keys = 2}};
    Breaker& seven = breakers.at("orders/7");
    Breaker& eight = breakers.at("orders/8");
    EXPECT_EQ(&breakers.at("orders/7"), &seven);
    EXPECT_NE(&seven, &eight);
    EXPECT_EQ(&breakers.at("orders/9"), &breakers.at("orders/10"));
    seven.record_failure(start, admitted);
    EXPECT_EQ(seven.state(), open);
    EXPECT_EQ(eight.state(), closed) << "one shard's failure is not the other's";
}

}  // namespace
}  // namespace perdure
