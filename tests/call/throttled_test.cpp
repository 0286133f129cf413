// SPDX-License-Identifier: Apache-2.0
//
// What does the throttle hear about each way an attempt can end?
#include "transcript.hpp"

#include <gtest/gtest.h>

namespace perdure::testing {
namespace {

Plan throttled() {
    return {.rule = {.attempts = 1}, .limiter = {.kind = LimiterKind::throttle, .accepts = 1}};
}

struct Client {
    Memory memory{throttled()};
    FixedRandom ceiling{1.0};
    const Operation read{.safety = Safety::read};
    const TimePoint now{Duration{1h}};

    // How many of a hundred calls were not let out.
    int refused(auto end) {
        int count = 0;
        for (int i = 0; i < 100; ++i) {
            Progress call{memory, read, {.now = now, .random = &ceiling}};
            if (call.next(now).kind == StepKind::attempt) end(call);
            else if (call.take_failure().stop == Stop::limited) ++count;
        }
        return count;
    }
};

TEST(Throttled, answers_about_state_are_accepts_and_refusals_of_the_service_are_not) {
    const struct {
        Cause cause;
        bool accepted;
    } cases[] = {
        {Cause::conflict, true},   {Cause::not_found, true},   {Cause::contended, true},
        {Cause::invalid, true},    {Cause::stale_route, true}, {Cause::exhausted, true},
        {Cause::throttled, false}, {Cause::overloaded, false}, {Cause::unavailable, false},
        {Cause::timed_out, false}, {Cause::internal, false},   {Cause::corrupt, false},
        {Cause::cancelled, false},
    };
    for (const auto& [cause, accepted] : cases) {
        Client client;
        const int count = client.refused([&client, why = cause](Progress& call) {
            call.failed(1, {.cause = why}, Effect::none, client.now);
        });
        EXPECT_EQ(count == 0, accepted) << to_string(cause);
        EXPECT_TRUE(accepted || count > 90) << to_string(cause) << ' ' << count;
    }
}

TEST(Throttled, successes_are_accepts) {
    Client client;
    EXPECT_EQ(client.refused([&](Progress& call) { call.succeeded(1, client.now); }), 0);
}

TEST(Throttled, a_call_that_is_dropped_was_not_accepted) {
    EXPECT_GT(Client{}.refused([](Progress&) {}), 90);
}

TEST(ThrottledPlans, refuse_without_an_attempt_and_say_so) {
    Transcript call{throttled()};
    Limiter& limiter = *call.memory.limiter();
    while (limiter.enter(call.now, call.now).kind == Entry::Kind::admitted) {}
    EXPECT_EQ(call.next(), "finish");
    EXPECT_EQ(call.ending(), "limited, effect none, exhausted");
}

}  // namespace
}  // namespace perdure::testing
