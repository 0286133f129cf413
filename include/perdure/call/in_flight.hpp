// SPDX-License-Identifier: Apache-2.0
//
// What keeps an asynchronous attempt alive when its call no longer waits for it? Counted, recycled
// blocks: one for the call with its first attempt inside, one for each further attempt. For
// call/start.hpp; not for users.
//
//     call ── owns ──▶ work, operation, alarm          attempt ── keeps alive ──▶ call
#pragma once

#include <atomic>
#include <utility>

#include "perdure/call/attempt.hpp"
#include "perdure/call/operation.hpp"
#include "perdure/call/task.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace detail {

// The part of a call that does not depend on what it returns. Counted from any thread; everything
// else belongs to the executor's.
class CallInFlight : public Recycled {
public:
    CallInFlight(Executor& where, const Operation& what) noexcept
        : executor{where}, operation{what}, alarm_{this} {}
    virtual ~CallInFlight() = default;
    void hold() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    // There is news. Without effect inside turn(), which looks for news itself.
    void wake() {
        if (!turning_) turn();
    }
    // Any thread; once.
    void request_cancel() noexcept {
        hold();
        executor.post(cancel_job_);
    }

    Executor& executor;
    const Operation operation;
    int unwanted = 0;  // attempts that were cancelled and have not ended yet

protected:
    // Goes on until there is nothing to do but wait, or the end. May end the life of this object.
    virtual void turn() = 0;

    // An alarm that is armed for earlier stays: it rings in vain once instead of moving each time.
    void wait_until(TimePoint when) noexcept {
        if (when != TimePoint::max() && (!alarm_set_ || when < alarm_.when))
            executor.arm(alarm_, when);
        alarm_set_ = alarm_set_ || when != TimePoint::max();
    }
    void stop_waiting() noexcept {
        if (std::exchange(alarm_set_, false)) executor.disarm(alarm_);
    }
    // One turn of the executor: what was posted before runs first. Also the way onto its thread.
    void turn_later() noexcept {
        hold();
        executor.post(turn_job_);
    }

    bool turning_ = false;
    bool cancel_requested_ = false;

private:
    struct TurnAlarm : Alarm {
        explicit TurnAlarm(CallInFlight* whose) noexcept
            : Alarm{[](Alarm& alarm) {
                  CallInFlight& rung = *static_cast<TurnAlarm&>(alarm).call;
                  rung.alarm_set_ = false;
                  rung.wake();
              }},
              call{whose} {}
        CallInFlight* call;
    };
    struct CallJob : Job {
        CallJob(CallInFlight* whose, Run what) noexcept : Job{what}, call{whose} {}
        CallInFlight* call;
    };
    static void turn_arrived(Job& job) {
        CallInFlight* const due = static_cast<CallJob&>(job).call;
        due->wake();
        due->drop();
    }
    static void cancel_arrived(Job& job) {
        static_cast<CallJob&>(job).call->cancel_requested_ = true;
        turn_arrived(job);
    }

    std::atomic<int> count_{1};
    bool alarm_set_ = false;
    TurnAlarm alarm_;
    CallJob cancel_job_{this, &CallInFlight::cancel_arrived};
    CallJob turn_job_{this, &CallInFlight::turn_arrived};
};

// One attempt, or one question to the resolver. Lives until its task has ended and its driver no
// longer looks at it, whichever comes last.
template <class X>
class AttemptInFlight : public Job, public Recycled {
public:
    enum class Home : std::uint8_t { own_block, inside_call };
    AttemptInFlight(CallInFlight& whose, const Attempt& what, Home home) noexcept
        : Job{[](Job& job) { static_cast<AttemptInFlight&>(job).arrive(); }},
          call_{whose},
          link_{whose.operation.stop},
          attempt_{what},
          home_{home} {
        attempt_.link = &link_;
        call_.hold();
    }

    template <class Work>
    void launch(Work& work) {
        ended_ = true;  // stays so if the work throws instead of returning a task
        if constexpr (std::is_invocable_v<Work&, const Attempt&>)
            task_ = work(std::as_const(attempt_));
        else task_ = work();
        ended_ = false;
        if (task_.start(
                {[](void* who) { static_cast<AttemptInFlight*>(who)->ended_somewhere(); }, this}))
            ended_ = true;
    }
    [[nodiscard]] int number() const noexcept { return attempt_.number; }
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] Effect nested() const noexcept { return link_.nested(); }
    // After its end. Throws what ended it.
    X& result() { return task_.result(); }
    // The driver turns away: cancelled if still running, and gone when it ends.
    void dismiss() {
        if (ended_) return destroy();
        wanted_ = false;
        ++call_.unwanted;
        link_.cancel();
    }

    AttemptInFlight* next_one = nullptr;

private:
    void ended_somewhere() {
        if (call_.executor.here()) arrive();
        else call_.executor.post(*this);
    }
    void arrive() {
        ended_ = true;
        if (wanted_) return call_.wake();
        --call_.unwanted;
        destroy();
    }
    void destroy() {
        CallInFlight& call = call_;
        if (home_ == Home::inside_call) std::destroy_at(this);
        else delete this;
        call.drop();
    }

    CallInFlight& call_;
    AttemptLink link_;
    Attempt attempt_;
    Task<X> task_;
    const Home home_;
    bool wanted_ = true;
    bool ended_ = false;
};

// The attempts a driver is waiting for. When the driver leaves, by whatever way, they are dismissed.
template <class X>
class UnderWay {
public:
    UnderWay() = default;
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() { dismiss_all(); }

    void add(AttemptInFlight<X>& attempt) noexcept {
        attempt.next_one = std::exchange(first_, &attempt);
    }
    void dismiss(int number) {
        for (auto** at = &first_; *at; at = &(*at)->next_one)
            if ((*at)->number() == number) return pop(at)->dismiss();
    }
    void dismiss_all() {
        if (first_) [[unlikely]]
            dismiss_each();
    }
    // Null when none has ended. The caller dismisses it.
    AttemptInFlight<X>* take_ended() noexcept {
        for (auto** at = &first_; *at; at = &(*at)->next_one)
            if ((*at)->ended()) return pop(at);
        return nullptr;
    }

private:
    [[gnu::noinline]] void dismiss_each() {
        while (first_) pop(&first_)->dismiss();
    }
    static AttemptInFlight<X>* pop(AttemptInFlight<X>** at) noexcept {
        return std::exchange(*at, (*at)->next_one);
    }
    AttemptInFlight<X>* first_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace perdure
