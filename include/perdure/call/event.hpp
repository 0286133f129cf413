// SPDX-License-Identifier: Apache-2.0
//
// What does a watcher see of a call? One plain struct per step.
//
//     void on_event(const Event& event) noexcept override { if (event.failure) … }
#pragma once

#include <cstdint>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/failure.hpp"
#include "perdure/landed.hpp"

namespace perdure {
inline namespace v0 {

enum class EventKind : std::uint8_t {
    call_started,
    attempt_started,
    hedge_started,
    attempt_succeeded,
    attempt_failed,
    partly_done,      // leftovers, but fewer than before
    attempt_cut_off,  // no longer wanted: lost a race, or the caller gave up; overran is a failure
    waiting,          // `wait` from now on
    woken,            // `wait` is how much later than asked
    preparing,
    asking,
    landed,
    finished,
    attempt_overran,  // a blocking attempt has ended `wait` after its deadline; its end is told next
};

// Valid only during the call that delivers it.
struct Event {
    EventKind kind = EventKind::attempt_started;
    std::string_view dependency{};
    std::string_view operation{};
    int number = 0;  // the attempt's
    TimePoint at{};
    Duration elapsed{};  // since the call began
    Duration took{};     // the attempt, when it ended
    Duration wait{};
    const Failure* failure = nullptr;  // attempt_failed, partly_done; finished without success
    Stop stop = Stop::none;
    Verdict verdict = Verdict::unknown;
    RemedySet remedies{};
    int budget_milli_left = 0;
    Duration allowed{};        // call_started: how long the call may take; attempts: the attempt
    std::string_view place{};  // attempts: where it goes, if the plan says so
};

std::string_view to_string(EventKind kind) noexcept;

}  // namespace v0
}  // namespace perdure
