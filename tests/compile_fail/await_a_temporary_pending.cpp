// SPDX-License-Identifier: Apache-2.0
//
// expect: GCC 12 destroys temporaries of a co_await twice: write
// only: gcc < 13
#include "perdure/sql/async.hpp"

using namespace perdure;

Task<Result<sql::Rows>> read(sql::Database& users) {
#ifdef TRAP
    co_return co_await sql::start_query(users, {.name = "read"}, sql::StatementCopy{"select 1"});
#else
    auto call = sql::start_query(users, {.name = "read"}, sql::StatementCopy{"select 1"});
    co_return co_await call;
#endif
}
