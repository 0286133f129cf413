// SPDX-License-Identifier: Apache-2.0
//
// expect: the body of a transaction must be callable with (sql::Transaction&)
#include "perdure/sql/transact.hpp"

using namespace perdure;

void pay(sql::Database& bank) {
#ifdef TRAP
    const auto body = []() -> Result<int> { return 3; };
#else
    const auto body = [](sql::Transaction&) -> Result<int> { return 3; };
#endif
    const auto paid = sql::transact(bank, {.name = "pay"}, body);
    (void)paid;
}
