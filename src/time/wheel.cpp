// SPDX-License-Identifier: Apache-2.0
//
// A timer sits in the level of the highest byte in which its tick differs from the present one, in
// the slot that byte names. So all slots in use lie ahead of the present one in their level, level
// 0 holds exact ticks, and everything in a level comes before everything in the next: the next
// event is the first filled slot of the lowest filled level. When time reaches a slot of a higher
// level, its timers are placed anew, now lower. Levels chosen by distance instead would need every
// slot to be visited in turn, and would mix up the order within a tick.
#include "perdure/time/wheel.hpp"

#include <bit>
#include <limits>
#include <type_traits>

namespace perdure {
inline namespace v0 {
namespace {

// Lets a list of links be read as a list of timers: such a class and its first member share their
// address.
static_assert(std::is_standard_layout_v<Timer>);

constexpr auto tick_length = static_cast<std::uint64_t>(Wheel::tick.count());
constexpr std::size_t level_bits = 8;

// Unsigned, because a distance between two times may need all 64 bits.
std::uint64_t nanoseconds_since(TimePoint origin, TimePoint time) noexcept {
    if (time <= origin) return 0;
    return static_cast<std::uint64_t>(time.time_since_epoch().count()) -
           static_cast<std::uint64_t>(origin.time_since_epoch().count());
}

template <class Links>
void clear(Links& list) noexcept {
    list.previous = list.next = &list;
}

template <class Links>
bool is_empty(const Links& list) noexcept {
    return list.next == &list;
}

template <class Links>
void append(Links& list, Links& item) noexcept {
    item.previous = list.previous;
    item.next = &list;
    list.previous = list.previous->next = &item;
}

// Moves all of `from` to the end of `to`.
template <class Links>
void splice(Links& to, Links& from) noexcept {
    if (is_empty(from)) return;
    from.next->previous = to.previous;
    to.previous->next = from.next;
    from.previous->next = &to;
    to.previous = from.previous;
    clear(from);
}

}  // namespace

Wheel::Wheel(TimePoint now) noexcept : origin_{now} {
    for (auto& level : wheel_)
        for (auto& list : level) clear(list);
    for (auto* list : {&far_, &overdue_, &expired_}) clear(*list);
}

Wheel::~Wheel() {
    const auto disarm = [](Links& list) {
        while (!is_empty(list)) reinterpret_cast<Timer*>(list.next)->cancel();
    };
    for (auto& level : wheel_)
        for (auto& list : level) disarm(list);
    for (auto* list : {&far_, &overdue_, &expired_}) disarm(*list);
}

void Wheel::insert(Timer& timer, TimePoint when) noexcept {
    timer.cancel();
    const std::uint64_t distance = nanoseconds_since(origin_, when);
    timer.tick_ = distance / tick_length + (distance % tick_length != 0 ? 1 : 0);
    if (timer.tick_ <= now_) append(overdue_, timer.links_);
    else place(timer);
}

void Wheel::place(Timer& timer) noexcept {
    const std::uint64_t difference = timer.tick_ ^ now_;
    if (difference == 0) return append(expired_, timer.links_);
    const std::size_t level =
        (static_cast<std::size_t>(std::bit_width(difference)) - 1) / level_bits;
    if (level >= levels) return append(far_, timer.links_);
    const std::size_t slot = (timer.tick_ >> (level * level_bits)) % slots;
    append(wheel_[level][slot], timer.links_);
    filled_[level][slot / 64] |= std::uint64_t{1} << (slot % 64);
}

Wheel::Links* Wheel::next_in_level(std::size_t level) noexcept {
    for (std::size_t word = 0; word < slots / 64; ++word)
        while (filled_[level][word] != 0) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(filled_[level][word]));
            Links& list = wheel_[level][word * 64 + bit];
            if (!is_empty(list)) return &list;
            filled_[level][word] &= filled_[level][word] - 1;
        }
    return nullptr;
}

Wheel::Event Wheel::next_event() noexcept {
    for (std::size_t level = 0; level < levels; ++level)
        if (Links* list = next_in_level(level)) {
            const auto slot = static_cast<std::uint64_t>(list - wheel_[level].data());
            const std::size_t shift = level * level_bits;
            const std::uint64_t above = now_ >> (shift + level_bits) << (shift + level_bits);
            return {above | slot << shift, list};
        }
    constexpr std::size_t range_bits = levels * level_bits;
    if (!is_empty(far_)) return {((now_ >> range_bits) + 1) << range_bits, &far_};
    return {std::numeric_limits<std::uint64_t>::max(), nullptr};
}

void Wheel::replace_all(Links& list) noexcept {
    Links moved;
    clear(moved);
    splice(moved, list);
    while (!is_empty(moved)) {
        Timer& timer = *reinterpret_cast<Timer*>(moved.next);
        timer.cancel();
        place(timer);
    }
}

void Wheel::collect(TimePoint now) noexcept {
    splice(expired_, overdue_);
    const std::uint64_t target = nanoseconds_since(origin_, now) / tick_length;
    for (Event event = next_event(); event.list != nullptr && event.tick <= target;
         event = next_event()) {
        now_ = event.tick;
        replace_all(*event.list);
    }
    if (target > now_) now_ = target;
}

Timer* Wheel::pop_expired() noexcept {
    if (is_empty(expired_)) return nullptr;
    Timer* timer = reinterpret_cast<Timer*>(expired_.next);
    timer->cancel();
    return timer;
}

TimePoint Wheel::time_of(std::uint64_t tick_number) const noexcept {
    if (tick_number > nanoseconds_since(origin_, TimePoint::max()) / tick_length)
        return TimePoint::max();
    const std::uint64_t distance = tick_number * tick_length;
    return TimePoint{Duration{static_cast<std::int64_t>(
        static_cast<std::uint64_t>(origin_.time_since_epoch().count()) + distance)}};
}

TimePoint Wheel::next_due() noexcept {
    if (!is_empty(expired_) || !is_empty(overdue_)) return time_of(now_);
    const Event event = next_event();
    return event.list == nullptr ? TimePoint::max() : time_of(event.tick);
}

}  // namespace v0
}  // namespace perdure
