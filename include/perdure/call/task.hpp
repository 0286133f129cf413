// SPDX-License-Identifier: Apache-2.0
//
// What does an asynchronous function return? A task: it starts when it is awaited, and its frame is
// recycled.
//
//     Task<Result<Profile>> load(Id id) { … co_return Profile{…}; }
//     auto loading = load(id);
//     const auto profile = co_await loading;
//
// GCC 12 destroys some temporaries twice when they stand in one statement with a co_await: lambdas
// and aggregates that own something. With such arguments write two statements, as above. What start()
// and the clients return (Call, Pending) does not compile there in one statement.
#pragma once

#include <atomic>
#include <cassert>
#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "perdure/call/frames.hpp"

namespace perdure {
inline namespace v0 {

template <class T>
class Task;

namespace detail {

// Told when a task has ended; a coroutine that waits is one kind of listener.
struct Listener {
    void (*ended)(void*) = nullptr;
    void* who = nullptr;
};

inline Listener resuming(std::coroutine_handle<> waiting) noexcept {
    return {[](void* address) { std::coroutine_handle<>::from_address(address).resume(); },
            waiting.address()};
}

// Whoever comes second, the task at its end or the one who started it, finds the mark of the other.
// So a task that ends at once returns to its starter instead of resuming it: no recursion, which
// symmetric transfer does not promise at -O0 on GCC 12.
class TaskPromiseCore : public Recycled {
public:
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
        struct End {
            bool await_ready() noexcept { return false; }
            void await_suspend(std::coroutine_handle<>) noexcept {
                const Listener listener = core.listener_;
                if (core.met_.exchange(true, std::memory_order_acq_rel))
                    listener.ended(listener.who);
            }
            void await_resume() noexcept {}
            TaskPromiseCore& core;
        };
        return End{*this};
    }
    void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

    void listen(Listener listener) noexcept { listener_ = listener; }
    // By the starter, after the task was resumed for the first time.
    [[nodiscard]] bool ended_at_once() noexcept {
        return met_.exchange(true, std::memory_order_acq_rel);
    }

protected:
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    Listener listener_{};
    std::atomic<bool> met_{false};
    std::exception_ptr thrown_;
};

template <class T>
class TaskPromise final : public TaskPromiseCore {
public:
    Task<T> get_return_object() noexcept;
    template <class U>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T& result() {
        rethrow();
        return *value_;
    }

private:
    std::optional<T> value_;
};

template <>
class TaskPromise<void> final : public TaskPromiseCore {
public:
    Task<void> get_return_object() noexcept;
    void return_void() noexcept {}
    void result() { rethrow(); }
};

}  // namespace detail

// Owned by one place at a time; awaited once. A task that was never started may be dropped, one
// that is running may not.
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;
    using value_type = T;

    Task() noexcept = default;
    explicit Task(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_{coroutine} {}
    Task(Task&& other) noexcept : coroutine_{std::exchange(other.coroutine_, {})} {}
    Task& operator=(Task&& other) noexcept {
        std::swap(coroutine_, other.coroutine_);
        return *this;
    }
    ~Task() {
        if (coroutine_) coroutine_.destroy();
    }

    // For drivers: runs until it ends or waits. True when it has ended; otherwise the listener is
    // told, on whichever thread it ends.
    [[nodiscard]] bool start(detail::Listener listener) {
        assert(coroutine_);
        coroutine_.promise().listen(listener);
        coroutine_.resume();
        return coroutine_.promise().ended_at_once();
    }
    // After its end: the value, or the exception that ended it.
    std::add_lvalue_reference_t<T> result() { return coroutine_.promise().result(); }
    T take() {
        if constexpr (std::is_void_v<T>) result();
        else return std::move(result());
    }

    // Both take the task: it is gone when the statement ends.
    auto operator co_await() & noexcept { return std::move(*this).operator co_await(); }
    auto operator co_await() && noexcept {
        struct Awaiting {
            bool await_ready() noexcept { return false; }
            bool await_suspend(std::coroutine_handle<> waiting) {
                return !task.start(detail::resuming(waiting));
            }
            T await_resume() { return task.take(); }
            Task task;
        };
        return Awaiting{std::move(*this)};
    }

private:
    std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

// Whether a temporary that was made from other temporaries may be awaited. Depends on T, so that it is
// looked at only where one is.
template <class T>
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
inline constexpr bool awaits_temporaries = false;
#else
inline constexpr bool awaits_temporaries = true;
#endif

}  // namespace detail

// A task that a client made from requests and options. As Task, but on GCC 12 it must have a name when
// it is awaited.
template <class T>
class [[nodiscard]] Pending : public Task<T> {
public:
    Pending(Task<T>&& task) noexcept : Task<T>{std::move(task)} {}

    auto operator co_await() & noexcept { return Task<T>::operator co_await(); }
    template <class Value = T>
    auto operator co_await() && noexcept {
        static_assert(detail::awaits_temporaries<Value>,
                      "GCC 12 destroys temporaries of a co_await twice: write "
                      "`auto call = client.start(...); co_await call;`");
        return Task<T>::operator co_await();
    }
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
    return Task<T>{std::coroutine_handle<TaskPromise>::from_promise(*this)};
}
inline Task<void> TaskPromise<void>::get_return_object() noexcept {
    return Task<void>{std::coroutine_handle<TaskPromise>::from_promise(*this)};
}

}  // namespace detail

}  // namespace v0
}  // namespace perdure
