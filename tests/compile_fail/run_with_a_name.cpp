// SPDX-License-Identifier: Apache-2.0
//
// expect: run() takes an Operation first: run({.name = ...}, work)
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
    const auto work = []() -> Result<int> { return 1; };
#ifdef TRAP
    const auto loaded = users.run("load", work);
#else
    const auto loaded = users.run({.name = "load"}, work);
#endif
    (void)loaded;
}
