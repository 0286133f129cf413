// SPDX-License-Identifier: Apache-2.0
//
// What do ranges in a ledger, wherever it is kept, have to be like? Apart from each other, and joined
// only where they touch.
#pragma once

#include <span>

#include "load/target/target.hpp"

namespace tool::load {

// Ranges by where they begin. Failure "ledger-damaged": two of them overlap.
[[nodiscard]] Result<void> check_apart(std::span<const Range> ranges);
// All of them as one. Failure "ledger-gap": something lies between them. At least one is given.
[[nodiscard]] Result<Range> joined(std::span<const Range> ranges);

// Code "taken": the range is in the ledger; another target has entered the input.
[[nodiscard]] perdure::Failure taken(const Range& range);
[[nodiscard]] perdure::Failure not_held();
// How often another load of the input may be faster before this one gives up.
inline constexpr int most_races = 20;
[[nodiscard]] perdure::Failure raced();

}  // namespace tool::load
