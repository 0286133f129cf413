// SPDX-License-Identifier: Apache-2.0
//
// expect: run() does not take a coroutine: use perdure::start(caller, operation, work)
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
    const auto work = [](const Attempt&) -> Task<Result<int>> { co_return 1; };
#ifdef TRAP
    const auto loaded = users.run({.name = "load"}, work);
#else
    const auto loaded = start(users, {.name = "load"}, work);
#endif
    (void)loaded;
}
