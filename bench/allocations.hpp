// SPDX-License-Identifier: Apache-2.0
//
// How often was memory asked for? By whatever way: operator new ends here too.
#pragma once

#include <cstdint>

namespace bench {

// malloc, calloc, realloc and their aligned kin, since the program began. Any thread.
std::uint64_t allocations() noexcept;

}  // namespace bench
