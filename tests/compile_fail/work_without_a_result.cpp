// SPDX-License-Identifier: Apache-2.0
//
// expect: the work must return perdure::Result<T>
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
#ifdef TRAP
    const auto work = [] { return 3; };
#else
    const auto work = []() -> Result<int> { return 3; };
#endif
    const auto loaded = users.run({.name = "load"}, work);
    (void)loaded;
}
