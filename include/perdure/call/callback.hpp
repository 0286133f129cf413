// SPDX-License-Identifier: Apache-2.0
//
// How do options keep a function until it is needed? With a copy of any callable of the signature, or
// empty.
//
//     struct Options { Callback<void(const std::string&)> notice{}; };
//     Options options{.notice = [&log](const std::string& text) { log << text; }};
//     if (options.notice) options.notice("…");
//
// What std::function does for options, without <functional>, a fifth of what a client's header costs.
// A callback that does not outlive the call is a FunctionRef.
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

// A plain value with a copy of the function of its own. Calling it is as safe for several threads as the
// function is. Only one that is not empty may be called.
template <class R, class... Args>
class Callback<R(Args...)> {
public:
    Callback() noexcept = default;
    Callback(std::nullptr_t) noexcept {}
    // Empty if the function is: a null pointer, an empty std::function.
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, Callback> &&
                 std::copy_constructible<std::decay_t<F>> &&
                 std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
    Callback(F&& function) {
        if (has_target(function))
            kept_ = std::make_unique<KeptFunction<std::decay_t<F>>>(std::forward<F>(function));
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
        explicit KeptFunction(G&& what) : function(std::forward<G>(what)) {}
        R call(Args&&... args) override {
            if constexpr (std::is_void_v<R>) detail::invoke(function, std::forward<Args>(args)...);
            else return detail::invoke(function, std::forward<Args>(args)...);
        }
        [[nodiscard]] std::unique_ptr<Kept> copy() const override {
            return std::make_unique<KeptFunction>(function);
        }
        F function;
    };
    // Asked by its operator and not by a comparison: a closure without captures becomes a pointer in
    // one, which compilers warn of.
    template <class F>
    static bool has_target(const F& function) noexcept {
        if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F>)
            return function != nullptr;
        else if constexpr (requires { function.operator bool(); }) return function.operator bool();
        else return true;
    }

    std::unique_ptr<Kept> kept_;
};

}  // namespace v0
}  // namespace perdure
