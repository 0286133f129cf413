// SPDX-License-Identifier: Apache-2.0
//
// Do ledger and table go together, before a load relies on both?
#pragma once

#include "load/engine/preparation.hpp"

namespace tool::load {

enum class Again : unsigned char { no, yes };

// A ledger that outlived its table would call records written that are nowhere; one that is forgotten
// too early would write them twice.
[[nodiscard]] Result<void> check_ledger(Target& target, const Preparation& made, Again again);

// --verify reads inputs a second time.
[[nodiscard]] Result<void> check_rereadable(const std::vector<Input>& inputs);

// Standard input has no name by which a second run would know it again: refused unless the user names
// it or its records have keys.
[[nodiscard]] Result<void> check_named(const Preparation& made);

}  // namespace tool::load
