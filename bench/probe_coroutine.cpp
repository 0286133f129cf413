// SPDX-License-Identifier: Apache-2.0
#include "coroutine_cases.hpp"
#include "repeat.hpp"

namespace bench {

std::uint64_t run_coroutine(std::uint64_t times) { return run<Coroutine>(times); }
std::uint64_t run_coroutine_waits(std::uint64_t times) { return run<CoroutineWaits>(times); }

}  // namespace bench
