// SPDX-License-Identifier: Apache-2.0
//
// expect: GCC 12 destroys temporaries of a co_await twice: write
// only: gcc < 13
#include "perdure/perdure.hpp"

using namespace perdure;

Task<Result<int>> load(Caller& users, std::string id) {
#ifdef TRAP
    co_return co_await start(users, {.name = "load"}, [id](const Attempt&) -> Task<Result<int>> {
        co_return static_cast<int>(id.size());
    });
#else
    auto call = start(users, {.name = "load"}, [id](const Attempt&) -> Task<Result<int>> {
        co_return static_cast<int>(id.size());
    });
    co_return co_await call;
#endif
}
