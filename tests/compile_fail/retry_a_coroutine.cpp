// SPDX-License-Identifier: Apache-2.0
//
// expect: retry() does not take a coroutine: use perdure::start(caller, operation, work)
#include "perdure/perdure.hpp"

using namespace perdure;

Task<Result<int>> load() { co_return 1; }

void trap(Caller& users) {
#ifdef TRAP
    const auto loaded = perdure::retry([] { return load(); });
#else
    const auto work = [](const Attempt&) { return load(); };
    const auto loaded = start(users, {.name = "load"}, work);
#endif
    (void)users;
    (void)loaded;
}
