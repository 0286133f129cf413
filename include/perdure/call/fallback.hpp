// SPDX-License-Identifier: Apache-2.0
//
// What may stand in for an answer we did not get?
//
//     const auto prices = perdure::fall_back(shop.run(read, load), [&](const Failure&) { return cached; });
//
// A substitute must not hide that something may have happened: a failure whose effect is unknown or
// applied is passed on as it is, unless the caller says that this does not matter here.
#pragma once

#include <type_traits>
#include <utility>

#include "perdure/invoke.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {

enum class FallBack : std::uint8_t { only_without_effect, whatever_happened };

// `substitute(failure)` gives a T or a Result<T>.
template <class T, class F>
Result<T> fall_back(Result<T> result, F&& substitute,
                    FallBack when = FallBack::only_without_effect) {
    if (result) return result;
    if (when == FallBack::only_without_effect && result.error().effect != Effect::none)
        return result;
    return Result<T>{detail::invoke(std::forward<F>(substitute), std::as_const(result.error()))};
}

}  // namespace v0
}  // namespace perdure
