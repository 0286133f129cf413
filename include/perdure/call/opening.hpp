// SPDX-License-Identifier: Apache-2.0
//
// Does a call that goes well need a state machine? Not when there is nothing to ask before its
// first attempt and nobody watches: then the attempt goes out by this, and a success is the end.
//
//     const Opening opening{memory, operation, now};
//     if (opening.at_once()) …                // run attempt 1, then opening.succeeded(clock.now())
//     Progress progress{memory, operation, setting, opening};    // it failed: go on from here
//
// What it leaves behind is what Progress would have left. It holds nothing that must be given
// back, so an attempt that throws needs no care.
#pragma once

#include <algorithm>

#include "perdure/call/memory.hpp"
#include "perdure/call/operation.hpp"

namespace perdure {
inline namespace v0 {

// Owned by one call. Only for calls without resolver, observer and parent.
class Opening {
   public:
    Opening(Memory& memory, const Operation& operation, TimePoint now) noexcept
        : memory_{memory},
          breaker_{operation.breaker ? operation.breaker : memory.breaker()},
          started_{now} {
        const Duration room = TimePoint::max() - now;  // "no deadline" must stay what it is
        call_deadline_ = std::min(operation.deadline.at(), now + std::min(memory.plan().deadline, room));
        attempt_deadline_ = std::min(call_deadline_, now + std::min(memory.attempt_timeout(), room));
        at_once_ = memory.plain() && !operation.diagnostics && now < call_deadline_ &&
                   (!breaker_ || breaker_->closed()) && !operation.stop.stop_requested();
    }

    [[nodiscard]] bool at_once() const noexcept { return at_once_; }
    [[nodiscard]] TimePoint started() const noexcept { return started_; }
    [[nodiscard]] Deadline call_deadline() const noexcept { return Deadline{call_deadline_}; }
    [[nodiscard]] Deadline attempt_deadline() const noexcept { return Deadline{attempt_deadline_}; }

    void succeeded(TimePoint now) const noexcept {
        const Duration took = now - started_;
        memory_.latencies().record(took);
        if (breaker_) breaker_->record_success(now, took, Admission::admitted);
        memory_.budget().on_first_success(now);
    }

   private:
    Memory& memory_;
    Breaker* const breaker_;
    const TimePoint started_;
    TimePoint call_deadline_;
    TimePoint attempt_deadline_;
    bool at_once_;
};

}  // namespace v0
}  // namespace perdure
