// SPDX-License-Identifier: Apache-2.0
//
// Does the adaptive throttle send about K times what the service accepts, and recover?
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/policy/limiter.hpp"
#include "perdure/time/random.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

constexpr LimiterOptions sre{.kind = LimiterKind::throttle};

bool enters(Limiter& limiter, TimePoint now) {
    return limiter.enter(now, now).kind == Entry::Kind::admitted;
}

// Attempts a hundred times a second; the service accepts at most so many of them in a second.
struct SteadyClient {
    std::unique_ptr<Limiter> limiter;
    TimePoint now = start;
    int sent = 0, accepted = 0;

    void run(Duration span, int capacity) {
        sent = accepted = 0;
        int left = capacity, step = 0;
        for (const TimePoint end = now + span; now < end; now += 10ms, ++step) {
            if (step % 100 == 0) left = capacity;
            if (!enters(*limiter, now)) continue;
            ++sent;
            const bool accepts = left-- > 0;
            accepted += accepts ? 1 : 0;
            limiter->leave(now, accepts ? Left::accepted : Left::not_accepted);
        }
    }
};

TEST(ThrottleLimiter, refuses_nothing_while_the_service_accepts) {
    SteadyClient client{make_limiter(sre)};
    client.run(10min, 1000);
    EXPECT_EQ(client.sent, 60'000);
}

TEST(ThrottleLimiter, refuses_nothing_while_half_is_accepted) {
    const auto limiter = make_limiter(sre);
    for (int i = 0; i < 10'000; ++i) {
        ASSERT_TRUE(enters(*limiter, start + i * 10ms)) << i;
        limiter->leave(start + i * 10ms, i % 2 == 0 ? Left::accepted : Left::not_accepted);
    }
}

TEST(ThrottleLimiter, sends_so_many_times_what_is_accepted) {
    for (const double factor : {1.1, 2.0, 4.0}) {
        LimiterOptions options = sre;
        options.accepts = factor;
        SteadyClient client{make_limiter(options)};
        client.run(5min, 10);
        client.run(10min, 10);
        EXPECT_NEAR(client.sent, factor * client.accepted, 0.05 * client.sent) << factor;
        EXPECT_EQ(client.accepted, 6000) << "and loses nothing of what the service can do";
    }
}

TEST(ThrottleLimiter, follows_the_formula_from_the_first_attempt_on) {
    const auto limiter = make_limiter(sre);
    double expected = 0;
    int refused = 0;
    for (int requests = 0; requests < 1000; ++requests) {
        expected += static_cast<double>(requests) / (requests + 1);
        refused += enters(*limiter, start) ? 0 : 1;
        ASSERT_NEAR(refused, expected, 1) << "after " << requests;
    }
}

TEST(ThrottleLimiter, recovers_when_the_service_does) {
    SteadyClient client{make_limiter(sre)};
    client.run(2min, 1000);
    client.run(10min, 0);
    EXPECT_LT(client.sent, 15'000) << "of 60000";
    // What is let out grows with what was accepted: by a factor of e in half a window.
    client.run(15min, 1000);
    client.run(2min, 1000);
    EXPECT_EQ(client.sent, 12'000) << "everything";
}

TEST(ThrottleLimiter, forgets_while_it_is_idle) {
    SteadyClient client{make_limiter(sre)};
    client.run(10min, 0);
    client.now += 2min;
    EXPECT_TRUE(enters(*client.limiter, client.now));
    client.limiter->leave(client.now, Left::accepted);
    client.run(1s, 1000);
    EXPECT_EQ(client.sent, 100);
}

TEST(ThrottleLimiter, does_not_count_what_was_never_sent) {
    const auto limiter = make_limiter(sre);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(enters(*limiter, start));
        limiter->leave(start + 1min, Left::unused);
    }
    EXPECT_TRUE(enters(*limiter, start + 3min));
}

TEST(ThrottleLimiter, clients_that_begin_at_different_times_do_not_refuse_in_step) {
    int refused = 0;
    for (int client = 0; client < 1000; ++client) {
        const TimePoint now = start + client * 1us;
        const auto limiter = make_limiter(sre);
        ASSERT_TRUE(enters(*limiter, now));
        refused += enters(*limiter, now) ? 0 : 1;  // one request, no accept: half are refused
    }
    EXPECT_NEAR(refused, 500, 50);
}

TEST(ThrottleLimiter, is_not_harmed_by_a_clock_that_goes_back) {
    const auto limiter = make_limiter(sre);
    SeededRandom random{7};
    for (int i = 0; i < 10'000; ++i) {
        const TimePoint now = start + Duration{static_cast<Duration::rep>(random.next() * 1e12)};
        if (enters(*limiter, now)) limiter->leave(now - 1h, Left::accepted);
    }
    EXPECT_TRUE(enters(*limiter, start + 1h));
}

TEST(ThrottleLimiterThreads, lose_no_request_and_no_accept) {
    constexpr int threads = 4, rounds = 20'000;
    const auto limiter = make_limiter(sre);
    std::atomic<int> accepted{0}, refused{0};
    const auto accept = [&](int times) {
        for (int i = 0; i < times; ++i) {
            if (!enters(*limiter, start)) ++refused;
            else limiter->leave(start, Left::accepted), ++accepted;
        }
    };
    accept(100);  // so that a few attempts under way are not yet half of all
    {
        std::vector<std::jthread> crowd;
        for (int t = 0; t < threads; ++t) crowd.emplace_back([&] { accept(rounds); });
    }
    EXPECT_EQ(refused, 0);
    int more = 0;
    while (enters(*limiter, start)) ++more;
    // Past twice the accepts the shares add up to a refusal within the square root of four times them.
    EXPECT_GE(more, accepted);
    EXPECT_LE(more, accepted + 600);
}

}  // namespace
}  // namespace perdure
