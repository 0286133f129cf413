// SPDX-License-Identifier: Apache-2.0
//
// Where do time and chance come from, and who watches? What a caller needs but does not own.
//
//     Caller users{plan};                       // the machine's clock, the process's randomness
//     Caller tested{plan, {clock, ceiling}};    // a virtual clock, a fixed random
#pragma once

#include "perdure/call/observer.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/executor.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {

// References: everything in it outlives the caller.
struct Environment {
    Clock& clock = system_clock();
    Random& random = system_random();
    Observer* observer = nullptr;
    Executor* executor = nullptr;  // for coroutines; null: the process's own loop
};

}  // namespace v0
}  // namespace perdure
