// SPDX-License-Identifier: Apache-2.0
//
// What happens next? Two answers that must agree: a plain priority queue, and one that knows that
// most delays here are constant.
//
// Events with one constant delay come in the order of their times, so a ring buffer ("lane") keeps
// them sorted for nothing; only those with a random delay go into a heap, which then holds as many
// events as workers are busy and not as many as requests wait for a timeout. And a timeout whose
// call has ended is dropped as soon as it is the first of its lane.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "perdure/sim/distribution.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

enum class What : std::uint8_t {
    arrival,  // a new call
    reach,    // an attempt gets to the service
    answer,   // its answer gets back
    cancel,   // word that an attempt is no longer wanted gets to the service
    done,     // a worker has finished
    wake,     // a call wants to go on: a timeout, the end of a wait
    change,   // the scenario's own events
};

struct Event {
    std::int64_t at = 0;      // nanoseconds
    std::uint64_t order = 0;  // sequence · 8 + what: unique, so the order is total
    std::uint32_t subject = 0;
    std::uint32_t stamp = 0;

    [[nodiscard]] What what() const noexcept { return static_cast<What>(order & 7U); }
    // One wide number, so that comparing takes no branch: which of two events is first is a coin
    // toss that no predictor can learn. Times are never negative.
    __extension__ using Key = unsigned __int128;
    [[nodiscard]] Key key() const noexcept {
        return static_cast<Key>(static_cast<std::uint64_t>(at)) << 64U | order;
    }
    friend bool operator<(const Event& a, const Event& b) noexcept { return a.key() < b.key(); }
    friend bool operator>(const Event& a, const Event& b) noexcept { return b < a; }
};
inline constexpr Event no_event{INT64_MAX, UINT64_MAX, 0, 0};

// The engine one would write first, and the oracle of the other.
class PlainAgenda {
public:
    void push(const Event& event, std::size_t) { queue_.push(event); }
    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }
    Event pop() {
        const Event next = queue_.top();
        queue_.pop();
        return next;
    }
    void forget(std::size_t, auto&&) noexcept {}

private:
    std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
};

// A queue in a ring whose size is a power of two.
class Lane {
public:
    [[nodiscard]] bool empty() const noexcept { return head_ == tail_; }
    [[nodiscard]] const Event& front() const noexcept { return ring_[head_ & mask_]; }
    [[nodiscard]] const Event& back() const noexcept { return ring_[(tail_ - 1) & mask_]; }
    void push(const Event& event) {
        if (tail_ - head_ == ring_.size()) [[unlikely]]
            grow();
        ring_[tail_++ & mask_] = event;
    }
    void pop() noexcept { ++head_; }

private:
    [[gnu::cold, gnu::noinline]] void grow() {
        std::vector<Event> larger(ring_.size() * 2);
        std::size_t count = 0;
        for (std::size_t i = head_; i != tail_; ++i) larger[count++] = ring_[i & mask_];
        ring_.swap(larger);
        mask_ = ring_.size() - 1;
        head_ = 0;
        tail_ = count;
    }

    std::vector<Event> ring_ = std::vector<Event>(64);
    std::size_t mask_ = 63;
    std::size_t head_ = 0, tail_ = 0;
};

// A heap with four children per node, whose times lie apart from the rest: the four children of a
// node are one cache line, and only two events at the same nanosecond look further. Its top may be a
// hole: what is pushed right after a pop, as a worker's next completion is, takes its place without
// a way through the whole heap.
class Heap {
public:
    [[nodiscard]] bool empty() const noexcept { return count_ == (hole_ ? 1U : 0U); }
    [[nodiscard]] std::size_t size() const noexcept { return count_ - (hole_ ? 1U : 0U); }
    // no_event when there is none.
    [[nodiscard]] const Event& top() {
        if (hole_) fill();
        return count_ == 0 ? no_event : events_[root];
    }
    void push(const Event& event) {
        if (hole_) {
            hole_ = false;
            return sink(event);
        }
        if (root + count_ + 4 >= times_.size()) grow();
        std::size_t at = root + count_++;
        for (; at > root; at = parent(at)) {
            const std::size_t above = parent(at);
            if (!(event < events_[above])) break;
            put(at, events_[above]);
        }
        put(at, event);
    }
    void pop() { hole_ = true; }  // after top()

private:
    // The root is number 3, so that the children of i, 4 (i − 2) … + 3, begin at a multiple of 4.
    static constexpr std::size_t root = 3;
    static std::size_t parent(std::size_t at) noexcept { return at / 4 + 2; }
    static std::size_t first_child(std::size_t at) noexcept { return 4 * (at - 2); }

    void put(std::size_t at, const Event& event) noexcept {
        times_[at] = event.at;
        events_[at] = event;
    }
    void fill() {
        hole_ = false;
        const std::size_t last = root + --count_;
        times_[last] = INT64_MAX;  // places beyond the end never win
        if (count_ > 0) sink(events_[last]);
    }
    [[nodiscard]] std::size_t least_child(std::size_t first) const noexcept {
        const std::int64_t* time = times_.data() + first;
        const std::size_t left = time[1] < time[0] ? 1 : 0;
        const std::size_t right = time[3] < time[2] ? 3 : 2;
        const std::size_t least = time[right] < time[left] ? right : left;
        const bool tie = (time[0] == time[1]) | (time[2] == time[3]) | (time[left] == time[right]);
        return first + (tie ? least_of_equals(first) : least);
    }
    [[nodiscard, gnu::noinline]] std::size_t least_of_equals(std::size_t first) const noexcept {
        std::size_t least = 0;
        for (std::size_t i = 1; i < 4; ++i)
            if (times_[first + i] != INT64_MAX && events_[first + i] < events_[first + least])
                least = i;
        return least;
    }
    void sink(const Event event) {
        const std::size_t end = root + count_;
        std::size_t at = root;
        for (std::size_t first = first_child(at); first < end; first = first_child(at)) {
            const std::size_t least = least_child(first);
            if (event.at < times_[least] ||
                (event.at == times_[least] && event.order < events_[least].order))
                break;
            put(at, events_[least]);
            at = least;
        }
        put(at, event);
    }
    [[gnu::cold, gnu::noinline]] void grow() {
        times_.resize(std::max<std::size_t>(64, 2 * times_.size()), INT64_MAX);
        events_.resize(times_.size(), no_event);
    }

    std::vector<std::int64_t> times_{};
    std::vector<Event> events_{};
    std::size_t count_ = 0;
    bool hole_ = false;
};

class LaneAgenda {
public:
    static constexpr std::size_t arrival = 0, there = 1, back = 2, timeout = 3, none = 4;
    static std::size_t lane_for(const Distribution& delay, std::size_t lane) noexcept {
        return delay.is_constant() ? lane : none;
    }

    void push(const Event& event, std::size_t lane) {
        if (lane == none) return heap_.push(event);
        Lane& queue = lanes_[lane];
        if (queue.empty()) heads_[lane] = event;
        // What was promised to come in order may still not: a deadline cuts a timeout short.
        else if (event < queue.back()) return heap_.push(event);
        queue.push(event);
    }
    [[nodiscard]] bool empty() const noexcept {
        return heap_.empty() && lanes_[0].empty() && lanes_[1].empty() && lanes_[2].empty() &&
               lanes_[3].empty();
    }
    Event pop() {
        const std::size_t early = heads_[1] < heads_[0] ? 1 : 0;
        const std::size_t late = heads_[3] < heads_[2] ? 3 : 2;
        const std::size_t lane = heads_[late] < heads_[early] ? late : early;
        const Event& top = heap_.top();
        if (top < heads_[lane]) {
            const Event next = top;
            heap_.pop();
            return next;
        }
        const Event next = heads_[lane];
        advance(lane);
        return next;
    }
    // Drops what is stale at the head of a lane.
    template <class Stale>
    void forget(std::size_t lane, Stale&& is_stale) {
        while (!lanes_[lane].empty() && is_stale(heads_[lane])) advance(lane);
    }

private:
    void advance(std::size_t lane) noexcept {
        lanes_[lane].pop();
        heads_[lane] = lanes_[lane].empty() ? no_event : lanes_[lane].front();
    }

    std::array<Event, 4> heads_{no_event, no_event, no_event, no_event};
    std::array<Lane, 4> lanes_{};
    Heap heap_{};
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
