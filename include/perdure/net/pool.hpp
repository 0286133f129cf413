// SPDX-License-Identifier: Apache-2.0
//
// Which connection do I take? One that is idle and still good, or leave to make a new one, or a place
// in the queue until somebody gives his back.
//
//     net::Pool::Place place{pool, waker};
//     place.ask(now);
//     if (place.granted()) { auto old = place.take(); if (!old) …make one…; }
//     place.give_back(std::move(connection), now);       // or let the place die: its permit is free
//
// Places are handed over in the order they were asked for; idle connections are taken youngest first,
// so that the others can grow old and be closed.
//
// When nobody can connect, one tries and the others wait for its news:
//
//     if (place.may_dial(now)) …connect…, place.dialled(failure, now);     // null: connected
//     else …ask again when woken, and at place.dial_at(); take_handed() may have a connection…
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "perdure/duration.hpp"
#include "perdure/failure.hpp"
#include "perdure/net/waker.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Anything that costs time to set up: an HTTP connection, a session of a database.
class Pooled {
public:
    Pooled() = default;
    Pooled(const Pooled&) = delete;
    Pooled& operator=(const Pooled&) = delete;
    virtual ~Pooled();
    // Asked before it is used again, and now and then while it is idle; must not wait.
    [[nodiscard]] virtual bool still_good() = 0;

private:
    friend class Pool;
    TimePoint made_ = TimePoint::min();  // when it was first given back
    double draw_ = 1;                    // from [0, 1): where in the spread of its times it is
};

struct PoolOptions {
    int max_connections = 64;  // in use, idle and being made
    // Shorter than the usual patience of servers and load balancers (60 s and more).
    Duration idle_for = 30s;
    Duration live_for = never;  // since its first use; for services that move behind their name
    // Each connection has up to so much less of both, so that those made together do not end together.
    double spread = 0.1;
    // When nobody can connect, one tries and the others wait. Clients switch it off with a plan that
    // limits the attempts to connect: each of those makes its own.
    bool one_dials = true;
};

struct PoolCounts {
    int in_use = 0;  // permits given out, also to those who are still connecting
    int idle = 0;
    int waiting = 0;
};

// Connections to one place. Safe for any number of threads. Places may outlive it.
class Pool {
public:
    explicit Pool(PoolOptions options = {}, Random& random = system_random());
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    class Place;

    // After a failover: what is idle is closed, what is in use is closed when it is given back.
    void clear();
    // Closes what is idle for too long, too old, or no longer good. Done by itself every few seconds.
    void reap(TimePoint now);
    [[nodiscard]] PoolCounts counts() const;

private:
    struct Idle;
    struct Shelf;
    struct Sweep;
    std::shared_ptr<Shelf> shelf_;
};

// One permit, asked for and held by one thread at a time; the waker is told when it is granted.
class Pool::Place {
public:
    enum class Accepts : std::uint8_t { any, new_only };

    Place(const Pool& pool, Waker& waker) noexcept : shelf_{pool.shelf_}, waker_{waker} {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { leave(); }

    // Looks at idle connections first, which takes a system call each.
    void ask(TimePoint now);
    [[nodiscard]] bool granted() const noexcept {
        const State state = state_.load(std::memory_order_acquire);
        return state == State::in || state == State::handed_over;
    }
    // Once, after it was granted. Null: there is leave to make a new one.
    [[nodiscard]] std::unique_ptr<Pooled> take();
    // The connection is good for the next one; null gives only the permit back.
    void give_back(std::unique_ptr<Pooled> connection, TimePoint now);
    // Gives up the queue or the permit.
    void leave() noexcept;

    // Only for one who was granted a place and has no connection. While connecting works, always true.
    // After it has failed, true for one at a time, after a pause that grows to a second (50 ms · 2^n,
    // equal jitter). Until `dialled` this is the one; after a second another may try as well.
    [[nodiscard]] bool may_dial(TimePoint now, Accepts accepts = Accepts::any);
    // When it was false: not before this. The waker is told when somebody has got through, has given up
    // and left the turn to others, or has handed over a connection.
    [[nodiscard]] TimePoint dial_at() const noexcept { return dial_at_; }
    [[nodiscard]] bool another_dials() const noexcept {
        return another_dials_;
    }  // else it is a pause
    // A connection that became idle while this one waited to dial; null: none.
    [[nodiscard]] std::unique_ptr<Pooled> take_handed();
    // The result of dialling; null: connected. Those who wait are told of it. A timeout of less than a
    // second is the caller's own: it says nothing about the server, so only the turn is passed on.
    void dialled(const Failure* failure, TimePoint now);
    // Leaves the turn to the others, without news.
    void pass_turn() noexcept;
    // Why the latest one who dialled here did not get through; null if he did.
    [[nodiscard]] std::shared_ptr<const Failure> dial_failure() const;
    // Whether anybody dials, waits to, or has given up within the last second.
    [[nodiscard]] bool somebody_dials(TimePoint now) const;

private:
    friend class Pool;
    enum class State : std::uint8_t { out, queued, handed_over, in };
    std::shared_ptr<Shelf> shelf_;
    Waker& waker_;
    std::atomic<State> state_ = State::out;  // others write it under the shelf's lock, while queued
    std::unique_ptr<Pooled> connection_;
    TimePoint asked_{};
    unsigned round_ = 0;
    Place* next_ = nullptr;  // in the queue, or among those who wait to dial
    Place* before_ = nullptr;
    TimePoint dial_at_ = TimePoint::min();
    TimePoint dials_since_ = TimePoint::min();
    Accepts accepts_ = Accepts::any;
    bool another_dials_ = false;
    bool waits_to_dial_ = false;  // under the pool's lock
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
