// SPDX-License-Identifier: Apache-2.0
//
// expect: needs -> Result<T>
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
#ifdef TRAP
    const auto work = [](const Attempt&) { return fail({.cause = Cause::invalid}); };
#else
    const auto work = [](const Attempt&) -> Result<int> { return fail({.cause = Cause::invalid}); };
#endif
    const auto loaded = users.run({.name = "load"}, work);
    (void)loaded;
}
