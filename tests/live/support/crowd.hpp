// SPDX-License-Identifier: Apache-2.0
//
// Many coroutines at once, and somebody who waits for all of them.
//
//     run_all(net::default_reactor(), std::move(tasks));
#pragma once

#include <cstddef>
#include <latch>
#include <vector>

#include "perdure/call/task.hpp"
#include "perdure/time/executor.hpp"

namespace perdure::live {

// Starts all of them on the executor's thread and waits for their end.
inline void run_all(Executor& executor, std::vector<Task<>> tasks) {
    struct Crowd : Job {
        explicit Crowd(std::vector<Task<>>& all)
            : Job{&Crowd::begin}, tasks{all}, left{static_cast<std::ptrdiff_t>(all.size()) + 1} {}
        static void begin(Job& job) {
            auto& self = static_cast<Crowd&>(job);
            for (Task<>& task : self.tasks)
                if (task.start({&Crowd::ended, &self})) self.left.count_down();
            self.left.count_down();
        }
        static void ended(void* who) { static_cast<Crowd*>(who)->left.count_down(); }
        std::vector<Task<>>& tasks;
        std::latch left;
    };
    Crowd crowd{tasks};
    executor.post(crowd);
    crowd.left.wait();
}

}  // namespace perdure::live
