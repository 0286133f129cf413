// SPDX-License-Identifier: Apache-2.0
//
// Which exit status does a failure end the command with? docs/reference/load.md has the table.
#pragma once

#include "perdure/failure.hpp"

namespace tool::load {

// Before the first record is loaded: then what the user gave may be wrong (125).
[[nodiscard]] int status_of(const perdure::Failure& failure);
// Later: the flags were right, so what is wrong is the input, the table or the account, and a person has
// to mend it (7).
[[nodiscard]] int status_while_loading(const perdure::Failure& failure);

}  // namespace tool::load
