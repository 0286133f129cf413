// SPDX-License-Identifier: Apache-2.0
//
// expect: the body of a transaction must return perdure::Result<T>
#include "perdure/sql/transaction.hpp"

using namespace perdure;

void pay(sql::Transaction& tx) {
#ifdef TRAP
    const auto body = [](sql::Transaction&) { return 3; };
#else
    const auto body = [](sql::Transaction&) -> Result<int> { return 3; };
#endif
    const auto paid = tx.transact(body);
    (void)paid;
}
