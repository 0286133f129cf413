// SPDX-License-Identifier: Apache-2.0
//
// What does a call cost that holds no thread? The same plan as `full`, the work a coroutine, on an
// executor without a thread, so that only the call is counted.
//
//     perdure_probe coroutine 10000          ends at once
//     perdure_probe coroutine_waits 10000    waits one turn of the executor under an armed deadline
#pragma once

#include <coroutine>

#include "cases.hpp"
#include "perdure/call/start.hpp"

namespace bench {

// Owned by one thread.
class HandTurned final : public perdure::Executor {
public:
    [[nodiscard]] perdure::Clock& clock() noexcept override { return clock_; }
    [[nodiscard]] bool here() const noexcept override { return true; }
    void post(perdure::Job& job) noexcept override {
        job.next = nullptr;
        (last_ ? last_->next : first_) = &job;
        last_ = &job;
    }
    void arm(perdure::Alarm& alarm, TimePoint when) noexcept override {
        wheel_.insert(alarm, when);
    }
    void disarm(perdure::Alarm& alarm) noexcept override { wheel_.cancel(alarm); }

    void turn() {
        while (perdure::Job* job = first_) {
            first_ = job->next;
            if (!first_) last_ = nullptr;
            job->run(*job);
        }
    }

private:
    perdure::Clock& clock_ = perdure::system_clock();
    perdure::Wheel wheel_{clock_.now()};
    perdure::Job* first_ = nullptr;
    perdure::Job* last_ = nullptr;
};

struct OneTurn : perdure::Job {
    explicit OneTurn(HandTurned& where)
        : Job{[](Job& job) { static_cast<OneTurn&>(job).waiting.resume(); }}, executor{where} {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
        waiting = handle;
        executor.post(*this);
    }
    void await_resume() const noexcept {}
    HandTurned& executor;
    std::coroutine_handle<> waiting;
};

inline perdure::Task<Answer> answer_later(HandTurned&, Deadline deadline) {
    co_return answer(deadline);
}
inline perdure::Task<Answer> answer_after_a_turn(HandTurned& executor, Deadline deadline) {
    OneTurn turn{executor};
    co_await turn;
    co_return answer(deadline);
}

template <perdure::Task<Answer> (*work)(HandTurned&, Deadline)>
struct InCoroutine {
    Answer once() {
        auto call = perdure::start(
            caller, {.name = "answer", .safety = Safety::read},
            [this](const Attempt& attempt) { return work(executor, attempt.deadline); });
        bool ended = false;
        if (!call.start({[](void* flag) { *static_cast<bool*>(flag) = true; }, &ended}))
            while (!ended) executor.turn();
        return call.take();
    }
    void expect(std::uint64_t calls) {
        expect_equal("the sketch", caller.latencies().count(), calls);
        expect_equal("the breaker", caller.memory().breaker()->counts().successes, calls);
    }

    HandTurned executor;
    Caller caller{every_policy(), {.executor = &executor}};
};

using Coroutine = InCoroutine<answer_later>;
using CoroutineWaits = InCoroutine<answer_after_a_turn>;

}  // namespace bench
