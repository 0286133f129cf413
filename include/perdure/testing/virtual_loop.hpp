// SPDX-License-Identifier: Apache-2.0
//
// How do I test coroutines without threads and without waiting? Jobs run in order, time jumps to
// the next alarm, and every run is the same.
//
//     VirtualLoop loop;
//     Caller caller{plan, {loop.clock(), ceiling, nullptr, &loop}};
//     const auto result = loop.run(start(caller, operation, work));
#pragma once

#include "perdure/cxx20.hpp"

#include <cstdint>
#include <map>
#include <stdexcept>
#include <utility>

#include "perdure/call/task.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// Used by one thread, which is always "here".
class VirtualLoop final : public Executor {
public:
    [[nodiscard]] VirtualClock& clock() noexcept override { return clock_; }
    [[nodiscard]] bool here() const noexcept override { return true; }
    void post(Job& job) noexcept override;
    void arm(Alarm& alarm, TimePoint when) noexcept override;
    void disarm(Alarm& alarm) noexcept override;

    // Does the next thing; false when nothing is left to happen.
    bool turn();
    // Everything that is left: attempts that nobody waits for any more.
    void drain() {
        while (turn()) {}
    }

    // A Task or a Call.
    template <class Awaited>
    auto run(Awaited task) -> typename Awaited::value_type {
        bool ended = task.start({[](void* flag) { *static_cast<bool*>(flag) = true; }, &ended_});
        while (!ended && !ended_)
            if (!turn())
                throw std::logic_error{"the task waits for something that will never happen"};
        ended_ = false;
        return task.take();
    }

private:
    using Order = std::pair<TimePoint, std::uint64_t>;  // equal times ring in the order of arming

    VirtualClock clock_;
    Job* first_ = nullptr;
    Job* last_ = nullptr;
    std::map<Order, Alarm*> alarms_;
    std::uint64_t armed_ = 0;
    bool ended_ = false;
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
