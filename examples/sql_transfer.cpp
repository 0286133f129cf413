// SPDX-License-Identifier: Apache-2.0
//
// How does money move exactly once when the answer to COMMIT is lost? On SQLite, with faults that come
// when they were planned. For docs/guide/sql.md and README.md.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "perdure/perdure.hpp"
#include "perdure/sql/manual.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/sql/transact.hpp"
#include "sql_scratch.hpp"

using namespace perdure;

namespace {

// [transfer]
// Gives what is left in the account it was taken from. The body may run several times.
Result<std::int64_t> transfer(sql::Database& bank, int from, int to, std::int64_t cents) {
    const auto move = [&](sql::Transaction& tx) -> Result<std::int64_t> {
        PERDURE_TRY(tx.execute("update account set cents = cents - ? where id = ?", cents, from));
        PERDURE_TRY(tx.execute("update account set cents = cents + ? where id = ?", cents, to));
        PERDURE_TRY_VALUE(const auto rows,
                          tx.query("select cents from account where id = ?", from));
        PERDURE_TRY_VALUE(const auto left, rows.single<std::int64_t>());
        if (left < 0) return fail({.cause = Cause::invalid, .code = "not-enough-money"});
        return left;
    };
    return sql::transact(bank, {.name = "transfer", .deadline = 3s}, move);
}
// [/transfer]

// [open]
// One for each database and process, shared by all threads. Nothing is connected yet.
Result<sql::Database> open_bank(const std::string& path) {
    PERDURE_TRY_VALUE(auto driver, sql::sqlite(path));
    return sql::Database{driver, {.tokens = {.use = sql::TokenUse::create}}};
}
// [/open]

// [create]
Result<void> create(sql::Database& bank) {
    PERDURE_TRY(bank.execute("create table account (id integer primary key, "
                             "cents bigint not null, owner varchar(40))"));
    PERDURE_TRY(bank.execute("insert into account values (1, 1000, 'Ada'), (2, 0, ?)", nullptr));
    return {};
}
// [/create]

// [rows]
Result<std::int64_t> sum_of(sql::Database& bank) {
    PERDURE_TRY_VALUE(const auto rows,
                      bank.query("select id, cents, owner from account where cents >= ?", 0));
    std::int64_t sum = 0;
    for (const sql::Row& row : rows) {
        PERDURE_TRY_VALUE(const auto cents, row.get<std::int64_t>("cents"));
        PERDURE_TRY_VALUE(const auto owner, row.get<std::optional<std::string>>("owner"));
        std::printf("  %-8s %5lld\n", owner.value_or("(nobody)").c_str(),
                    static_cast<long long>(cents));
        sum += cents;
    }
    return sum;
}
// [/rows]

// [stream]
// Of any size, row by row; repeated only before the first row was handed out.
Result<std::int64_t> count_by_hand(sql::Database& bank) {
    std::int64_t count = 0;
    const auto on_row = [&](const sql::Row&) -> Result<void> {
        ++count;
        return {};
    };
    PERDURE_TRY(bank.stream(on_row, "select id from account"));
    return count;
}
// [/stream]

// [by-hand]
Result<void> by_hand(sql::Database& bank) {
    sql::WithoutRetries plain{bank};  // nothing in here is repeated
    PERDURE_TRY_VALUE(auto tx, plain.begin());
    PERDURE_TRY(tx->execute("update account set owner = ? where id = ?", "Grace", 2));
    return tx.commit();  // effect unknown: find out yourself
}
// [/by-hand]

int complain(const Failure& failure) {
    std::puts(to_string(failure).c_str());
    return 1;
}

// Exactly one transfer, whatever became of the first COMMIT.
bool moves_once(sql::Database& bank, sql::PlannedFaults& faults, sql::Planned fate,
                std::int64_t expected) {
    const int before = faults.counts().commits;
    faults.commit({fate});
    const auto left = transfer(bank, 1, 2, 100);
    if (!left) return complain(left.error()) == 0;
    std::printf("%s: %lld left, %d COMMIT sent\n",
                fate == sql::Planned::fail_before ? "COMMIT lost on its way there"
                                                  : "COMMIT done, its answer lost",
                static_cast<long long>(*left), faults.counts().commits - before);
    return *left == expected;
}

}  // namespace

int main() {
    const Scratch scratch;
    auto bank = open_bank(scratch / "bank.db");
    if (!bank) return complain(bank.error());
    if (auto created = create(*bank); !created) return complain(created.error());

    // The same database over a link that is lost when that was planned.
    sql::PlannedFaults faults;
    sql::Database shaky{sql::with_faults(*sql::sqlite(scratch / "bank.db"), faults),
                        {.tokens = {.use = sql::TokenUse::create}}};
    if (!moves_once(shaky, faults, sql::Planned::fail_before, 900)) return 1;
    if (!moves_once(shaky, faults, sql::Planned::fail_after, 800)) return 1;

    const auto refused = transfer(*bank, 1, 2, 5000);  // rolled back, and not tried again
    if (refused || refused.error().effect != Effect::none) return 1;
    std::puts(to_string(refused.error()).c_str());

    if (auto begun = bank->begin(); !begun) std::puts(begun.error().message.c_str());
    if (auto done = by_hand(*bank); !done) return complain(done.error());
    const auto sum = sum_of(*bank);
    if (!sum) return complain(sum.error());
    return *sum == 1000 && count_by_hand(*bank).value_or(0) == 2 ? 0 : 1;
}
