// SPDX-License-Identifier: Apache-2.0
//
// How does a load go, from its flags to its exit status?
#pragma once

#include "load/engine/load_flags.hpp"

namespace tool::load {

int run(const LoadFlags& flags);

}  // namespace tool::load
