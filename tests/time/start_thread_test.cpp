// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/start_thread.hpp"

#include <gtest/gtest.h>

#include <system_error>

#include "perdure/testing/thread_limit.hpp"
#include "perdure/time/loop.hpp"

namespace perdure {
namespace {

TEST(StartThread, runs_the_work_and_passes_a_stop_token_to_work_that_takes_one) {
    bool plain = false;
    bool stopped = true;
    {
        const auto one = start_thread([&] { plain = true; });
        const auto two =
            start_thread([&](const std::stop_token& stop) { stopped = stop.stop_possible(); });
        EXPECT_TRUE(one && two);
    }
    EXPECT_TRUE(plain);
    EXPECT_TRUE(stopped);
}

TEST(StartThread, returns_a_failure_with_a_sentence_when_the_system_has_none_left) {
    const testing::ThreadLimit one{1};
    EXPECT_TRUE(start_thread([] {}));
    const auto second = start_thread([] {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().cause, Cause::exhausted);
    EXPECT_EQ(second.error().effect, Effect::none);
    EXPECT_EQ(second.error().code, "no-thread");
    EXPECT_EQ(second.error().message,
              "no thread could be started: Resource temporarily unavailable; raise this "
              "process's limit of threads or of memory");
}

TEST(StartThread, of_a_loop_throws_what_its_header_says) {
    const testing::ThreadLimit none{0};
    EXPECT_THROW(Loop{}, std::system_error);
}

}  // namespace
}  // namespace perdure
