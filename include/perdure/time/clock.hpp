// SPDX-License-Identifier: Apache-2.0
//
// What time is it, and who wakes me? Time always comes in from outside, by reference.
//
//     clock.sleep_until(clock.now() + 50ms, stop);
//
// One real clock (`system_clock()`) and one virtual (`testing::VirtualClock`), on which sleeping
// advances the time instead of waiting for it.
#pragma once

#include <cstdint>
#include <stop_token>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {

enum class Woken : std::uint8_t { on_time, by_stop };

// Implementations may be called from every thread at once unless they say otherwise.
class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock();

    [[nodiscard]] virtual TimePoint now() const noexcept = 0;
    // For stamps that leave the process; it may jump, so nothing here waits by it.
    [[nodiscard]] virtual WallTime wall() const noexcept = 0;
    // Returns at `until`, not before, or as soon as a stop is requested.
    virtual Woken sleep_until(TimePoint until, const std::stop_token& stop) = 0;
    // Processor time of the calling thread, as evidence about ourselves; zero where unknown.
    [[nodiscard]] virtual Duration thread_cpu() const noexcept { return {}; }
    // The same of the whole process, and how many processors' worth of it there can be in a second.
    [[nodiscard]] virtual Duration process_cpu() const noexcept { return {}; }
    [[nodiscard]] virtual double allowed_cores() const noexcept { return 1; }
};

// The machine's clocks. Lives for the whole process.
Clock& system_clock() noexcept;

}  // namespace v0
}  // namespace perdure
