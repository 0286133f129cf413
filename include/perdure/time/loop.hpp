// SPDX-License-Identifier: Apache-2.0
//
// Where do coroutines run when nobody brings an event loop? One thread, one condition variable, one
// timing wheel.
//
//     perdure::Loop loop;
//     const auto profile = block_on(loop, load_profile(id));   // call/block_on.hpp
#pragma once

#include <memory>

#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {

// post() from any thread; the rest as Executor says. The destructor waits for the job that is
// running, and then leaves: tasks must have ended before, for nobody will resume them. After fork()
// the child has no such thread: make loops, and use default_executor(), where they shall run.
class Loop final : public Executor {
public:
    Loop();  // throws std::system_error when the system has no thread left
    ~Loop() override;

    [[nodiscard]] Clock& clock() noexcept override;
    [[nodiscard]] bool here() const noexcept override;
    void post(Job& job) noexcept override;
    void arm(Alarm& alarm, TimePoint when) noexcept override;
    void disarm(Alarm& alarm) noexcept override;

private:
    struct Inside;  // src/time
    const std::unique_ptr<Inside> inside_;
};

// The process's own loop, started when first asked for; never destroyed. Throws like Loop() then.
Executor& default_executor();

// The same for work that can be left for later: null while the system has no thread left for it.
Executor* default_executor_or_null() noexcept;

}  // namespace v0
}  // namespace perdure
