// SPDX-License-Identifier: Apache-2.0
//
// The compiler's own sentence, because the fields stay plain std::chrono durations. It appears where the
// aggregate has a name; inside braces of another call the compiler says no more than "no matching
// function", and gives the reason in a note if at all.
// expect: from 'int' to '
#include "perdure/perdure.hpp"

using namespace perdure;

void load() {
#ifdef TRAP
    Plan plan{.name = "users", .deadline = 3};
#else
    Plan plan{.name = "users", .deadline = 3s};
#endif
    Caller users{plan};
    (void)users.plan();
}
