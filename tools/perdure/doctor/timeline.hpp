// SPDX-License-Identifier: Apache-2.0
//
// What happened in each second, if lines come in any order and a run may last a second or a month?
// Slots of one second that double their width when there are too many of them.
//
//     Timeline timeline{600};
//     timeline.at(call.began).calls += call.weight;
#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "doctor/chance.hpp"
#include "doctor/levels.hpp"

namespace tool::doctor {

inline constexpr std::int64_t second = 1'000'000'000;

// Calls count where they began. A call is affected if an attempt of it met trouble: see Tally.
struct Slot {
    std::uint64_t calls = 0, failed = 0, affected = 0, lines = 0;
    std::uint64_t attempts = 0, troubled = 0;        // attempts
    std::uint64_t timed_out = 0, overloaded = 0;     // of those in trouble
    std::uint64_t retried = 0, retried_in_vain = 0;  // calls
    std::uint64_t intervals = 0, starved = 0;        // of the process
    Levels elapsed{};

    void merge(const Slot& other);
    // More than half of what the process said about itself in this slot was bad.
    [[nodiscard]] bool hungry() const { return 2 * starved > intervals; }
};

// One owner.
class Timeline {
public:
    explicit Timeline(std::size_t most) : most_{most} {}

    Slot& at(std::int64_t time);
    [[nodiscard]] const std::map<std::int64_t, Slot>& slots() const { return slots_; }
    [[nodiscard]] std::int64_t width() const { return width_; }  // in nanoseconds

    // The share of affected calls without the worst moments: up to three stretches of time are left
    // out, each of three slots or 4 % of the whole time. What then remains is no blip.
    [[nodiscard]] Share affected_without_blips() const;
    [[nodiscard]] Share slow_without_blips(std::uint64_t above) const;

private:
    using Count = std::function<std::uint64_t(const Slot&)>;
    [[nodiscard]] Share without_blips(const Count& count) const;
    void widen();
    std::size_t most_;
    std::int64_t width_ = second;
    std::map<std::int64_t, Slot> slots_;  // by time / width
};

}  // namespace tool::doctor
