// SPDX-License-Identifier: Apache-2.0
//
// expect: start() takes a coroutine: the work must return perdure::Task<perdure::Result<T>>
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
    const auto work = [](const Attempt&) -> Result<int> { return 1; };
#ifdef TRAP
    auto call = start(users, {.name = "load"}, work);
    (void)call;
#else
    const auto loaded = users.run({.name = "load"}, work);
    (void)loaded;
#endif
}
