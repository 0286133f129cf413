// SPDX-License-Identifier: Apache-2.0
//
// Which of a million timeouts are due? A hierarchical timing wheel: inserting and cancelling cost a
// few stores whatever the number, and nothing is allocated, because the links live in the timers.
//
//     struct Waiter : perdure::Timer { std::coroutine_handle<> coroutine; };
//
//     wheel.insert(waiter, clock.now() + 2s);
//     clock.sleep_until(wheel.next_due());
//     wheel.advance(clock.now(), [](Timer& due) { static_cast<Waiter&>(due).coroutine.resume(); });
//
// Time is cut into ticks of 1 ms. A timer never fires early, and fires in the first advance() that
// is at or past the end of its tick. Ticks fire in order, timers of one tick in order of insertion.
#pragma once

#include "perdure/duration.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdure {
inline namespace v0 {

// Something to derive from. Belongs to the thread that owns its wheel. Dying disarms it.
class Timer {
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    ~Timer() { cancel(); }

    bool armed() const noexcept { return links_.next != nullptr; }

    void cancel() noexcept {
        if (!armed()) return;
        links_.previous->next = links_.next;
        links_.next->previous = links_.previous;
        links_ = {};
    }

private:
    friend class Wheel;
    struct Links {
        Links* previous = nullptr;
        Links* next = nullptr;
    };

    Links links_;  // first, so that a link is found to be its timer's
    std::uint64_t tick_ = 0;
};

// Owned by one thread: insert, cancel and advance happen there, also from within what a timer does.
// 17 KB. When it dies, armed timers are disarmed and do not fire.
class Wheel {
public:
    static constexpr Duration tick = 1ms;

    explicit Wheel(TimePoint now) noexcept;
    Wheel(const Wheel&) = delete;
    Wheel& operator=(const Wheel&) = delete;
    ~Wheel();

    // Arms `timer`, or moves it if it is armed already. One that is due at once fires in the next
    // advance(), never in the one that is running, so that a timer which rearms itself cannot hold
    // the thread for ever.
    void insert(Timer& timer, TimePoint when) noexcept;
    void cancel(Timer& timer) noexcept { timer.cancel(); }

    // Disarms each timer that is due and hands it to `fire(Timer&)`, which may insert, cancel and
    // destroy timers, including those about to fire. If it throws, the rest fire next time. A `now`
    // before an earlier one counts as that one. Not to be called from within `fire`.
    template <class Fire>
    void advance(TimePoint now, Fire&& fire) {
        collect(now);
        while (Timer* timer = pop_expired()) fire(*timer);
    }

    // No advance() before this time fires anything. It may be too early: who sleeps until then,
    // advances and asks again is woken at most four times for a timer within 50 days, the last time
    // to fire it. TimePoint::max() when no timer is armed.
    TimePoint next_due() noexcept;

private:
    using Links = Timer::Links;
    static constexpr std::size_t levels = 4, slots = 256;

    struct Event {
        std::uint64_t tick;
        Links* list;  // null: no event
    };

    void collect(TimePoint now) noexcept;
    Timer* pop_expired() noexcept;
    Event next_event() noexcept;
    Links* next_in_level(std::size_t level) noexcept;
    void place(Timer& timer) noexcept;
    void replace_all(Links& list) noexcept;
    TimePoint time_of(std::uint64_t tick) const noexcept;

    TimePoint origin_;
    std::uint64_t now_ = 0;  // the tick up to which everything has been collected
    std::array<std::array<Links, slots>, levels> wheel_;
    // One bit per slot, set by inserting and cleared when the slot is found empty: cancelling does
    // not have to know where its timer was.
    std::array<std::array<std::uint64_t, slots / 64>, levels> filled_{};
    Links far_;      // beyond the 2^32 ticks (50 days) the wheel can tell apart
    Links overdue_;  // due when they were inserted
    Links expired_;  // collected, not yet fired
};

}  // namespace v0
}  // namespace perdure
