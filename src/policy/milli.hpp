// SPDX-License-Identifier: Apache-2.0
//
// How many thousandths is this many tokens, whatever number a plan holds?
#pragma once

#include <algorithm>

#include "perdure/policy/rule.hpp"

namespace perdure {
inline namespace v0 {

// A million tokens: far above any sensible bucket, far below what an int of thousandths holds.
inline int bounded_milli(double tokens) noexcept {
    return milli_tokens(std::clamp(tokens, 0.0, 1e6));
}

}  // namespace v0
}  // namespace perdure
