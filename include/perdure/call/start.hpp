// SPDX-License-Identifier: Apache-2.0
//
// How do I make a call that survives without holding a thread? The same Progress, turned by a loop.
//
//     const auto load = [](const Attempt& attempt) -> Task<Result<Profile>> { … };
//     auto call = perdure::start(users, {.name = "load-profile", .safety = Safety::read}, load);
//     const auto profile = co_await call;     // two statements: see task.hpp
//
// An attempt that overruns its timeout is cancelled through its stop token and no longer waited
// for; so is the loser of a hedge. It keeps its own copy of the work alive until it ends: capture by
// value what an attempt needs, or end promptly when stopped. One that ends as soon as it is told
// (all that waits in perdure::Sleep does) has ended before the call returns. `Operation::prepare`
// runs on the executor's thread and must not block; asynchronous work applies `attempt.remedies`.
#pragma once

#include "perdure/cxx20.hpp"

#include "perdure/call/call_with.hpp"
#include "perdure/time/loop.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

template <class Work>
concept starts_attempts = requires { requires is_result<async_result<Work>>; };

template <class Work, class Resolve>
auto start_call(Caller& caller, const Attempt* parent, const Operation& operation, Work&& work,
                Resolve&& resolve) {
    static_assert(
        starts_attempts<Work>,
        "start() takes a coroutine: the work must return perdure::Task<perdure::Result<T>>; "
        "work that blocks goes to Caller::run()");
    if constexpr (starts_attempts<Work>) {
        using R = async_result<Work>;
        Executor& executor =
            caller.environment().executor ? *caller.environment().executor : default_executor();
        return Call<R>{new CallWith<R, Work, Resolve>{caller, parent, executor, operation,
                                                      std::forward<Work>(work),
                                                      std::forward<Resolve>(resolve)}};
    }
}

}  // namespace detail

// The work gives a Task<Result<T>>; the call gives a Result<T> when it is awaited.
template <class Work>
auto start(Caller& caller, const Operation& operation, Work work) {
    return detail::start_call(caller, nullptr, operation, std::move(work), detail::NoResolver{});
}
// With a resolver: Task<Result<Landed<T>>>(const Attempt&).
template <class Work, class Resolve>
    requires std::is_same_v<detail::async_result<Resolve>,
                            detail::Landing<detail::async_result<Work>>>
auto start(Caller& caller, const Operation& operation, Work work, Resolve resolve) {
    return detail::start_call(caller, nullptr, operation, std::move(work), std::move(resolve));
}
// Inside an attempt of another call; see Caller::run. The attempt must outlive this call.
template <class Work, class Resolve>
    requires std::is_same_v<detail::async_result<Resolve>,
                            detail::Landing<detail::async_result<Work>>>
auto start(Caller& caller, const Attempt& parent, const Operation& operation, Work work,
           Resolve resolve) {
    return detail::start_call(caller, &parent, operation, std::move(work), std::move(resolve));
}
template <class Work>
auto start(Caller& caller, const Attempt& parent, const Operation& operation, Work work) {
    return detail::start_call(caller, &parent, operation, std::move(work), detail::NoResolver{});
}

}  // namespace v0
}  // namespace perdure
