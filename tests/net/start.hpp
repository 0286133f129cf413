// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/duration.hpp"

namespace perdure::net {

// When the tests of this folder begin: not at zero, so that a forgotten time stands out.
inline constexpr TimePoint start{std::chrono::hours{1}};

}  // namespace perdure::net
