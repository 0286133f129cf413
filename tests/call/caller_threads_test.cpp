// SPDX-License-Identifier: Apache-2.0
//
// One Caller, many threads: nothing is lost, nothing counted twice, every bound holds.
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace perdure::testing {
namespace {

constexpr int threads = 4, calls_each = 2'000, calls = threads * calls_each;

// Time moves by itself, a little with every look, so that no thread has to wait.
class RushingClock final : public Clock {
public:
    TimePoint now() const noexcept override {
        return TimePoint{Duration{ticks_.fetch_add(1'000) + 1'000}};
    }
    WallTime wall() const noexcept override { return {}; }
    Woken sleep_until(TimePoint, const std::stop_token& stop) override {
        ticks_.fetch_add(1'000'000'000);
        return stop.stop_requested() ? Woken::by_stop : Woken::on_time;
    }

private:
    mutable std::atomic<std::int64_t> ticks_{0};
};

template <class Job>
void in_threads(Job job) {
    std::vector<std::thread> all;
    for (int number = 0; number < threads; ++number)
        all.emplace_back([&job, number] { job(number); });
    for (std::thread& each : all) each.join();
}

struct CallerThreads : ::testing::Test {
    RushingClock clock;
    const Environment environment{clock, system_random()};
};

TEST_F(CallerThreads, every_success_is_in_the_sketch_exactly_once) {
    Caller caller{{}, environment};
    in_threads([&](int) {
        for (int i = 0; i < calls_each; ++i)
            EXPECT_TRUE(caller.run({}, []() -> Result<int> { return 1; }));
    });
    EXPECT_EQ(caller.latencies().count(), static_cast<std::uint64_t>(calls));
    EXPECT_EQ(caller.counts(), CallCounts{});
}

TEST_F(CallerThreads, the_budget_bounds_the_retries_of_all_of_them_together) {
    for (const BudgetKind kind : {BudgetKind::fixed, BudgetKind::traffic}) {
        Caller caller{{.deadline = 1h, .budget = {.kind = kind, .capacity = 50}}, environment};
        const int start = caller.budget().milli_left();
        std::atomic<int> attempts{0};
        in_threads([&](int) {
            for (int i = 0; i < calls_each; ++i)
                EXPECT_FALSE(caller.run({}, [&]() -> Result<int> {
                    ++attempts;
                    return fail({.cause = Cause::throttled});
                }));
        });
        const CallCounts counts = caller.counts();
        EXPECT_EQ(attempts, calls + static_cast<int>(counts.retries_made));
        EXPECT_EQ(static_cast<int>(counts.retries_made) * 500,
                  start - caller.budget().milli_left());
        EXPECT_GE(caller.budget().milli_left(), 0);
        EXPECT_LT(caller.budget().milli_left(), 500) << "and all of it is used";
        EXPECT_EQ(counts.calls_failed, static_cast<std::uint64_t>(calls));
    }
}

TEST_F(CallerThreads, mixed_outcomes_are_all_accounted_for) {
    Caller caller{{.deadline = 1h, .budget = {.kind = BudgetKind::fixed, .capacity = 20}},
                  environment};
    std::atomic<int> attempts{0}, succeeded{0};
    in_threads([&](int number) {
        SeededRandom dice{static_cast<std::uint64_t>(number) + 1};
        for (int i = 0; i < calls_each; ++i)
            if (caller.run({.safety = Safety::idempotent}, [&]() -> Result<int> {
                    ++attempts;
                    if (dice.next() < 0.7) return 1;
                    return fail(
                        {.cause = dice.next() < 0.5 ? Cause::throttled : Cause::unavailable});
                }))
                ++succeeded;
    });
    const CallCounts counts = caller.counts();
    EXPECT_EQ(attempts, calls + static_cast<int>(counts.retries_made));
    EXPECT_EQ(counts.calls_failed, static_cast<std::uint64_t>(calls - succeeded));
    EXPECT_EQ(caller.latencies().count(), static_cast<std::uint64_t>(succeeded));
    EXPECT_GE(caller.budget().milli_left(), 0);
    EXPECT_LE(caller.budget().milli_left(), 20'000);
}

TEST_F(CallerThreads, a_concurrency_limit_is_never_exceeded_and_every_permit_comes_back) {
    Caller caller{{.limiter = {.kind = LimiterKind::concurrency, .concurrent = 2}}, environment};
    std::atomic<int> inside{0}, most{0}, done{0}, refused{0};
    in_threads([&](int) {
        for (int i = 0; i < calls_each; ++i) {
            const auto result = caller.run({}, [&]() -> Result<int> {
                int seen = most.load();
                const int now = ++inside;
                while (seen < now && !most.compare_exchange_weak(seen, now)) {}
                std::this_thread::yield();
                --inside;
                return 1;
            });
            ++(result ? done : refused);
        }
    });
    EXPECT_LE(most, 2);
    EXPECT_EQ(done + refused, calls);
    EXPECT_EQ(caller.latencies().count(), static_cast<std::uint64_t>(done));
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(caller.memory().limiter()->enter(clock.now(), TimePoint::max()).kind,
                  Entry::Kind::admitted);
}

TEST_F(CallerThreads, the_breaker_counts_every_outcome) {
    const BreakerOptions watching{.failure_share = 1, .window = 24h};  // never opens: some succeed
    Caller caller{{.deadline = 1h, .rule = {.attempts = 1}, .breaker = watching}, environment};
    (void)caller.run({}, []() -> Result<int> { return 1; });
    in_threads([&](int) {
        for (int i = 0; i < calls_each; ++i)
            (void)caller.run({.safety = Safety::read}, [&]() -> Result<int> {
                if (i % 2 == 0) return 1;
                return fail({.cause = Cause::unavailable});
            });
    });
    const auto [successes, failures] = caller.memory().breaker()->counts();
    EXPECT_EQ(successes, static_cast<std::uint64_t>(calls / 2 + 1));
    EXPECT_EQ(failures, static_cast<std::uint64_t>(calls / 2));
}

TEST_F(CallerThreads, one_stop_source_ends_the_calls_of_all_threads) {
    // Without a budget, which would end the calls before the source does.
    Caller caller{{.deadline = never,
                   .rule = {.attempts = 0, .window = never - 1ns},
                   .budget = {.kind = BudgetKind::none}},
                  environment};
    std::stop_source source;
    std::atomic<int> attempts{0};
    in_threads([&](int) {
        const auto result = caller.run({.stop = source.get_token()}, [&]() -> Result<int> {
            if (++attempts == 1'000) source.request_stop();
            return fail({.cause = Cause::contended});
        });
        EXPECT_EQ(result.error().stop, Stop::cancelled);
    });
    EXPECT_GE(attempts, 1'000);
}

}  // namespace
}  // namespace perdure::testing
