// SPDX-License-Identifier: Apache-2.0
//
// expect: Perdure needs C++20: compile with -std=c++20
// flags: -std=c++17
#include "perdure/perdure.hpp"

#include <vector>

void nothing() {}
