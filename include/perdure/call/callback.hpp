// SPDX-License-Identifier: Apache-2.0
//
// How do options keep a function until it is needed? Callback holds a copy of a callable, or nothing.
//
//     struct Options { Callback<void(const std::string&)> notice{}; };
//     Options options{.notice = [&log](const std::string& text) { log << text; }};
//     if (options.notice) options.notice("…");
//
// Like std::function, without <functional>, which is a fifth of a client header's cost. A callback
// that does not outlive the call is a FunctionRef.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "perdure/invoke.hpp"

namespace perdure {
inline namespace v0 {

template <class Signature>
class Callback;

namespace detail {

// What may hold no function: null pointers, an empty Callback, an empty std::function. Any other callable
// is one, even if it has an operator bool, which then says something else.
template <class F>
inline constexpr bool may_be_empty = std::is_pointer_v<F> || std::is_member_pointer_v<F>;
template <class Signature>
inline constexpr bool may_be_empty<Callback<Signature>> = true;
// std::function by its shape, since its name is <functional>'s.
template <template <class> class Function, class R, class... Args>
    requires std::is_same_v<typename Function<R(Args...)>::result_type, R>
inline constexpr bool may_be_empty<Function<R(Args...)>> = true;

// Whether R refers to a value that From would be converted to, and that is gone when R is used.
template <class R, class From>
inline constexpr bool dangles = false;
template <class R, class From>
    requires std::is_rvalue_reference_v<R> || std::is_const_v<std::remove_reference_t<R>>
inline constexpr bool dangles<R, From> =
    std::is_reference_v<R> &&
    !(std::is_reference_v<From> &&
      std::is_convertible_v<std::remove_reference_t<From>*, std::remove_reference_t<R>*>);

}  // namespace detail

// A plain value with a copy of the function of its own. Calling it is as safe for several threads as the
// function is. Only one that is not empty may be called.
template <class R, class... Args>
class Callback<R(Args...)> {
public:
    Callback() noexcept = default;
    Callback(std::nullptr_t) noexcept {}
    // Empty if `function` is a null pointer, an empty Callback or an empty std::function.
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, Callback> &&
                 std::copy_constructible<std::decay_t<F>> &&
                 std::is_invocable_r_v<R, std::decay_t<F>&, Args...> &&
                 !detail::dangles<R, std::invoke_result_t<std::decay_t<F>&, Args...>>)
    Callback(F&& function) {
        if (has_target(function))
            kept_ = std::make_unique<KeptFunction<std::decay_t<F>>>(std::in_place,
                                                                    std::forward<F>(function));
    }
    Callback(const Callback& other) : kept_{other.kept_ ? other.kept_->copy() : nullptr} {}
    Callback(Callback&&) noexcept = default;
    Callback& operator=(Callback other) noexcept {
        kept_ = std::move(other.kept_);
        return *this;
    }
    ~Callback() = default;

    explicit operator bool() const noexcept { return kept_ != nullptr; }
    R operator()(Args... args) const {
        assert(kept_);
        return kept_->call(std::forward<Args>(args)...);
    }

private:
    struct Kept {
        virtual ~Kept() = default;
        virtual R call(Args&&... args) = 0;
        [[nodiscard]] virtual std::unique_ptr<Kept> copy() const = 0;
    };
    template <class F>
    struct KeptFunction final : Kept {
        template <class G>
        KeptFunction(std::in_place_t, G&& what) : function(std::forward<G>(what)) {}
        R call(Args&&... args) override {
            if constexpr (std::is_void_v<R>) detail::invoke(function, std::forward<Args>(args)...);
            else return detail::invoke(function, std::forward<Args>(args)...);
        }
        [[nodiscard]] std::unique_ptr<Kept> copy() const override {
            return std::make_unique<KeptFunction>(std::in_place, function);
        }
        F function;
    };
    template <class F>
    static bool has_target(const F& function) noexcept {
        if constexpr (detail::may_be_empty<F>) return static_cast<bool>(function);
        else return true;
    }

    std::unique_ptr<Kept> kept_;
};

}  // namespace v0
}  // namespace perdure
