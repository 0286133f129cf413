// SPDX-License-Identifier: Apache-2.0
//
// What does a program do when the system has no threads left? Lets a test have none, or a few.
//
//     const testing::ThreadLimit none{0};
//     EXPECT_EQ(client.start(options).error().code, "no-thread");
#pragma once

#include "perdure/time/start_thread.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// Until its end the library and the tool can start `left` more threads in this process. One at a time.
class ThreadLimit {
public:
    explicit ThreadLimit(int left) noexcept { detail::limit_threads(left); }
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;
    ~ThreadLimit() { detail::limit_threads(-1); }
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
