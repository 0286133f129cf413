// SPDX-License-Identifier: Apache-2.0
//
// What does a call give back that has nothing to give back? `Result<void>`; see result.hpp.
//
//     Result<void> erase(Id id);
//     return erase(a).and_then([&] { return erase(b); });
#pragma once

#include "perdure/invoke.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {

template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;
    using error_type = Failure;

    Result() noexcept = default;
    Result(Fail failure) noexcept : failure_{failure.release()} {}
    Result(const Result& other)
        : failure_{other.failure_ ? std::make_unique<Failure>(*other.failure_) : nullptr} {}
    Result(Result&&) noexcept = default;
    Result& operator=(Result other) noexcept {
        failure_ = std::move(other.failure_);
        return *this;
    }
    ~Result() = default;

    [[nodiscard]] bool has_value() const noexcept { return failure_ == nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    void operator*() const noexcept { assert(has_value()); }
    void value() const {
        if (failure_) throw FailureError{*failure_};
    }

    [[nodiscard]] Failure& error() & noexcept { return assert(failure_), *failure_; }
    [[nodiscard]] const Failure& error() const& noexcept { return assert(failure_), *failure_; }
    [[nodiscard]] Failure&& error() && noexcept { return assert(failure_), std::move(*failure_); }
    [[nodiscard]] Fail take_failure() noexcept { return Fail{std::move(failure_)}; }

    template <class F>
    auto and_then(F&& next) const -> std::remove_cvref_t<std::invoke_result_t<F>> {
        if (!has_value()) return fail(*failure_);
        return detail::invoke(std::forward<F>(next));
    }
    template <class F>
    detail::transformed<F> transform(F&& change) const {
        if (!has_value()) return fail(*failure_);
        return detail::invoke_into_result(std::forward<F>(change));
    }
    template <class F>
    Result or_else(F&& substitute) const {
        if (has_value()) return *this;
        return detail::invoke(std::forward<F>(substitute), std::as_const(*failure_));
    }
    template <class F>
    Result transform_error(F&& change) const {
        if (has_value()) return *this;
        return fail(detail::invoke(std::forward<F>(change), *failure_));
    }

    friend bool operator==(const Result& a, const Result& b) {
        if (a.has_value() != b.has_value()) return false;
        return a.has_value() || *a.failure_ == *b.failure_;
    }

#if defined(__cpp_lib_expected)
    Result(std::expected<void, Failure> other)
        : failure_{other ? nullptr : std::make_unique<Failure>(std::move(other).error())} {}
    operator std::expected<void, Failure>() && {
        if (!has_value()) return std::unexpected{std::move(*failure_)};
        return {};
    }
#endif

private:
    std::unique_ptr<Failure> failure_;
};

}  // namespace v0
}  // namespace perdure
