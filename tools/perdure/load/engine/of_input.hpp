// SPDX-License-Identifier: Apache-2.0
//
// Whose fault is a failure, the input's or the target's? Those of an input carry its mark.
#pragma once

#include <utility>

#include "perdure/result.hpp"

namespace tool::load {

inline constexpr const char* input_mark = "input";

template <class T>
perdure::Result<T> of_input(perdure::Result<T> result) {
    if (!result) result.error().dependency = input_mark;
    return result;
}

inline bool is_of_input(const perdure::Failure& failure) noexcept {
    return failure.dependency == input_mark;
}

}  // namespace tool::load
