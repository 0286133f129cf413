// SPDX-License-Identifier: Apache-2.0
//
// Who finds out that a server cannot be reached, and what are the others told?
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "perdure/sql/transact.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql/staged.hpp"

namespace perdure::sql {
namespace {

using testing::VirtualClock;

const Failure refused{.cause = Cause::unavailable,
                      .effect = Effect::none,
                      .origin = Origin::network,
                      .rule = "connect",
                      .code = "ECONNREFUSED"};

class Connecting : public ::testing::Test {
protected:
    // A login that takes a second, or as long as its caller has time.
    Result<void> slow_login(const Bounds& bounds) {
        const TimePoint now = clock.now();
        const Duration left = bounds.deadline.left(now);
        (void)clock.sleep_until(now + std::min<Duration>(left, 1s), {});
        if (left >= 1s) return {};
        Failure cut = refused;
        cut.set_cause(Cause::timed_out);
        cut.effect = Effect::none;  // the login sends no work
        cut.code = "connect-timeout";
        return fail(std::move(cut));
    }
    static Result<void> work(Transaction&) { return {}; }

    VirtualClock clock;
    const std::shared_ptr<Stage> stage = std::make_shared<Stage>();
};

TEST_F(Connecting, is_not_closed_to_others_by_callers_who_have_no_time_for_it) {
    stage->connect = [&](const Bounds& bounds) { return slow_login(bounds); };
    Database database{std::make_shared<StagedDriver>(stage), {}, {.clock = clock}};
    for (int caller = 0; caller < 6; ++caller)
        EXPECT_FALSE(transact(database, {.deadline = 600ms}, work));
    const TimePoint began = clock.now();
    EXPECT_TRUE(transact(database, {}, work));
    EXPECT_EQ(clock.now() - began, 1s);
}

TEST_F(Connecting, that_was_stopped_says_nothing_about_the_server) {
    std::stop_source stop;
    int dials = 0;
    stage->connect = [&](const Bounds&) -> Result<void> {
        if (++dials == 1) return fail(refused);
        if (dials > 2) return {};
        stop.request_stop();
        return fail({.cause = Cause::cancelled, .effect = Effect::none});
    };
    Database database{std::make_shared<StagedDriver>(stage), {}, {.clock = clock}};
    EXPECT_EQ(transact(database, {.stop = stop.get_token()}, work).error().stop, Stop::cancelled);
    EXPECT_TRUE(transact(database, {}, work));
    EXPECT_EQ(dials, 3);
}

// On the system's clock: callers wait for each other.
TEST_F(Connecting, in_vain_is_the_reason_given_also_to_those_who_waited_for_a_session) {
    stage->connect = [](const Bounds&) -> Result<void> { return fail(refused); };
    Database database{std::make_shared<StagedDriver>(stage), {.pool = {.max_connections = 1}}};
    std::vector<std::string> codes(6);
    std::vector<std::jthread> callers;
    for (std::string& code : codes)
        callers.emplace_back(
            [&] { code = transact(database, {.deadline = 300ms}, work).error().code; });
    callers.clear();
    EXPECT_EQ(codes, std::vector<std::string>(6, "ECONNREFUSED"));
}

}  // namespace
}  // namespace perdure::sql
