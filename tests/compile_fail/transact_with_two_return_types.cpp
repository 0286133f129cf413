// SPDX-License-Identifier: Apache-2.0
//
// expect: needs -> Result<T>
#include "perdure/sql/transact.hpp"

using namespace perdure;

void pay(sql::Database& bank, int cents) {
#ifdef TRAP
    const auto paid = sql::transact(bank, {.name = "pay"}, [cents](sql::Transaction&) {
#else
    const auto paid =
        sql::transact(bank, {.name = "pay"}, [cents](sql::Transaction&) -> Result<int> {
#endif
        if (cents < 0) return fail({.cause = Cause::invalid});
        return cents;
    });
    (void)paid;
}
