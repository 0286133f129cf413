// SPDX-License-Identifier: Apache-2.0
//
// Does a call that goes well need a state machine? Not when there is nothing to ask before its
// first attempt and nobody watches: then the attempt goes out by this, and a success is the end.
//
//     Opening opening{memory, operation};
//     if (opening.may_start() && opening.start(clock.now())) {
//         …                                       attempt 1
//         opening.succeeded(clock.now());
//
// It leaves behind what Progress would have left, and if the attempt fails, Progress::take_over
// goes on from there. Nothing it holds must be given back, so an attempt that throws needs no care.
#pragma once

#include "perdure/call/memory.hpp"
#include "perdure/call/operation.hpp"

namespace perdure {
inline namespace v0 {

// Owned by one call. Only for calls without resolver, observer and parent.
class Opening {
public:
    // Everything that can be asked before the time is known: the compiler still knows the fields
    // of an operation written at the call, and most of the questions vanish.
    Opening(Memory& memory, const Operation& operation) noexcept
        : memory_{memory},
          breaker_{operation.breaker ? operation.breaker : memory.breaker()},
          call_deadline_{operation.deadline.at()},
          may_start_{memory.plain() && !operation.diagnostics && !operation.limiter &&
                     !operation.places && operation.attempt_timeout == Duration::zero() &&
                     !operation.stop.stop_requested() && (!breaker_ || breaker_->closed())} {}

    // False here or at the start: this call needs a Progress.
    [[nodiscard]] bool may_start() const noexcept { return may_start_; }
    [[nodiscard, gnu::always_inline]] bool start(TimePoint now) noexcept {
        started_ = now;
        const Duration within = memory_.plan().deadline;
        Duration::rep end = 0;  // an addition and a look at its flag, where a comparison takes four
        if (!__builtin_add_overflow(now.time_since_epoch().count(), within.count(), &end))
            [[likely]] {
            call_deadline_ = detail::earlier(call_deadline_, TimePoint{Duration{end}});
            attempt_deadline_ = detail::earlier(call_deadline_, now + memory_.attempt_limit());
        } else {
            attempt_deadline_ =
                detail::earlier(call_deadline_, after(now, memory_.attempt_limit()));
        }
        return now < call_deadline_;
    }
    [[nodiscard]] TimePoint started() const noexcept { return started_; }
    [[nodiscard]] Deadline call_deadline() const noexcept { return Deadline{call_deadline_}; }
    [[nodiscard]] Deadline attempt_deadline() const noexcept { return Deadline{attempt_deadline_}; }

    [[gnu::always_inline]] void succeeded(TimePoint now) const noexcept {
        succeeded(started_, now);
    }
    // For transports: what was spent on setting up a connection is not the service's latency.
    [[gnu::always_inline]] void succeeded(TimePoint connected, TimePoint now) const noexcept {
        memory_.note_first_success(breaker_, Admission::admitted, connected, now);
    }

private:
    Memory& memory_;
    Breaker* const breaker_;
    TimePoint started_{};
    TimePoint call_deadline_;
    TimePoint attempt_deadline_{};
    const bool may_start_;
};

}  // namespace v0
}  // namespace perdure
