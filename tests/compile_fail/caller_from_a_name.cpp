// SPDX-License-Identifier: Apache-2.0
//
// expect: a Caller is made from a Plan: Caller users{{.name = ...}}
#include "perdure/perdure.hpp"

using namespace perdure;

void load() {
#ifdef TRAP
    Caller users{"users"};
#else
    Caller users{{.name = "users"}};
#endif
    (void)users.plan();
}
