// SPDX-License-Identifier: Apache-2.0
//
// expect: needs -> Result<T>
#include "perdure/perdure.hpp"

using namespace perdure;

void load(Caller& users, int row) {
#ifdef TRAP
    const auto loaded = users.run({.name = "load"}, [row](const Attempt&) {
#else
    const auto loaded = users.run({.name = "load"}, [row](const Attempt&) -> Result<int> {
#endif
        if (row < 0) return fail({.cause = Cause::invalid});
        return row;
    });
    (void)loaded;
}
