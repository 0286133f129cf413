// SPDX-License-Identifier: Apache-2.0
//
// What turns a plain world into a story? Faults with a place, a time and a strength.
#pragma once

#include "doctor_stage_dice.hpp"
#include "doctor_stage_script.hpp"

namespace stage {

// What happens in healthy fleets too and could fool who reads their journals.
void add_everyday_trouble(Dice& dice, Script& script);

// The story of `script.story`; nothing for a healthy one.
void tell(Dice& dice, Script& script);

}  // namespace stage
