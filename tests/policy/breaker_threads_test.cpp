// SPDX-License-Identifier: Apache-2.0
//
// Does a breaker count every call and every probe while many threads use it?
#include "perdure/policy/breaker.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perdure/testing/fixed_random.hpp"
#include "policy/door.hpp"
#include "policy/start.hpp"

namespace perdure {
namespace {

using testing::FixedRandom;
using enum Admission::Kind;
using enum BreakerState;

TEST(BreakerThreads, count_every_call) {
    constexpr std::uint64_t threads = 4, rounds = 20'000;
    Breaker breaker{{.failure_share = 2}};
    breaker.record_success(start, 1ms, admitted);
    std::vector<std::jthread> crowd;
    for (std::uint64_t t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            for (std::uint64_t i = 0; i < rounds; ++i) {
                breaker.record_success(start + 1s, 1ms, admitted);
                if (i % 10 == 0) breaker.record_failure(start + 1s, admitted);
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(breaker.counts().successes, threads * rounds + 1);
    EXPECT_EQ(breaker.counts().failures, threads * rounds / 10);
}

TEST(BreakerThreads, never_have_more_probes_out_than_allowed) {
    constexpr int threads = 4, rounds = 20'000;
    Door door{ten};
    door.half_open_it();
    std::atomic<int> out{0}, too_many{0}, probes{0};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&] {
            FixedRandom random{0};
            for (int i = 0; i < rounds; ++i) {
                const Admission admission = door.breaker.admit(door.now, random);
                if (admission.kind != probe) continue;
                ++probes;
                if (++out > 3) ++too_many;
                --out;
                door.breaker.withdraw(admission);
            }
        });
    }
    crowd.clear();
    EXPECT_EQ(too_many, 0);
    EXPECT_GT(probes, 0);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(door.admit().kind, probe) << "all permits came back";
}

TEST(BreakerThreads, come_through_every_state_together) {
    constexpr int threads = 4, rounds = 20'000;
    Breaker breaker{{.least_calls = 10, .window = 1s, .open_for = 10ms, .ramp = 10ms}};
    std::vector<std::jthread> crowd;
    for (int t = 0; t < threads; ++t) {
        crowd.emplace_back([&, t] {
            SeededRandom random{static_cast<std::uint64_t>(t)};
            for (int i = 0; i < rounds; ++i) {
                const TimePoint now = start + i * 50us;
                const Admission admission = breaker.admit(now, random);
                if (admission.kind == refused) continue;
                if (i / 2'000 % 2 == 0) breaker.record_failure(now, admission);
                else breaker.record_success(now, 1ms, admission);
            }
        });
    }
    crowd.clear();
    TimePoint now = start + 1h;
    FixedRandom random{0};
    for (int i = 0; i < 10; ++i, now += 1s) {
        const Admission admission = breaker.admit(now, random);
        if (admission.kind != refused) breaker.record_success(now, 1ms, admission);
    }
    EXPECT_EQ(breaker.state(), closed) << "whatever happened before, a healthy hour ends it";
}

}  // namespace
}  // namespace perdure
