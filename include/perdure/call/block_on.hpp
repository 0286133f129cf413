// SPDX-License-Identifier: Apache-2.0
//
// How does a thread wait for a task? It hands it to an executor and blocks.
//
//     perdure::Loop loop;
//     const auto profile = perdure::block_on(loop, load_profile(id));
#pragma once

#include "perdure/cxx20.hpp"

#include <semaphore>

#include "perdure/call/task.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {

// Runs a Task or a Call on the executor's thread. Not to be called from that thread. Exceptions pass.
template <class Awaited>
    requires requires(Awaited& awaited) { awaited.take(); }
auto block_on(Executor& executor, Awaited task) -> typename Awaited::value_type {
    struct Waiting : Job {
        explicit Waiting(Awaited& what) noexcept : Job{&Waiting::begin}, task{what} {}
        static void begin(Job& job) {
            auto& self = static_cast<Waiting&>(job);
            if (self.task.start({&Waiting::ended, &self})) self.done.release();
        }
        static void ended(void* who) { static_cast<Waiting*>(who)->done.release(); }
        Awaited& task;
        std::binary_semaphore done{0};
    };
    assert(!executor.here());
    Waiting waiting{task};
    executor.post(waiting);
    waiting.done.acquire();
    return task.take();
}

}  // namespace v0
}  // namespace perdure
