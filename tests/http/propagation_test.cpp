// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/propagation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "http/headers_with.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::http {
namespace {

using testing::FixedRandom;
using testing::VirtualClock;

std::string sent(const Propagated& propagated) {
    std::string text;
    for (const auto& [name, value] : propagated.headers())
        text += std::string{name} + "=" + std::string{value} + ";";
    return text;
}

TEST(Propagation, tells_whole_milliseconds_and_never_more_than_there_are) {
    const struct {
        Duration left;
        Duration way;
        const char* timeout;
    } cases[] = {
        {250ms, 0ms, "perdure-timeout=250;"},
        {250ms + 999us, 0ms, "perdure-timeout=250;"},
        {999us, 0ms, "perdure-timeout=0;"},
        {Duration::zero(), 0ms, "perdure-timeout=0;"},
        {-5ms, 0ms, "perdure-timeout=0;"},
        {250ms, 20ms, "perdure-timeout=230;"},
        {10ms, 20ms, "perdure-timeout=0;"},
        {1000h, 0ms, "perdure-timeout=86400000;"},
        {never, 0ms, ""},
        {never, 20ms, ""},
        {never - 1ns, 0ms, "perdure-timeout=86400000;"},
    };
    for (const auto& [left, way, timeout] : cases) {
        EXPECT_EQ(sent(Propagated{left, Retries::own, way}), timeout);
        EXPECT_EQ(sent(Propagated{left, Retries::callers, way}),
                  timeout + std::string{"perdure-retries=owner;"});
    }
}

TEST(Propagation, reads_what_makes_sense_and_ignores_the_rest) {
    const struct {
        Headers headers;
        std::optional<Duration> timeout;
        Retries retries;
    } cases[] = {
        {{}, std::nullopt, Retries::own},
        {with({{"Perdure-Timeout", "250"}}), 250ms, Retries::own},
        {with({{"perdure-timeout", "0"}}), 0ms, Retries::own},
        {with({{"perdure-timeout", "99999999999999999999999999"}}), 24h, Retries::own},
        {with({{"perdure-timeout", ""}}), std::nullopt, Retries::own},
        {with({{"perdure-timeout", "-1"}}), std::nullopt, Retries::own},
        {with({{"perdure-timeout", "1.5"}}), std::nullopt, Retries::own},
        {with({{"perdure-timeout", "250ms"}}), std::nullopt, Retries::own},
        {with({{"perdure-timeout", "300"}, {"perdure-timeout", "200"}}), 200ms, Retries::own},
        {with({{"perdure-timeout", "soon"}, {"perdure-timeout", "200"}}), 200ms, Retries::own},
        {with({{"perdure-retries", "owner"}}), std::nullopt, Retries::callers},
        {with({{"PERDURE-RETRIES", "Owner"}}), std::nullopt, Retries::callers},
        {with({{"perdure-retries", "mine"}}), std::nullopt, Retries::own},
        {with({{"perdure-retries", ""}}), std::nullopt, Retries::own},
    };
    for (const auto& [headers, timeout, retries] : cases)
        EXPECT_EQ(parse_inherited(headers), (Inherited{timeout, retries}));
}

TEST(Propagation, brings_across_what_was_sent) {
    const Propagated propagated{1234ms, Retries::callers};
    Headers headers;
    for (const auto& [name, value] : propagated.headers()) headers.add(name, value);
    EXPECT_EQ(parse_inherited(headers), (Inherited{1234ms, Retries::callers}));
}

TEST(Propagation, never_gives_a_request_more_time_than_the_server_would) {
    const TimePoint now = TimePoint{} + 1h;
    EXPECT_EQ(deadline_of({.timeout = 300ms}, now, 2s), Deadline{now + 300ms});
    EXPECT_EQ(deadline_of({.timeout = 24h}, now, 2s), Deadline{now + 2s});
    EXPECT_EQ(deadline_of({}, now, 2s), Deadline{now + 2s});
    EXPECT_EQ(deadline_of({}, now, never), Deadline{});
    EXPECT_TRUE(deadline_of({.timeout = 0ms}, now, 2s).passed(now));
}

// How often a server tries a dependency that is down, under what its caller sent.
int attempts_under(const Inherited& inherited, Duration own_limit = 5s) {
    VirtualClock clock;
    FixedRandom random{1.0};
    Caller users{{.name = "users", .rule = {.attempts = 4}}, {clock, random}};
    const Attempt outer = attempt_of(inherited, clock, own_limit);
    int attempts = 0;
    const auto result =
        users.run(outer, {.name = "load", .safety = Safety::read, .nested = nested_of(inherited)},
                  [&](const Attempt& attempt) -> Result<int> {
                      ++attempts;
                      EXPECT_LE(attempt.deadline, outer.deadline);
                      return fail({.cause = Cause::unavailable});
                  });
    EXPECT_FALSE(result);
    EXPECT_LE(clock.now(), outer.deadline.at());
    return attempts;
}

TEST(Propagation, leaves_the_repeating_to_the_caller_who_asks_for_it) {
    EXPECT_EQ(attempts_under({}), 4);
    EXPECT_EQ(attempts_under({.retries = Retries::callers}), 1);
    // 50 ms, 100 ms and 200 ms of waiting do not fit.
    EXPECT_EQ(attempts_under({.timeout = 160ms}), 3);
    EXPECT_EQ(attempts_under({.timeout = 0ms}), 0);
}

}  // namespace
}  // namespace perdure::http
