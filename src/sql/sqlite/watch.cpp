// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/watch.hpp"

#include <algorithm>

#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

constexpr int steps_between_looks = 1000;  // some tens of microseconds

// Longer and longer, and scattered so that waiting sessions do not come back together.
Duration nap(int naps_before) {
    const Duration longest = std::min<Duration>(200us * (1 << std::min(naps_before, 6)), 8ms);
    const double share = 0.5 + 0.5 * system_random().next();
    return Duration{static_cast<Duration::rep>(share * static_cast<double>(longest.count()))};
}

int wait_for_lock(void* watch, int naps_before) noexcept {
    return static_cast<Watch*>(watch)->wait(naps_before) ? 1 : 0;
}

int look(void* watch) noexcept { return static_cast<Watch*>(watch)->over() ? 1 : 0; }

}  // namespace

Watch::Turn::Turn(Watch& watch, const Bounds& bounds, Duration lock_limit) noexcept
    : watch_{watch} {
    watch.bounds_ = &bounds;
    watch.lock_limit_ = lock_limit;
    watch.cut_ = Cut::not_cut;
}

void Watch::look_after(sqlite3* database) noexcept {
    sqlite3_busy_handler(database, wait_for_lock, this);
    sqlite3_progress_handler(database, steps_between_looks, look, this);
}

bool Watch::over() noexcept {
    if (!bounds_ || cut_ != Cut::not_cut) return cut_ != Cut::not_cut;
    if (bounds_->stop.stop_requested()) cut_ = Cut::stopped;
    else if (bounds_->deadline.passed(clock_.now())) cut_ = Cut::deadline;
    return cut_ != Cut::not_cut;
}

bool Watch::wait(int naps_before) noexcept {
    if (!bounds_ || over()) return false;
    const TimePoint now = clock_.now();
    if (naps_before == 0) lock_until_ = Deadline::in(lock_limit_, now);
    if (lock_until_.passed(now)) return false;
    const TimePoint end = lock_until_.tighter(bounds_->deadline).at();
    clock_.sleep_until(std::min(end, now + nap(naps_before)), bounds_->stop);
    return true;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
