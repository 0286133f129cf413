// SPDX-License-Identifier: Apache-2.0
//
// What keeps an asynchronous attempt alive when its call no longer waits for it? These blocks: one
// for the call, one for each attempt, counted, recycled. For call/start.hpp; not for users.
//
//     call ── owns ──▶ work, operation, bell          attempt ── keeps alive ──▶ call
#pragma once

#include <atomic>
#include <coroutine>
#include <utility>

#include "perdure/call/attempt.hpp"
#include "perdure/call/operation.hpp"
#include "perdure/call/task.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace detail {

// Gives the executor one turn: what was posted before runs first. Also the way onto its thread.
struct Turn : Job {
    explicit Turn(Executor& where) noexcept
        : Job{[](Job& job) { static_cast<Turn&>(job).waiting.resume(); }}, executor{where} {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) noexcept {
        waiting = handle;
        executor.post(*this);
    }
    void await_resume() const noexcept {}
    Executor& executor;
    std::coroutine_handle<> waiting;
};

// Where a driver waits for news or for a time. The executor's thread only.
class Bell : public Alarm {
   public:
    explicit Bell(Executor& executor) noexcept
        : Alarm{[](Alarm& alarm) { static_cast<Bell&>(alarm).wake(); }}, executor_{executor} {}

    void wake() {
        if (auto waiting = std::exchange(waiting_, {})) waiting.resume();
    }
    auto until(TimePoint time) noexcept {
        struct Waiting {
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<> handle) const noexcept {
                bell.waiting_ = handle;
                if (time != TimePoint::max()) bell.executor_.arm(bell, time);
            }
            void await_resume() const noexcept { bell.executor_.disarm(bell); }
            Bell& bell;
            TimePoint time;
        };
        return Waiting{*this, time};
    }

   private:
    Executor& executor_;
    std::coroutine_handle<> waiting_;
};

// The part of a call that does not depend on what it returns. Counted from any thread.
class CallInFlight : public Recycled {
   public:
    CallInFlight(Executor& where, Operation what) noexcept
        : executor{where}, operation{std::move(what)}, bell{where}, cancel_job_{this} {}
    virtual ~CallInFlight() = default;
    void hold() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    // Any thread; once.
    void request_cancel() noexcept {
        hold();
        executor.post(cancel_job_);
    }

    Executor& executor;
    const Operation operation;
    Bell bell;
    bool cancel_requested = false;
    int unwanted = 0;  // attempts that were cancelled and have not ended yet

   private:
    struct CancelJob : Job {
        explicit CancelJob(CallInFlight* whose) noexcept : Job{&CallInFlight::cancel_arrived}, call{whose} {}
        CallInFlight* call;
    };
    static void cancel_arrived(Job& job) {
        CallInFlight& call = *static_cast<CancelJob&>(job).call;
        call.cancel_requested = true;
        call.bell.wake();
        call.drop();
    }
    std::atomic<int> count_{1};
    CancelJob cancel_job_;
};

// One attempt, or one question to the resolver. Lives until its task has ended and its driver no
// longer looks at it, whichever comes last.
template <class X>
class AttemptInFlight : public Job, public Recycled {
   public:
    AttemptInFlight(CallInFlight& whose, const Attempt& what) noexcept
        : Job{[](Job& job) { static_cast<AttemptInFlight&>(job).arrive(); }},
          call_{whose},
          link_{whose.operation.stop},
          attempt_{what} {
        attempt_.link = &link_;
        call_.hold();
    }

    template <class Work>
    void launch(Work& work) {
        task_ = invoke(work);
        ended_ = task_.start({[](void* who) { static_cast<AttemptInFlight*>(who)->ended_somewhere(); }, this});
    }
    [[nodiscard]] int number() const noexcept { return attempt_.number; }
    [[nodiscard]] bool ended() const noexcept { return ended_; }
    [[nodiscard]] Effect nested() const noexcept { return link_.nested(); }
    X take() { return task_.take(); }
    // The driver turns away: cancelled if still running, and gone when it ends.
    void dismiss() {
        if (ended_) return destroy();
        wanted_ = false;
        ++call_.unwanted;
        link_.cancel();
    }

    AttemptInFlight* next_one = nullptr;

   private:
    template <class Work>
    Task<X> invoke(Work& work) {
        if constexpr (std::is_invocable_v<Work&, const Attempt&>) return work(std::as_const(attempt_));
        else return work();
    }
    void ended_somewhere() {
        if (call_.executor.here()) arrive();
        else call_.executor.post(*this);
    }
    void arrive() {
        ended_ = true;
        if (wanted_) return call_.bell.wake();
        --call_.unwanted;
        destroy();
    }
    void destroy() {
        CallInFlight& call = call_;
        delete this;
        call.drop();
    }
    ~AttemptInFlight() = default;

    CallInFlight& call_;
    AttemptLink link_;
    Attempt attempt_;
    Task<X> task_;
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
    ~UnderWay() {
        while (first_) pop(&first_)->dismiss();
    }
    void add(AttemptInFlight<X>& attempt) noexcept { attempt.next_one = std::exchange(first_, &attempt); }
    void dismiss(int number) {
        for (auto** at = &first_; *at; at = &(*at)->next_one)
            if ((*at)->number() == number) return pop(at)->dismiss();
    }
    // Null when none has ended. The caller dismisses it.
    AttemptInFlight<X>* take_ended() noexcept {
        for (auto** at = &first_; *at; at = &(*at)->next_one)
            if ((*at)->ended()) return pop(at);
        return nullptr;
    }
    [[nodiscard]] bool any_ended() const noexcept {
        for (auto* at = first_; at; at = at->next_one)
            if (at->ended()) return true;
        return false;
    }

   private:
    static AttemptInFlight<X>* pop(AttemptInFlight<X>** at) noexcept {
        return std::exchange(*at, (*at)->next_one);
    }
    AttemptInFlight<X>* first_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace perdure
