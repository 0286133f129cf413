// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/pool.hpp"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <utility>
#include <vector>

#include "perdure/policy/backoff.hpp"
#include "perdure/time/jitter.hpp"
#include "perdure/time/loop.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

namespace {

constexpr Backoff between_dials{.base = 50ms, .cap = 1s, .jitter = Jitter::equal};
// A kernel sends a lost SYN again after a second: who began later may be through before.
constexpr Duration turn_to_dial = 1s;

}  // namespace

Pooled::~Pooled() = default;

struct Pool::Idle {
    std::unique_ptr<Pooled> connection;
    TimePoint since{};
};

// Connections are closed outside the lock: that is a system call, and may be a slow one.
struct Pool::Shelf {
    Shelf(PoolOptions chosen, Random& chance) noexcept : options{chosen}, random{chance} {}

    [[nodiscard]] bool too_old(const Idle& one, TimePoint now) const noexcept {
        const double draw = one.connection->draw_;
        return now - one.since >= shortened(options.idle_for, draw, options.spread) ||
               now - one.connection->made_ >= shortened(options.live_for, draw, options.spread);
    }
    // What is no longer fit for use, for the caller to close.
    [[nodiscard]] std::vector<Idle> reap(TimePoint now) {
        std::vector<Idle> gone;
        const std::lock_guard held{mutex};
        for (Idle& one : idle)
            if (too_old(one, now) || !one.connection->still_good()) gone.push_back(std::move(one));
        std::erase_if(idle, [](const Idle& one) { return !one.connection; });
        return gone;
    }
    [[nodiscard]] bool fit(const Idle& one, TimePoint now) const {
        return !too_old(one, now) && one.connection->still_good();
    }
    void push(Place& place) noexcept {
        place.before_ = last;
        place.next_ = nullptr;
        (last ? last->next_ : first) = &place;
        last = &place;
        ++waiting;
    }
    void remove(Place& place) noexcept {
        (place.before_ ? place.before_->next_ : first) = place.next_;
        (place.next_ ? place.next_->before_ : last) = place.before_;
        --waiting;
    }
    // A permit whose holder is done, perhaps with a connection, goes to whoever waits longest.
    void pass_on(std::unique_ptr<Pooled> connection) noexcept {
        Place& next = *first;
        remove(next);
        next.connection_ = std::move(connection);
        next.round_ = round;
        next.state_.store(Place::State::handed_over, std::memory_order_release);
        next.waker_.wake();
    }

    // They ask again, each in its own thread or turn.
    void wake_those_who_wait_to_dial() const noexcept {
        for (Place* place = to_dial; place; place = place->next_) place->waker_.wake();
    }
    void wait_to_dial(Place& place) noexcept {
        place.before_ = nullptr;
        place.next_ = to_dial;
        if (to_dial) to_dial->before_ = &place;
        to_dial = &place;
        place.waits_to_dial_ = true;
    }
    void stop_waiting_to_dial(Place& place) noexcept {
        if (!std::exchange(place.waits_to_dial_, false)) return;
        (place.before_ ? place.before_->next_ : to_dial) = place.next_;
        if (place.next_) place.next_->before_ = place.before_;
    }
    // While nobody gets through, an idle connection is for the one who has waited longest. False: there
    // is no such one.
    bool hand_to_dialler(std::unique_ptr<Pooled>& connection) noexcept {
        if (!dial_failure) return false;
        Place* longest = nullptr;
        for (Place* place = to_dial; place; place = place->next_)
            if (place->accepts_ == Place::Accepts::any) longest = place;
        if (!longest) return false;
        stop_waiting_to_dial(*longest);
        longest->connection_ = std::move(connection);
        longest->waker_.wake();
        return true;
    }

    const PoolOptions options;
    Random& random;
    std::mutex sweeping;  // held by the sweep, and by the end of the pool; before `mutex`
    mutable std::mutex mutex;
    std::vector<Idle> idle;  // the youngest last
    Place* first = nullptr;
    Place* last = nullptr;
    int waiting = 0;
    int out = 0;
    unsigned round = 0;  // clear() begins a new one
    bool swept = false;
    std::shared_ptr<const Failure> dial_failure;  // null: connecting works, as far as is known
    Place* to_dial = nullptr;                     // those who wait
    const Place* dialler = nullptr;               // whose turn it is
    TimePoint turn_began{};
    TimePoint next_dial{};
    Series dials{};
};

// Closes idle connections that nobody asks for any more, so that none sits in CLOSE_WAIT. Owned by
// the process's executor; ends when nothing is idle, or the pool is gone.
struct Pool::Sweep final : Job {
    explicit Sweep(const std::shared_ptr<Shelf>& shelf)
        : Job{&Sweep::begin}, whose{shelf}, bell{this} {
        every = std::clamp(shelf->options.idle_for / 2, Duration{100ms}, Duration{5s});
    }
    struct Bell : Alarm {
        explicit Bell(Sweep* sweep) noexcept
            : Alarm{[](Alarm& alarm) { static_cast<Bell&>(alarm).owner->ring(); }}, owner{sweep} {}
        Sweep* owner;
    };
    static void begin(Job& job) { static_cast<Sweep&>(job).arm(); }
    void arm() {
        Executor& executor = default_executor();
        executor.arm(bell, executor.clock().now() + every);
    }
    void ring() {
        const auto shelf = whose.lock();
        if (!shelf || !go_on(*shelf, default_executor().clock().now())) return delete this;
        arm();
    }
    static bool go_on(Shelf& shelf, TimePoint now);

    std::weak_ptr<Shelf> whose;
    Duration every{};
    Bell bell;
};

bool Pool::Sweep::go_on(Shelf& shelf, TimePoint now) {
    const std::lock_guard alone{shelf.sweeping};
    const std::vector<Idle> gone = shelf.reap(now);
    const std::lock_guard held{shelf.mutex};
    return shelf.swept = !shelf.idle.empty();
}

Pool::Pool(PoolOptions options, Random& random)
    : shelf_{std::make_shared<Shelf>(options, random)} {}
Pool::~Pool() {
    // Connections end here and not on the sweeper's thread, which may outlive what they stand on.
    const std::lock_guard last{shelf_->sweeping};
    clear();
}

void Pool::clear() {
    std::vector<Idle> gone;
    const std::lock_guard held{shelf_->mutex};
    ++shelf_->round;
    gone.swap(shelf_->idle);
}

void Pool::reap(TimePoint now) { const std::vector<Idle> gone = shelf_->reap(now); }

PoolCounts Pool::counts() const {
    const std::lock_guard held{shelf_->mutex};
    return {shelf_->out, static_cast<int>(shelf_->idle.size()), shelf_->waiting};
}

void Pool::Place::ask(TimePoint now) {
    assert(state_.load(std::memory_order_relaxed) == State::out);
    Shelf& shelf = *shelf_;
    asked_ = now;
    for (bool permitted = false;;) {
        Idle one;
        {
            const std::lock_guard held{shelf.mutex};
            round_ = shelf.round;
            if (shelf.idle.empty() && !permitted && shelf.out >= shelf.options.max_connections) {
                state_.store(State::queued, std::memory_order_relaxed);
                return shelf.push(*this);
            }
            if (!std::exchange(permitted, true)) ++shelf.out;
            if (!shelf.idle.empty()) {
                one = std::move(shelf.idle.back());
                shelf.idle.pop_back();
            }
        }
        if (one.connection && !shelf.fit(one, now)) continue;
        connection_ = std::move(one.connection);
        return state_.store(State::in, std::memory_order_relaxed);
    }
}

std::unique_ptr<Pooled> Pool::Place::take() {
    // One from another's hands has not been looked at yet.
    const bool handed = state_.exchange(State::in, std::memory_order_acquire) == State::handed_over;
    if (handed && connection_ && !connection_->still_good()) connection_.reset();
    return std::move(connection_);
}

void Pool::Place::give_back(std::unique_ptr<Pooled> connection, TimePoint now) {
    assert(granted());
    Shelf& shelf = *shelf_;
    state_.store(State::out, std::memory_order_relaxed);
    Idle one{std::move(connection), now};
    bool start_sweep = false;
    {
        const std::lock_guard held{shelf.mutex};
        if (one.connection && one.connection->made_ == TimePoint::min()) {
            one.connection->made_ = now;
            one.connection->draw_ = shelf.random.next();
        }
        bool keep = one.connection && round_ == shelf.round && !shelf.too_old(one, now);
        if (keep && shelf.hand_to_dialler(one.connection)) keep = false;
        if (shelf.first) return shelf.pass_on(keep ? std::move(one.connection) : nullptr);
        --shelf.out;
        if (!keep) return;
        shelf.idle.push_back(std::move(one));
        start_sweep = !std::exchange(shelf.swept, true);
    }
    if (!start_sweep) return;
    if (Executor* const executor = default_executor_or_null())
        return executor->post(*new Sweep{shelf_});
    // The next connection that is given back tries again.
    const std::lock_guard held{shelf.mutex};
    shelf.swept = false;
}

bool Pool::Place::may_dial(TimePoint now, Accepts accepts) {
    assert(granted());
    Shelf& shelf = *shelf_;
    const std::lock_guard held{shelf.mutex};
    shelf.stop_waiting_to_dial(*this);
    dials_since_ = now;
    another_dials_ = false;
    dial_at_ = now;
    if (connection_) return false;  // handed over in this moment
    if (!shelf.dial_failure || !shelf.options.one_dials) return true;
    another_dials_ = shelf.dialler != nullptr;
    dial_at_ = another_dials_ ? after(shelf.turn_began, turn_to_dial) : shelf.next_dial;
    if (now < dial_at_) {
        accepts_ = accepts;
        shelf.wait_to_dial(*this);
        return false;
    }
    shelf.dialler = this;
    shelf.turn_began = now;
    return true;
}

std::unique_ptr<Pooled> Pool::Place::take_handed() {
    std::unique_ptr<Pooled> handed;
    {
        const std::lock_guard held{shelf_->mutex};
        handed = std::move(connection_);
    }
    if (handed && !handed->still_good()) handed.reset();
    return handed;
}

void Pool::Place::dialled(const Failure* failure, TimePoint now) {
    std::shared_ptr<const Failure> why = failure ? std::make_shared<Failure>(*failure) : nullptr;
    Shelf& shelf = *shelf_;
    const std::lock_guard held{shelf.mutex};
    const bool its_turn = shelf.dialler == this;
    if (its_turn) shelf.dialler = nullptr;
    if (failure && failure->cause == Cause::timed_out && now - dials_since_ < turn_to_dial) {
        if (its_turn) shelf.wake_those_who_wait_to_dial();
        return;
    }
    // Of many who dialled while all was well only the first failure sets the pause.
    const bool news = its_turn || !failure || !shelf.dial_failure;
    if (!news || (!failure && !shelf.dial_failure)) return;
    if (failure) shelf.next_dial = after(now, next_delay(between_dials, shelf.dials, shelf.random));
    else shelf.dials = {};
    shelf.dial_failure.swap(why);
    shelf.wake_those_who_wait_to_dial();
}

std::shared_ptr<const Failure> Pool::Place::dial_failure() const {
    const std::lock_guard held{shelf_->mutex};
    return shelf_->dial_failure;
}

bool Pool::Place::somebody_dials(TimePoint now) const {
    const std::lock_guard held{shelf_->mutex};
    return shelf_->to_dial || shelf_->dialler || now < after(shelf_->next_dial, 1s);
}

void Pool::Place::pass_turn() noexcept {
    Shelf& shelf = *shelf_;
    const std::lock_guard held{shelf.mutex};
    shelf.stop_waiting_to_dial(*this);
    if (shelf.dialler != this) return;
    shelf.dialler = nullptr;
    shelf.wake_those_who_wait_to_dial();
}

void Pool::Place::leave() noexcept {
    if (state_.load(std::memory_order_relaxed) == State::out) return;
    pass_turn();
    Shelf& shelf = *shelf_;
    {
        const std::lock_guard held{shelf.mutex};
        if (state_.load(std::memory_order_relaxed) == State::queued) {
            state_.store(State::out, std::memory_order_relaxed);
            return shelf.remove(*this);
        }
    }
    give_back(std::move(connection_), asked_);
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
