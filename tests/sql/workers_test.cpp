// SPDX-License-Identifier: Apache-2.0
//
// Does a job get a thread of its own while there may be more of them?
#include "perdure/sql/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/testing/thread_limit.hpp"

namespace perdure::sql {
namespace {

class Doing final : public Job {
public:
    explicit Doing(std::function<void()> what)
        : Job{[](Job& job) { static_cast<Doing&>(job).what_(); }}, what_{std::move(what)} {}

private:
    std::function<void()> what_;
};

// Long enough to be sure that nobody comes; nothing waits for it when all is well.
constexpr auto in_vain = std::chrono::seconds{5};

TEST(WorkersThreads, are_started_for_a_second_job_that_the_first_waits_for) {
    for (int round = 0; round < 50; ++round) {
        std::binary_semaphore warm{0};
        std::binary_semaphore second{0};
        bool came = false;
        {
            Doing warming{[&] { warm.release(); }};
            Doing waiting{[&] { came = second.try_acquire_for(in_vain); }};
            Doing awaited{[&] { second.release(); }};
            Workers workers{2};  // joined before the jobs go
            workers.post(warming);
            warm.acquire();
            for (int i = 0; i < 100; ++i) std::this_thread::yield();  // it is idle now, most times
            workers.post(waiting);
            workers.post(awaited);
        }
        ASSERT_TRUE(came) << "round " << round;
    }
}

TEST(WorkersThreads, that_the_system_refuses_leave_the_job_to_the_caller_or_to_those_there_are) {
    std::thread::id first, second;
    std::binary_semaphore begun{0}, go_on{0};
    Doing here{[&] { first = std::this_thread::get_id(); }};
    Doing there{[&] {
        begun.release();
        go_on.acquire();
        second = std::this_thread::get_id();
    }};
    bool third = false;
    Doing later{[&] { third = true; }};
    {
        Workers workers{2};
        {
            const testing::ThreadLimit none{0};
            workers.post(here);
            EXPECT_EQ(first, std::this_thread::get_id());
        }
        workers.post(there);
        begun.acquire();
        const testing::ThreadLimit none{0};
        workers.post(later);
        go_on.release();
    }
    EXPECT_NE(second, std::this_thread::get_id());
    EXPECT_TRUE(third);
}

TEST(WorkersThreads, are_no_more_than_allowed_and_all_of_these_if_needed) {
    constexpr int most = 4;
    std::latch all_there{most};
    std::vector<std::unique_ptr<Doing>> jobs;
    std::atomic<int> at_once = 0;
    std::atomic<int> highest = 0;
    for (int i = 0; i < 3 * most; ++i)
        jobs.push_back(std::make_unique<Doing>([&, i] {
            const int now = ++at_once;
            int seen = highest;
            while (seen < now && !highest.compare_exchange_weak(seen, now)) {}
            if (i < most) all_there.arrive_and_wait();
            --at_once;
        }));
    {
        Workers workers{most};
        for (const auto& job : jobs) workers.post(*job);
    }
    EXPECT_EQ(highest, most);
}

}  // namespace
}  // namespace perdure::sql
