// SPDX-License-Identifier: Apache-2.0
//
// How is a transaction awaited? Two statements each, values captured by copy. For docs/guide/sql.md.
#include <cstdint>
#include <cstdio>
#include <utility>

#include "perdure/call/block_on.hpp"
#include "perdure/perdure.hpp"
#include "perdure/sql/async.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "sql_scratch.hpp"

using namespace perdure;

namespace {

// [transact]
// The body of one attempt. Parameters are copied into the coroutine; the transaction outlives it.
Task<Result<std::int64_t>> add(sql::AsyncTransaction& tx, std::int64_t cents) {
    auto adding = tx.execute("update account set cents = cents + ? where id = 1", cents);
    auto added = co_await adding;
    if (!added) co_return added.take_failure();
    auto asking = tx.query("select cents from account where id = 1");
    auto rows = co_await asking;
    if (!rows) co_return rows.take_failure();
    co_return rows->single<std::int64_t>();
}

Task<Result<std::int64_t>> deposit(sql::Database& bank, std::int64_t cents) {
    // Captured by value: a body that overran its attempt lives on for a while.
    const auto body = [cents](sql::AsyncTransaction& tx) { return add(tx, cents); };
    auto call = sql::start_transact(bank, {.name = "deposit", .deadline = 3s}, body);
    co_return co_await call;
}
// [/transact]

// [query]
Task<Result<std::int64_t>> balance(sql::Database& bank) {
    auto asking = sql::start_query(bank, {.name = "balance"},
                                   sql::StatementCopy{"select cents from account where id = ?", 1});
    auto rows = co_await asking;
    if (!rows) co_return rows.take_failure();
    co_return rows->single<std::int64_t>();
}
// [/query]

int complain(const Failure& failure) {
    std::puts(to_string(failure).c_str());
    return 1;
}

}  // namespace

int main() {
    const Scratch scratch;
    auto driver = sql::sqlite(scratch / "bank.db");
    if (!driver) return complain(driver.error());
    sql::PlannedFaults faults;
    sql::Database bank{sql::with_faults(*driver, faults),
                       {.tokens = {.use = sql::TokenUse::create}}};
    for (const char* text : {"create table account (id integer primary key, cents integer)",
                             "insert into account values (1, 0)"})
        if (auto done = bank.execute(text); !done) return complain(done.error());

    faults.commit({sql::Planned::fail_before, sql::Planned::fail_after});
    // [run]
    const auto first = block_on(default_executor(), deposit(bank, 100));
    // [/run]
    if (!first) return complain(first.error());
    const auto second = block_on(default_executor(), deposit(bank, 100));
    if (!second) return complain(second.error());
    const auto held = block_on(default_executor(), balance(bank));
    if (!held) return complain(held.error());
    std::printf("%lld, then %lld; %lld in the account; %d COMMITs sent, %d answers lost\n",
                static_cast<long long>(*first), static_cast<long long>(*second),
                static_cast<long long>(*held), faults.counts().commits, faults.counts().faults);
    return *held == 200 ? 0 : 1;
}
