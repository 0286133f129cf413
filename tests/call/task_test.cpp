// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "perdure/call/block_on.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/testing/virtual_loop.hpp"
#include "perdure/time/loop.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

Task<std::string> text(std::string value) { co_return value; }

TEST(Task, starts_only_when_it_is_awaited) {
    VirtualLoop loop;
    bool begun = false;
    const auto work = [&]() -> Task<int> {
        begun = true;
        co_return 1;
    };
    auto task = work();
    EXPECT_FALSE(begun);
    EXPECT_EQ(loop.run(std::move(task)), 1);
    EXPECT_TRUE(begun);
}

TEST(Task, that_was_never_started_may_be_dropped) {
    auto guard = std::make_shared<int>(1);
    {
        const auto work = [](std::shared_ptr<int> held) -> Task<int> { co_return *held; };
        const auto task = work(guard);
        EXPECT_EQ(guard.use_count(), 2);
    }
    EXPECT_EQ(guard.use_count(), 1);
}

TEST(Task, passes_values_that_can_only_be_moved_and_exceptions_through_many_levels) {
    VirtualLoop loop;
    const auto owner = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(5); };
    EXPECT_EQ(*loop.run(owner()), 5);

    const auto broken = []() -> Task<void> {
        throw std::runtime_error{"deep"};
        co_return;
    };
    const auto middle = [&]() -> Task<std::string> {
        auto inner = broken();
        co_await inner;
        co_return "not reached";
    };
    EXPECT_THROW((void)loop.run(middle()), std::runtime_error);
}

TEST(Task, waits_in_order_of_time_and_equal_times_in_order_of_arming) {
    VirtualLoop loop;
    std::vector<int> order;
    const auto sleeper = [&](int name, Duration wait) -> Task<void> {
        auto nap = sleep_until(loop, loop.clock().now() + wait);
        co_await nap;
        order.push_back(name);
    };
    auto a = sleeper(1, 20ms), b = sleeper(2, 10ms), c = sleeper(3, 20ms);
    bool ended[3] = {};
    const auto listen = [](bool& flag) {
        return detail::Listener{[](void* at) { *static_cast<bool*>(at) = true; }, &flag};
    };
    EXPECT_FALSE(a.start(listen(ended[0])));
    EXPECT_FALSE(b.start(listen(ended[1])));
    EXPECT_FALSE(c.start(listen(ended[2])));
    loop.drain();
    EXPECT_EQ(order, (std::vector<int>{2, 1, 3}));
}

TEST(Task, that_waits_for_nothing_is_reported_and_not_waited_for) {
    VirtualLoop loop;
    const auto stuck = []() -> Task<int> {
        co_await std::suspend_always{};
        co_return 1;
    };
    EXPECT_THROW((void)loop.run(stuck()), std::logic_error);
}

TEST(Task, frames_of_one_size_are_recycled_within_a_thread) {
    give_frame(take_frame(200), 200);  // opens this thread's shelves
    void* const first = take_frame(200);
    void* const other_size = take_frame(900);
    give_frame(first, 200);
    give_frame(other_size, 900);
    void* const second = take_frame(240);  // the same number of grains
    EXPECT_EQ(first, second);
    give_frame(second, 240);
}

TEST(Sleep, ends_at_once_when_the_stop_came_before) {
    VirtualLoop loop;
    std::stop_source stop;
    stop.request_stop();
    const auto work = [&]() -> Task<Woken> {
        auto nap = sleep_until(loop, loop.clock().now() + 1h, stop.get_token());
        co_return co_await nap;
    };
    const TimePoint before = loop.clock().now();
    EXPECT_EQ(loop.run(work()), Woken::by_stop);
    EXPECT_EQ(loop.clock().now(), before);
}

TEST(LoopThreads, jobs_posted_by_many_threads_all_run_on_the_loop) {
    struct Counting : Job {
        Counting()
            : Job{[](Job& job) {
                  static_cast<Counting&>(job).on_loop = static_cast<Counting&>(job).loop->here();
              }} {}
        Loop* loop = nullptr;
        bool on_loop = false;
    };
    std::vector<Counting> jobs(400);
    {
        Loop loop;
        EXPECT_FALSE(loop.here());
        {
            std::vector<std::jthread> threads;
            for (std::size_t thread = 0; thread < 4; ++thread)
                threads.emplace_back([&, thread] {
                    for (std::size_t i = 0; i < 100; ++i) {
                        Counting& job = jobs[thread * 100 + i];
                        job.loop = &loop;
                        loop.post(job);
                    }
                });
        }
        (void)block_on(loop, text("after all that was posted before"));
    }
    for (const Counting& job : jobs) EXPECT_TRUE(job.on_loop);
}

TEST(LoopThreads, frames_that_begin_on_one_thread_and_end_on_another_do_no_harm) {
    Loop loop;
    std::vector<Task<std::string>> tasks;
    for (int i = 0; i < 300; ++i) tasks.push_back(text("made here, ended there"));
    for (auto& task : tasks) EXPECT_EQ(block_on(loop, std::move(task)).size(), 22u);
}

TEST(LoopThreads, a_sleep_on_the_real_loop_is_not_shorter_than_asked) {
    Loop loop;
    const auto work = [&]() -> Task<Duration> {
        const TimePoint from = loop.clock().now();
        auto nap = sleep_until(loop, from + 5ms);
        co_await nap;
        co_return loop.clock().now() - from;
    };
    const Duration slept = block_on(loop, work());
    EXPECT_GE(slept, 5ms);
    EXPECT_LE(slept, 505ms);
}

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
