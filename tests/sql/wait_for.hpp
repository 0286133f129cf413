// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "perdure/call/block_on.hpp"
#include "perdure/time/loop.hpp"

namespace perdure::sql {

template <class Awaited>
auto wait_for(Awaited call) {
    return block_on(default_executor(), std::move(call));
}

}  // namespace perdure::sql
