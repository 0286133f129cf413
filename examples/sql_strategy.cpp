// SPDX-License-Identifier: Apache-2.0
//
// How patient is a database treated, and how do I change that? A strategy is a plan. Its delays are
// shown on a virtual clock. For docs/guide/sql.md.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/perdure.hpp"
#include "perdure/sql/ef_core.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql_scratch.hpp"

using namespace perdure;

namespace {

// [strategy]
// A custom strategy: the product's own, with another deadline and other rules.
Plan patient_plan() {
    Plan plan = sql::strategy(sql::Product::sqlserver);
    plan.name = "bank";
    plan.deadline = 40s;
    plan.attempt_timeout = 5s;
    for (NamedRule& named : plan.rules)
        if (named.name == "busy-database")  // an error of Azure SQL that asks for less
            named.rule = {.attempts = 3, .backoff = {.base = 8s, .cap = 8s, .jitter = {1, 1.25}}};
    return plan;
}
// [/strategy]

// [codes]
sql::DatabaseOptions with_own_codes(Plan plan) {
    return {.plan = std::move(plan),
            .codes = {.also_transient = {"50001"},  // our own THROW 50001: "try again"
                      .not_transient = {"1205"}}};  // we want to see every deadlock
}
// [/codes]

// [also-repeat]
// For one call, by a function that sees the whole failure: a nightly job renames the table `rates`, and
// for a moment there is none.
bool rates_are_replaced(const Failure& failure) {
    return failure.code == "208" && failure.message.find("'rates'") != std::string::npos;
}
const sql::TransactOptions read_rates{.name = "read-rates", .also_repeat = rates_are_replaced};
// [/also-repeat]

// What SQL Server says, told in a planned fault; SQLite stands behind it.
sql::Fault told(std::string_view number) {
    const auto& row = sql::row_of(sql::Product::sqlserver, number);
    std::string message = number == "208" ? "Invalid object name 'rates'." : "";
    return {sql::Planned::fail_before, sql::failure_of(row, sql::During::in_transaction,
                                                       std::move(message), std::string{number})};
}

struct Seen {
    int attempts = 0;
    std::vector<Duration> waits{};
};

// What is done while a statement fails with this number again and again.
Seen seen(sql::DatabaseOptions options, std::string_view number,
          const sql::TransactOptions& call = {.name = "probe"}) {
    const Scratch scratch;
    testing::VirtualClock clock;
    testing::FixedRandom least{0};  // no jitter where jitter only adds
    sql::PlannedFaults faults;
    sql::Database bank{sql::with_faults(*sql::sqlite(scratch / "bank.db"), faults),
                       std::move(options),
                       {.clock = clock, .random = least}};
    for (int i = 0; i < 20; ++i) faults.execute({told(number)});
    const auto select = [](sql::Transaction& tx) { return tx.execute("select 1"); };
    const auto result = sql::transact(bank, call, select);
    if (result) return {};
    std::printf("  %s: %d attempts; waits in s:", std::string{number}.c_str(),
                result.error().attempts);
    for (const Duration nap : clock.naps())
        std::printf(" %.2f", std::chrono::duration<double>(nap).count());
    std::puts("");
    return {result.error().attempts, clock.naps()};
}

// [twice]
// The answer to COMMIT is lost, and Entity Framework Core's default runs the transaction again.
Result<std::int64_t> rows_after_a_lost_answer(sql::Database& bank, sql::PlannedFaults& faults) {
    const auto insert = [](sql::Transaction& tx) {
        return tx.execute("insert into payment (cents) values (?)", 100);
    };
    PERDURE_TRY(bank.execute("create table payment (cents integer)"));
    faults.commit({sql::Planned::fail_after});
    PERDURE_TRY(sql::transact_like_ef_core(bank, {.name = "pay"}, insert));
    PERDURE_TRY_VALUE(const auto rows, bank.query("select count(*) from payment"));
    return rows.single<std::int64_t>();
}
// [/twice]

std::int64_t paid_like_ef_core() {
    const Scratch scratch;
    sql::PlannedFaults faults;
    sql::Database bank{sql::with_faults(*sql::sqlite(scratch / "bank.db"), faults),
                       {.plan = sql::ef_core(sql::Product::sqlite)}};
    const auto rows = rows_after_a_lost_answer(bank, faults).value_or(0);
    std::printf("  one payment, its answer lost: %d rows\n", static_cast<int>(rows));
    return rows;
}

}  // namespace

int main() {
    std::puts("our own strategy");
    const Seen busy = seen(with_own_codes(patient_plan()), "40501");
    const Seen deadlock = seen(with_own_codes(patient_plan()), "1205");
    const Seen own_error = seen(with_own_codes(patient_plan()), "50001");
    const Seen replaced = seen({.plan = patient_plan()}, "208", read_rates);

    std::puts("Entity Framework Core's");
    // [ef-core]
    const sql::DatabaseOptions like_ef_core{.plan = sql::ef_core(sql::Product::sqlserver)};
    // [/ef-core]
    const Seen theirs = seen(like_ef_core, "1205");
    const Seen throttled = seen(like_ef_core, "40501");

    const bool good = busy.waits == std::vector<Duration>{8s, 8s} && deadlock.attempts == 1 &&
                      own_error.attempts == 4 && replaced.attempts == 4 &&
                      theirs.waits == std::vector<Duration>{1s, 3s, 7s, 15s, 30s} &&
                      theirs.attempts == 7 && throttled.waits.front() == 5s &&
                      paid_like_ef_core() == 2;
    return good ? 0 : 1;
}
