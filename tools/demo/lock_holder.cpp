// SPDX-License-Identifier: Apache-2.0
#include "lock_holder.hpp"

#include "perdure/sql/sqlite.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/random.hpp"
#include "text/output.hpp"

namespace demo {

using namespace perdure;

namespace {

constexpr Duration longest_life = 5min;

Duration between(Random& dice, Duration low, Duration high) {
    const auto width = static_cast<double>((high - low).count());
    return low + Duration{static_cast<Duration::rep>(dice.next() * width)};
}

}  // namespace

int hold_locks(const LockOptions& options) {
    Clock& clock = system_clock();
    SeededRandom dice{options.seed};
    const auto driver = sql::sqlite(options.database);
    if (!driver) return 1;
    const TimePoint end = after(clock.now(), longest_life);
    const sql::Bounds all{.deadline = Deadline{end}};
    auto session = (*driver)->connect({.bounds = all}, clock);
    if (!session) return 1;
    for (int turn = 0; clock.now() < end; ++turn) {
        clock.sleep_until(after(clock.now(), between(dice, 200ms, 600ms)), {});
        const Duration hold =
            turn % 3 == 0 ? between(dice, 600ms, 900ms) : between(dice, 30ms, 250ms);
        if (!(*session)->begin({}, all)) continue;
        clock.sleep_until(after(clock.now(), hold), {});
        (*session)->roll_back(all);
        if (tool::print(std::to_string(hold / 1ms) + '\n') != 0) return 1;
    }
    return 0;
}

}  // namespace demo
