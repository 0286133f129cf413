// SPDX-License-Identifier: Apache-2.0
//
// How much of the time an attempt has left does the server get for a statement? Less than all of it, so
// that the server's clear answer arrives before our own limit, and the session stays good.
#pragma once

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

inline constexpr double share_for_a_statement = 0.95;

[[nodiscard]] inline Duration share(Duration left, double part) noexcept {
    if (left == never) return never;
    return Duration{static_cast<Duration::rep>(static_cast<double>(left.count()) * part)};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
