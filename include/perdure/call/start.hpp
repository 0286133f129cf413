// SPDX-License-Identifier: Apache-2.0
//
// How do I make a call that survives without holding a thread? The same Progress, turned by a
// coroutine.
//
//     const auto load = [](const Attempt& attempt) -> Task<Result<Profile>> { … };
//     auto call = perdure::start(users, {.name = "load-profile", .safety = Safety::read}, load);
//     const auto profile = co_await std::move(call);     // two statements: see task.hpp
//
// An attempt that overruns its timeout is cancelled through its stop token and no longer waited
// for; so is the loser of a hedge. It keeps its own copy of the work alive until it ends: capture by
// value what an attempt needs, or end promptly when stopped. One that ends as soon as it is told
// (all that waits in perdure::Sleep does) has ended before the call returns. `Operation::prepare` runs on the
// executor's thread and must not block; asynchronous work applies `attempt.remedies` itself.
#pragma once

#include <optional>
#include <stop_token>

#include "perdure/call/caller.hpp"
#include "perdure/call/in_flight.hpp"
#include "perdure/time/loop.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

template <class Work>
using async_result = typename work_result<Work>::value_type;

// A coroutine cannot find out whose it is; the block has one count for it from the start.
struct HeldCall {
    explicit HeldCall(CallInFlight* held) noexcept : call{held} {}
    HeldCall(HeldCall&& other) noexcept : call{std::exchange(other.call, nullptr)} {}
    ~HeldCall() {
        if (call) call->drop();
    }
    CallInFlight* call;
};

template <class Work, class Resolve>
struct CallWith final : CallInFlight {
    CallWith(Executor& where, Operation what, Work&& todo, Resolve&& answers)
        : CallInFlight{where, std::move(what)}, work{std::move(todo)}, resolve{std::move(answers)} {}
    Work work;
    Resolve resolve;
};

template <class R>
using Landing = Result<Landed<typename R::value_type>>;

// What is the same for every attempt and every question of one call.
inline Attempt attempt_of(const Step& step, const Progress& progress, const Clock& clock) {
    return {.number = step.number,
            .deadline = Deadline{step.until},
            .call_deadline = progress.deadline(),
            .remedies = step.remedies,
            .endpoint = step.endpoint,
            .clock = &clock};
}

// Takes in what has ended. The winner's result stays; a late one is dropped.
template <class R>
void take_in(UnderWay<R>& under_way, Progress& progress, TimePoint now, std::optional<R>& winner) {
    while (AttemptInFlight<R>* ended = under_way.take_ended()) {
        struct Dismissed {
            ~Dismissed() { attempt->dismiss(); }
            AttemptInFlight<R>* attempt;
        } const afterwards{ended};
        R result = ended->take();
        if (!result) {
            progress.failed(ended->number(), std::move(result.error()), ended->nested(), now);
        } else if (!progress.finished()) {
            progress.succeeded(ended->number(), now);
            winner.emplace(std::move(result));
        }
    }
}

// One question: answered, or cut off at the deadline. True when the answer was yes.
template <class R, class Resolve>
Task<bool> ask(CallInFlight& call, Progress& progress, Step step, Resolve& resolve, std::optional<R>& winner) {
    const Clock& clock = call.executor.clock();
    UnderWay<Landing<R>> asked;
    auto& question = *new AttemptInFlight<Landing<R>>{call, attempt_of(step, progress, clock)};
    asked.add(question);
    question.launch(resolve);
    while (!question.ended() && !call.cancel_requested && clock.now() < step.until)
        co_await call.bell.until(step.until);
    if (call.cancel_requested) co_return false;
    if (!question.ended()) {
        progress.resolver_failed({.cause = Cause::timed_out, .origin = Origin::application}, clock.now());
        co_return false;
    }
    Landing<R> answer = question.take();
    if (!answer) {
        progress.resolver_failed(std::move(answer.error()), clock.now());
        co_return false;
    }
    progress.landed(answer->verdict(), answer->ask_again_after(), clock.now());
    if (answer->verdict() != Verdict::yes) co_return false;
    if constexpr (std::is_void_v<typename R::value_type>) winner.emplace();
    else winner.emplace(std::move(*answer).value());
    co_return true;
}

template <class R, class Work, class Resolve>
Task<R> fly(Caller& caller, HeldCall held, const Attempt* parent) {
    auto& call = static_cast<CallWith<Work, Resolve>&>(*held.call);
    Executor& executor = call.executor;
    const Clock& clock = executor.clock();
    if (!executor.here()) {
        Turn over{executor};
        co_await over;
    }
    TimePoint now = clock.now();
    const Environment& environment = caller.environment();
    Progress progress{caller.memory(), call.operation,
                      {.now = now,
                       .random = &environment.random,
                       .observer = environment.observer,
                       .parent = parent,
                       .driving = Driving::concurrent,
                       .resolver = std::is_same_v<Resolve, NoResolver> ? Resolver::none : Resolver::given}};
    std::optional<R> winner;
    UnderWay<R> under_way;
    const auto cancel = [&call] { call.request_cancel(); };
    std::optional<std::stop_callback<decltype(cancel)>> on_stop;
    if (call.operation.stop.stop_possible()) on_stop.emplace(call.operation.stop, cancel);
    if (call.operation.stop.stop_requested()) progress.cancelled(now);

    for (;;) {
        const Step step = progress.next(now);
        if (step.kind == StepKind::finish) break;
        if (step.kind == StepKind::cancel) {
            under_way.dismiss(step.number);
            continue;
        }
        if (step.kind == StepKind::attempt) {
            auto& attempt = *new AttemptInFlight<R>{call, attempt_of(step, progress, clock)};
            under_way.add(attempt);
            attempt.launch(call.work);
        } else if (step.kind == StepKind::wait) {
            if (!under_way.any_ended() && !call.cancel_requested) co_await call.bell.until(step.until);
        } else if (step.kind == StepKind::prepare) {
            progress.prepared(call.operation.prepare(step.remedies, attempt_of(step, progress, clock)), clock.now());
        } else if constexpr (!std::is_same_v<Resolve, NoResolver>) {
            auto asking = ask<R>(call, progress, step, call.resolve, winner);
            co_await std::move(asking);
        }
        now = clock.now();
        if (call.cancel_requested && !winner) progress.cancelled(now);
        take_in(under_way, progress, now, winner);
    }
    if (call.unwanted > 0) {  // those told to stop may still refer to what our caller owns
        Turn over{executor};
        co_await over;
    }
    if (winner) co_return *std::move(winner);
    co_return fail(progress.take_failure());
}

template <class Work, class Resolve>
auto start_call(Caller& caller, Operation operation, Work work, Resolve resolve, const Attempt* parent)
    -> Task<async_result<Work>> {
    Executor& executor = caller.environment().executor ? *caller.environment().executor : default_executor();
    HeldCall held{new CallWith<Work, Resolve>{executor, std::move(operation), std::move(work), std::move(resolve)}};
    return fly<async_result<Work>, Work, Resolve>(caller, std::move(held), parent);
}

}  // namespace detail

// The work gives a Task<Result<T>>; the call is a Task<Result<T>> that starts when it is awaited.
template <class Work>
auto start(Caller& caller, Operation operation, Work work) {
    return detail::start_call(caller, std::move(operation), std::move(work), detail::NoResolver{}, nullptr);
}
// With a resolver: Task<Result<Landed<T>>>(const Attempt&).
template <class Work, class Resolve>
    requires std::is_same_v<detail::async_result<Resolve>, detail::Landing<detail::async_result<Work>>>
auto start(Caller& caller, Operation operation, Work work, Resolve resolve) {
    return detail::start_call(caller, std::move(operation), std::move(work), std::move(resolve), nullptr);
}
// Inside an attempt of another call; see Caller::run. The attempt must outlive this call.
template <class Work>
auto start(Caller& caller, const Attempt& parent, Operation operation, Work work) {
    return detail::start_call(caller, std::move(operation), std::move(work), detail::NoResolver{}, &parent);
}

}  // namespace v0
}  // namespace perdure
