// SPDX-License-Identifier: Apache-2.0
//
// expect: GCC 12 destroys temporaries of a co_await twice: write
// only: gcc < 13
#include "perdure/perdure.hpp"

using namespace perdure;

Task<Result<int>> load(Caller& users) {
    const auto work = []() -> Task<Result<int>> { co_return 1; };
    auto call = start(users, {.name = "load"}, work);
#ifdef TRAP
    co_return co_await std::move(call);
#else
    co_return co_await call;
#endif
}
