// SPDX-License-Identifier: Apache-2.0
//
// expect: the work must be callable with (const Attempt&) or without arguments
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users) {
#ifdef TRAP
    const auto work = [](int row) -> Result<int> { return row; };
#else
    const auto work = [](const Attempt& attempt) -> Result<int> { return attempt.number; };
#endif
    const auto loaded = users.run({.name = "load"}, work);
    (void)loaded;
}
