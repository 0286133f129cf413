// SPDX-License-Identifier: Apache-2.0
//
// 64 bits that nobody can predict, from the operating system itself. A system call each time: for keys
// and seeds, not for jitter.
#pragma once

#include <cstdint>

namespace perdure {
inline namespace v0 {

// Any thread.
std::uint64_t system_entropy();

}  // namespace v0
}  // namespace perdure
