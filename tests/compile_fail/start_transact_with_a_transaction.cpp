// SPDX-License-Identifier: Apache-2.0
//
// expect: start_transact() takes a coroutine: the body must be callable with (sql::AsyncTransaction&)
#include "perdure/sql/async.hpp"

using namespace perdure;

void pay(sql::Database& bank) {
#ifdef TRAP
    const auto body = [](sql::Transaction&) -> Task<Result<int>> { co_return 3; };
#else
    const auto body = [](sql::AsyncTransaction&) -> Task<Result<int>> { co_return 3; };
#endif
    auto paid = sql::start_transact(bank, {.name = "pay"}, body);
    (void)paid;
}
