// SPDX-License-Identifier: Apache-2.0
//
// What does a call give back: a value, or the failure that says why not?
//
//     Result<Profile> load(Id id) {
//         if (!known(id)) return fail({.cause = Cause::not_found});
//         return Profile{…};
//     }
//     const auto name = load(id).transform([](const Profile& p) { return p.name; });
//
// `std::expected<T, Failure>` in interface, usable in C++20, with the monadic operations GCC 12
// lacks and conversions both ways where the standard class exists. The failure is one boxed
// pointer, so that success stays small: a value and a null.
#pragma once

#include "perdure/cxx20.hpp"

#include <cassert>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>
#include <version>

#include "perdure/failure_error.hpp"
#include "perdure/invoke.hpp"
#if defined(__cpp_lib_expected)
#include <expected>
#endif

namespace perdure {
inline namespace v0 {

template <class T>
class Result;

// A failure on its way into some `Result<T>`, whatever T is.
class [[nodiscard]] Fail {
public:
    explicit Fail(Failure failure) : box_{std::make_unique<Failure>(std::move(failure))} {}
    explicit Fail(std::unique_ptr<Failure> box) noexcept : box_{std::move(box)} { assert(box_); }

    [[nodiscard]] std::unique_ptr<Failure> release() noexcept { return std::move(box_); }

private:
    std::unique_ptr<Failure> box_;
};

inline Fail fail(Failure failure) { return Fail{std::move(failure)}; }

namespace detail {

// Null says "there is a value", so a failure that was moved out leaves a hollow mark instead.
class FailureBox {
public:
    FailureBox() noexcept = default;
    explicit FailureBox(std::unique_ptr<Failure> box) noexcept : failure_{box.release()} {
        // GCC 12 otherwise believes in a failure without a box, and warns of a value never made.
        if (!failure_) __builtin_unreachable();
    }
    explicit FailureBox(const Failure& failure) : failure_{new Failure(failure)} {}
    FailureBox(FailureBox&& other) noexcept : failure_{other.failure_} {
        if (other.failure_) other.failure_ = hollow();
    }
    FailureBox(const FailureBox&) = delete;
    FailureBox& operator=(const FailureBox&) = delete;
    FailureBox& operator=(FailureBox&&) = delete;
    ~FailureBox() {
        if (failure_ && failure_ != hollow()) delete failure_;
    }

    [[nodiscard]] bool empty() const noexcept { return failure_ == nullptr; }
    [[nodiscard]] Failure& operator*() const noexcept {
        assert(failure_ && failure_ != hollow());
        return *failure_;
    }
    [[nodiscard]] std::unique_ptr<Failure> release() noexcept {
        assert(failure_ && failure_ != hollow());
        return std::unique_ptr<Failure>{std::exchange(failure_, hollow())};
    }

private:
    static Failure* hollow() noexcept {
        alignas(Failure) static constinit char mark = 0;
        return reinterpret_cast<Failure*>(&mark);
    }

    Failure* failure_ = nullptr;
};

template <class R>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

// `transform` on a function that returns void gives Result<void>.
template <class F, class... Args>
using transformed = Result<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>;

template <class F, class... Args>
transformed<F, Args...> invoke_into_result(F&& function, Args&&... args) {
    if constexpr (std::is_void_v<std::invoke_result_t<F, Args...>>) {
        detail::invoke(std::forward<F>(function), std::forward<Args>(args)...);
        return {};
    } else {
        return detail::invoke(std::forward<F>(function), std::forward<Args>(args)...);
    }
}

}  // namespace detail

template <class T>
class [[nodiscard]] Result {
    static_assert(!std::is_reference_v<T>, "hold a pointer or a std::reference_wrapper instead");
    static_assert(!std::is_same_v<std::remove_cv_t<T>, Fail>);

public:
    using value_type = T;
    using error_type = Failure;

    Result()
        requires std::is_default_constructible_v<T>
        : value_{} {}
    template <class U = T>
        requires(std::is_constructible_v<T, U> && !detail::is_result<std::remove_cvref_t<U>> &&
                 !std::is_same_v<std::remove_cvref_t<U>, Fail>)
    explicit(!std::is_convertible_v<U, T>) Result(U&& value) : value_(std::forward<U>(value)) {}
    Result(Fail failure) noexcept : failure_{failure.release()} {}

    Result(const Result& other) : failure_{copy_of(other.failure_)} {
        if (has_value()) std::construct_at(std::addressof(value_), other.value_);
    }
    Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
        : failure_{std::move(other.failure_)} {
        if (has_value()) std::construct_at(std::addressof(value_), std::move(other.value_));
    }
    Result& operator=(Result other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        std::destroy_at(this);
        return *std::construct_at(this, std::move(other));
    }
    ~Result() {
        if (has_value()) std::destroy_at(std::addressof(value_));
    }

    [[nodiscard]] bool has_value() const noexcept { return failure_.empty(); }
    explicit operator bool() const noexcept { return has_value(); }

    T& operator*() & noexcept { return assert(has_value()), value_; }
    const T& operator*() const& noexcept { return assert(has_value()), value_; }
    T&& operator*() && noexcept { return assert(has_value()), std::move(value_); }
    T* operator->() noexcept { return std::addressof(**this); }
    const T* operator->() const noexcept { return std::addressof(**this); }

    // Throws FailureError when there is none.
    T& value() & { return check(), value_; }
    const T& value() const& { return check(), value_; }
    T&& value() && { return check(), std::move(value_); }
    template <class U>
    T value_or(U&& other) const& {
        return has_value() ? value_ : static_cast<T>(std::forward<U>(other));
    }
    template <class U>
    T value_or(U&& other) && {
        return has_value() ? std::move(value_) : static_cast<T>(std::forward<U>(other));
    }

    [[nodiscard]] Failure& error() & noexcept { return *failure_; }
    [[nodiscard]] const Failure& error() const& noexcept { return *failure_; }
    [[nodiscard]] Failure&& error() && noexcept { return std::move(*failure_); }
    // Takes the failure out without copying it; afterwards the result may only be assigned to or
    // destroyed.
    [[nodiscard]] Fail take_failure() noexcept { return Fail{failure_.release()}; }

    template <class F>
    auto and_then(F&& next) && -> std::remove_cvref_t<std::invoke_result_t<F, T>> {
        if (!has_value()) return take_failure();
        return detail::invoke(std::forward<F>(next), std::move(value_));
    }
    template <class F>
    auto and_then(F&& next) const& -> std::remove_cvref_t<std::invoke_result_t<F, const T&>> {
        if (!has_value()) return fail(*failure_);
        return detail::invoke(std::forward<F>(next), value_);
    }
    template <class F>
    detail::transformed<F, T> transform(F&& change) && {
        if (!has_value()) return take_failure();
        return detail::invoke_into_result(std::forward<F>(change), std::move(value_));
    }
    template <class F>
    detail::transformed<F, const T&> transform(F&& change) const& {
        if (!has_value()) return fail(*failure_);
        return detail::invoke_into_result(std::forward<F>(change), value_);
    }
    // The substitute is asked with the failure and gives a Result<T>.
    template <class F>
    Result or_else(F&& substitute) && {
        if (has_value()) return std::move(*this);
        return detail::invoke(std::forward<F>(substitute), std::move(*failure_));
    }
    template <class F>
    Result or_else(F&& substitute) const& {
        if (has_value()) return *this;
        return detail::invoke(std::forward<F>(substitute), std::as_const(*failure_));
    }
    template <class F>
    Result transform_error(F&& change) && {
        if (has_value()) return std::move(*this);
        return fail(detail::invoke(std::forward<F>(change), std::move(*failure_)));
    }

    friend bool operator==(const Result& a, const Result& b)
        requires std::equality_comparable<T>
    {
        if (a.has_value() != b.has_value()) return false;
        return a.has_value() ? a.value_ == b.value_ : *a.failure_ == *b.failure_;
    }

#if defined(__cpp_lib_expected)
    Result(std::expected<T, Failure> other)
        : failure_{other ? detail::FailureBox{} : detail::FailureBox{other.error()}} {
        if (other) std::construct_at(std::addressof(value_), *std::move(other));
    }
    operator std::expected<T, Failure>() && {
        if (!has_value()) return std::unexpected{std::move(*failure_)};
        return std::move(value_);
    }
#endif

private:
    void check() const {
        if (!has_value()) throw FailureError{*failure_};
    }
    static detail::FailureBox copy_of(const detail::FailureBox& other) {
        return other.empty() ? detail::FailureBox{} : detail::FailureBox{*other};
    }

    union {
        T value_;
    };
    detail::FailureBox failure_;
};

}  // namespace v0
}  // namespace perdure

#include "perdure/result_void.hpp"
