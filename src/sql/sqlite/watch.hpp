// SPDX-License-Identifier: Apache-2.0
//
// Who ends a call to SQLite at its bounds? SQLite asks this while it waits for a lock and every
// thousand steps while it works.
#pragma once

#include <sqlite3.h>

#include <cstdint>

#include "perdure/sql/statement.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Cut : std::uint8_t { not_cut, deadline, stopped };

// Belongs to one session; outside a Turn nothing waits.
class Watch {
public:
    explicit Watch(Clock& clock) noexcept : clock_{clock} {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void look_after(sqlite3* database) noexcept;
    // While it lives the bounds hold; waits for a lock end after `lock_limit` too.
    class Turn {
    public:
        Turn(Watch& watch, const Bounds& bounds, Duration lock_limit = never) noexcept;
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() { watch_.bounds_ = nullptr; }

    private:
        Watch& watch_;
    };

    // Has the time come? Remembered in cut().
    [[nodiscard]] bool over() noexcept;
    [[nodiscard]] Cut cut() const noexcept { return cut_; }
    // One short nap in a wait for a lock; false: no more waiting.
    [[nodiscard]] bool wait(int naps_before) noexcept;

private:
    Clock& clock_;
    const Bounds* bounds_ = nullptr;
    Duration lock_limit_ = never;
    Deadline lock_until_{};
    Cut cut_ = Cut::not_cut;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
