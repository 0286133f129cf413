// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/wheel.hpp"

#include "perdure/time/random.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using perdure::Duration;
using perdure::SeededRandom;
using perdure::TimePoint;
using perdure::Timer;
using perdure::Wheel;
using perdure::operator""h;
using perdure::operator""s;
using perdure::operator""ms;
using perdure::operator""us;
using perdure::operator""ns;

constexpr TimePoint start{12'345'678'901ns};  // not on a round millisecond

struct Bell : Timer {
    int id = 0;
};

std::vector<int> rung(Wheel& wheel, TimePoint now) {
    std::vector<int> ids;
    wheel.advance(now, [&ids](Timer& timer) { ids.push_back(static_cast<Bell&>(timer).id); });
    return ids;
}

using Ids = std::vector<int>;

TEST(Wheel, fires_each_timer_in_the_first_tick_that_is_not_early) {
    for (const Duration wait : std::initializer_list<Duration>{
             1ns, 999us, 1ms, 1ms + 1ns, 255ms, 256ms, 257ms, 65'535ms, 65'536ms, 65'537ms, 20'000s,
             16'777'216ms, 24h * 30, 24h * 49, 24h * 50, 24h * 500, 24h * 365 * 100}) {
        SCOPED_TRACE(wait.count());
        Wheel wheel{start};
        Bell bell;
        wheel.insert(bell, start + wait);
        EXPECT_TRUE(rung(wheel, start + wait - 1ns).empty());
        EXPECT_TRUE(bell.armed());
        EXPECT_EQ(rung(wheel, start + wait + 1ms - 1ns), Ids{0});
        EXPECT_FALSE(bell.armed());
        EXPECT_TRUE(rung(wheel, start + wait + 24h).empty());
        EXPECT_EQ(wheel.next_due(), TimePoint::max());
    }
}

TEST(Wheel, fires_in_order_of_ticks_and_then_of_insertion) {
    Wheel wheel{start};
    std::array<Bell, 5> bells;
    for (std::size_t id = 0; id < bells.size(); ++id) bells[id].id = static_cast<int>(id);
    wheel.insert(bells[0], start + 300s);
    wheel.insert(bells[1], start + 100s);
    EXPECT_TRUE(rung(wheel, start + 99s + 900ms).empty());
    wheel.insert(bells[2], start + 100s);  // the same tick, though from another level
    wheel.insert(bells[3], start + 99s + 950ms);
    wheel.insert(bells[4], start + 100s);
    EXPECT_EQ(rung(wheel, start + 1h), (Ids{3, 1, 2, 4, 0}));
}

TEST(Wheel, does_not_fire_what_was_cancelled_moved_or_destroyed) {
    Wheel wheel{start};
    Bell cancelled, moved, kept;
    kept.id = 1;
    moved.id = 2;
    auto destroyed = std::make_unique<Bell>();
    for (Bell* bell : {&cancelled, &moved, &kept, destroyed.get()}) wheel.insert(*bell, start + 5s);
    wheel.cancel(cancelled);
    wheel.cancel(cancelled);
    wheel.insert(moved, start + 9s);
    destroyed.reset();
    EXPECT_FALSE(cancelled.armed());
    EXPECT_EQ(rung(wheel, start + 6s), Ids{1});
    EXPECT_EQ(rung(wheel, start + 10s), Ids{2});
    EXPECT_EQ(wheel.next_due(), TimePoint::max());
}

TEST(Wheel, fires_a_timer_that_is_already_due_in_the_next_advance) {
    Wheel wheel{start};
    rung(wheel, start + 10s);
    Bell past, ancient;
    ancient.id = 1;
    wheel.insert(past, start + 3s);
    wheel.insert(ancient, TimePoint::min());
    EXPECT_LE(wheel.next_due(), start + 10s);
    EXPECT_EQ(rung(wheel, start + 10s), (Ids{0, 1}));
}

TEST(Wheel, is_not_held_for_ever_by_a_timer_that_rearms_itself) {
    Wheel wheel{start};
    Bell bell;
    wheel.insert(bell, start);
    int fired = 0;
    const auto again = [&](Timer& timer) {
        ++fired;
        wheel.insert(timer, start);
    };
    wheel.advance(start + 1s, again);
    EXPECT_EQ(fired, 1);
    wheel.advance(start + 1s, again);
    EXPECT_EQ(fired, 2);
}

TEST(Wheel, lets_a_timer_cancel_move_and_destroy_those_about_to_fire) {
    Wheel wheel{start};
    Bell first, cancelled, moved;
    first.id = 1;
    cancelled.id = 2;
    moved.id = 3;
    std::optional<Bell> destroyed{std::in_place};
    for (Bell* bell : {&first, &cancelled, &moved, &*destroyed}) wheel.insert(*bell, start + 5ms);
    Ids ids;
    const auto ring = [&](Timer& timer) {
        ids.push_back(static_cast<Bell&>(timer).id);
        wheel.cancel(cancelled);
        if (&timer == &first) wheel.insert(moved, start + 20ms);
        destroyed.reset();
    };
    wheel.advance(start + 10ms, ring);
    EXPECT_EQ(ids, Ids{1});
    wheel.advance(start + 21ms, ring);
    EXPECT_EQ(ids, (Ids{1, 3}));
}

TEST(Wheel, keeps_the_rest_when_a_timer_throws) {
    Wheel wheel{start};
    Bell first, second;
    second.id = 1;
    wheel.insert(first, start + 5ms);
    wheel.insert(second, start + 5ms);
    const auto fail = [](Timer&) { throw std::runtime_error{"no"}; };
    EXPECT_THROW(wheel.advance(start + 10ms, fail), std::runtime_error);
    EXPECT_LE(wheel.next_due(), start + 10ms);
    EXPECT_EQ(rung(wheel, start + 10ms), Ids{1});
}

TEST(Wheel, disarms_what_is_left_when_it_dies) {
    std::array<Bell, 3> bells;
    {
        Wheel wheel{start};
        wheel.insert(bells[0], start + 5ms);
        wheel.insert(bells[1], start + 24h * 365);
        wheel.insert(bells[2], start);
    }
    for (const Bell& bell : bells) EXPECT_FALSE(bell.armed());
}

TEST(Wheel, wakes_its_sleeper_at_most_four_times_for_one_timer) {
    for (const Duration wait : std::initializer_list<Duration>{1ms, 700ms, 40s, 3h, 24h * 40}) {
        Wheel wheel{start};
        Bell bell;
        wheel.insert(bell, start + wait);
        int woken = 0;
        TimePoint now = start;
        while (bell.armed() && woken < 10) {
            ASSERT_GE(wheel.next_due(), now);
            now = wheel.next_due();
            rung(wheel, now);
            ++woken;
        }
        EXPECT_LE(woken, 4) << wait.count();
        EXPECT_EQ(now, start + wait);
    }
}

TEST(Wheel, never_fires_what_is_due_at_the_end_of_time) {
    Wheel wheel{TimePoint::min()};
    Bell bell;
    wheel.insert(bell, TimePoint::max());
    EXPECT_TRUE(rung(wheel, start).empty());
    EXPECT_TRUE(rung(wheel, TimePoint::max() - 1ns).empty());
    EXPECT_TRUE(bell.armed());
}

TEST(Wheel, takes_a_time_that_goes_back_as_no_time_at_all) {
    Wheel wheel{start};
    Bell bell;
    rung(wheel, start + 10s);
    wheel.insert(bell, start + 11s);
    EXPECT_TRUE(rung(wheel, start + 2s).empty());
    EXPECT_TRUE(rung(wheel, TimePoint::min()).empty());
    EXPECT_EQ(rung(wheel, start + 12s), Ids{0});
}

// The model: an ordered map from tick to timers, where the wheel has slots and levels.
class Model {
public:
    static std::int64_t tick_of(TimePoint when) {
        return when <= start ? 0 : (when - start + 1ms - 1ns) / 1ms;
    }

    void insert(int id, TimePoint when) {
        cancel(id);
        // What is due already waits behind what expired before it: both go by order of insertion.
        where_[id] = due_.emplace(std::max(tick_of(when), now_), id);
    }

    void cancel(int id) {
        const auto found = where_.find(id);
        if (found == where_.end()) return;
        due_.erase(found->second);
        where_.erase(found);
    }

    Ids advance(TimePoint now) {
        now_ = std::max(now_, static_cast<std::int64_t>((now - start) / 1ms));
        Ids ids;
        while (!due_.empty() && due_.begin()->first <= now_) {
            ids.push_back(due_.begin()->second);
            cancel(ids.back());
        }
        return ids;
    }

    TimePoint earliest() const {
        return due_.empty() ? TimePoint::max() : start + due_.begin()->first * 1ms;
    }

private:
    std::int64_t now_ = 0;
    std::multimap<std::int64_t, int> due_;
    std::map<int, std::multimap<std::int64_t, int>::iterator> where_;
};

// From nanoseconds to about a century, each scale as likely as the other.
Duration random_wait(SeededRandom& random, unsigned most_bits) {
    return Duration{
        static_cast<std::int64_t>(random.bits() >> (64 - 1 - random.bits() % most_bits))};
}

void compare_with_model(std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SeededRandom random{seed};
    const unsigned most_bits = 30 + static_cast<unsigned>(random.bits() % 25);
    Wheel wheel{start};
    Model model;
    std::vector<Bell> bells(100);
    for (std::size_t id = 0; id < bells.size(); ++id) bells[id].id = static_cast<int>(id);
    TimePoint now = start;
    for (int step = 0; step < 3000; ++step) {
        Bell& bell = bells[random.bits() % bells.size()];
        if (const double choice = random.next(); choice < 0.6) {
            const TimePoint when = now + random_wait(random, most_bits) - 2ms;
            wheel.insert(bell, when);
            model.insert(bell.id, when);
        } else if (choice < 0.75) {
            wheel.cancel(bell);
            model.cancel(bell.id);
        } else {
            now = choice < 0.85 ? std::max(now, std::min(wheel.next_due(), start + 24h * 36'500))
                                : now + random_wait(random, most_bits);
            ASSERT_EQ(rung(wheel, now), model.advance(now)) << "step " << step;
        }
        ASSERT_LE(wheel.next_due(), model.earliest()) << "step " << step;
        ASSERT_EQ(wheel.next_due() == TimePoint::max(), model.earliest() == TimePoint::max());
    }
}

TEST(Wheel, does_what_an_ordered_map_would_do) {
    for (std::uint64_t seed = 1; seed <= 100 && !HasFatalFailure(); ++seed)
        compare_with_model(seed);
}

}  // namespace
