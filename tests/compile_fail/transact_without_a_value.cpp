// SPDX-License-Identifier: Apache-2.0
//
// expect: Result<void> where it has no value
#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

using namespace perdure;

void pay(sql::Database& bank) {
#ifdef TRAP
    const auto body = [](sql::Transaction& tx) { (void)tx.execute("delete from bill"); };
#else
    const auto body = [](sql::Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.execute("delete from bill"));
        return {};
    };
#endif
    const auto paid = sql::transact(bank, {.name = "pay"}, body);
    (void)paid;
}
