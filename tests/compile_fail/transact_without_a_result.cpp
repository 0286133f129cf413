// SPDX-License-Identifier: Apache-2.0
//
// expect: the body of a transaction must return perdure::Result<T>
#include "perdure/sql/transact.hpp"

using namespace perdure;

void pay(sql::Database& bank) {
#ifdef TRAP
    const auto paid = sql::transact(bank, {.name = "pay"}, [](sql::Transaction&) { return 3; });
#else
    const auto paid =
        sql::transact(bank, {.name = "pay"}, [](sql::Transaction&) -> Result<int> { return 3; });
#endif
    (void)paid;
}
