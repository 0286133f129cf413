// SPDX-License-Identifier: Apache-2.0
//
// How does an operation carry a callback without owning it? Two words, no allocation.
//
//     bool matches(perdure::FunctionRef<bool(const Failure&)> when);
//     const auto is_404 = [](const Failure& f) { return f.status == 404; };
//     matches(is_404);
//
// What it refers to must outlive it: pass a named function object, not a temporary, wherever the
// call outlives the statement (every coroutine).
#pragma once

#include <cassert>
#include <memory>
#include <type_traits>
#include <utility>

#include "perdure/invoke.hpp"

namespace perdure {
inline namespace v0 {

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
public:
    constexpr FunctionRef() noexcept = default;
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
                 std::is_invocable_r_v<R, F&, Args...>)
    FunctionRef(F&& function) noexcept
        : object_{const_cast<void*>(static_cast<const void*>(std::addressof(function)))},
          call_{[](void* object, Args... args) -> R {
              return detail::invoke(*static_cast<std::remove_reference_t<F>*>(object),
                                    std::forward<Args>(args)...);
          }} {}

    explicit operator bool() const noexcept { return call_ != nullptr; }
    R operator()(Args... args) const {
        assert(call_);
        return call_(object_, std::forward<Args>(args)...);
    }

private:
    void* object_ = nullptr;
    R (*call_)(void*, Args...) = nullptr;
};

}  // namespace v0
}  // namespace perdure
