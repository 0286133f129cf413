// SPDX-License-Identifier: Apache-2.0
//
// And if I prefer exceptions? Then say so where the result is used.
//
//     const Profile profile = perdure::or_throw(users.run(read, load));   // throws FailureError
#pragma once

#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {

template <class T>
T or_throw(Result<T> result) {
    if (!result) throw FailureError{std::move(result.error())};
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace v0
}  // namespace perdure
