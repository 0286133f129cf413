// SPDX-License-Identifier: Apache-2.0
//
// How do I test an hour of retries in a microsecond? On this clock, sleeping moves the time.
//
//     VirtualClock clock;
//     Caller caller{plan, {clock, ceiling}};
//     …
//     EXPECT_EQ(clock.naps(), (std::vector<Duration>{100ms, 200ms}));
#pragma once

#include "perdure/cxx20.hpp"

#include <functional>
#include <map>
#include <vector>

#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// Used by one thread.
class VirtualClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override { return now_; }
    [[nodiscard]] WallTime wall() const noexcept override {
        return wall_at_zero_ + now_.time_since_epoch();
    }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override;

    // As if the work had taken this long. Runs what was planned for the time passed.
    void advance(Duration by);
    // Something that happens at a time: cancel the call, mend the service.
    void at(TimePoint time, std::function<void()> happening);
    // Moves to `until`, or only to the next thing planned before it, which then happens: true.
    bool step_towards(TimePoint until);
    void set_wall(WallTime wall) noexcept { wall_at_zero_ = wall - now_.time_since_epoch(); }

    [[nodiscard]] const std::vector<Duration>& naps() const noexcept { return naps_; }

private:
    // Returns early when `stop` is requested by something that happened on the way.
    Woken move_to(TimePoint until, const std::stop_token& stop);

    TimePoint now_{Duration{1h}};  // not zero, so that forgotten initialisers show
    WallTime wall_at_zero_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
    std::vector<Duration> naps_;
    std::multimap<TimePoint, std::function<void()>> planned_;
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
