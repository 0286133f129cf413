// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/duration.hpp"

namespace perdure {

// When the stories of this folder begin: not at zero, so that a forgotten time stands out.
inline constexpr TimePoint start{std::chrono::hours{1}};
inline const TimePoint whenever = TimePoint::max();

}  // namespace perdure
