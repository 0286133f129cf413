// SPDX-License-Identifier: Apache-2.0
//
// What does start() give? A call that is made when it is awaited, and only then.
//
//     auto call = perdure::start(users, operation, load);
//     const auto profile = co_await call;              // two statements: see task.hpp
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "perdure/call/in_flight.hpp"

namespace perdure {
inline namespace v0 {

namespace detail {

// What a Call knows of its block: how to begin, and where the result will be.
template <class R>
class CallFor : public CallInFlight {
public:
    using CallInFlight::CallInFlight;
    // True when it has ended at once; otherwise the listener is told, on the executor's thread.
    [[nodiscard]] virtual bool begin(Listener listener) = 0;
    // Whoever waited is gone: end everything, tell nobody.
    virtual void abandon() noexcept = 0;
    R take() {
        if (thrown) std::rethrow_exception(thrown);
        return *std::move(winner);
    }

protected:
    std::optional<R> winner;
    std::exception_ptr thrown;
};

}  // namespace detail

// Owned by one place at a time; awaited once. Dropping one that is under way cancels it (on its
// executor's thread only).
template <class R>
class [[nodiscard]] Call {
public:
    using value_type = R;

    explicit Call(detail::CallFor<R>* block) noexcept : block_{block} {}
    Call(Call&& other) noexcept
        : block_{std::exchange(other.block_, nullptr)}, under_way_{other.under_way_} {}
    Call& operator=(Call&&) = delete;
    ~Call() {
        if (!block_) return;
        if (under_way_) block_->abandon();
        block_->drop();
    }

    // As Task::start and Task::take, for drivers.
    [[nodiscard]] bool start(detail::Listener listener) {
        under_way_ = true;
        return block_->begin(listener);
    }
    R take() {
        under_way_ = false;
        return block_->take();
    }

    // Both take the call: its block is gone when the statement ends.
    auto operator co_await() & noexcept { return Awaiting{std::move(*this)}; }
    template <class Value = R>
    auto operator co_await() && noexcept {
        static_assert(detail::awaits_temporaries<Value>,
                      "GCC 12 destroys temporaries of a co_await twice: write "
                      "`auto call = start(...); co_await call;`");
        return Awaiting{std::move(*this)};
    }

private:
    struct Awaiting;

    detail::CallFor<R>* block_;
    bool under_way_ = false;
};

template <class R>
struct Call<R>::Awaiting {
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
        return !call.start(detail::resuming(waiting));
    }
    R await_resume() { return call.take(); }
    Call call;
};

}  // namespace v0
}  // namespace perdure
