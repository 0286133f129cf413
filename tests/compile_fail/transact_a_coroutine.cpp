// SPDX-License-Identifier: Apache-2.0
//
// expect: transact() does not take a coroutine: use perdure::sql::start_transact(
#include "perdure/sql/async.hpp"

using namespace perdure;

void pay(sql::Database& bank) {
#ifdef TRAP
    const auto body = [](sql::Transaction&) -> Task<Result<int>> { co_return 3; };
    auto paid = sql::transact(bank, {.name = "pay"}, body);
#else
    const auto body = [](sql::AsyncTransaction&) -> Task<Result<int>> { co_return 3; };
    auto paid = sql::start_transact(bank, {.name = "pay"}, body);
#endif
    (void)paid;
}
