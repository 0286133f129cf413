// SPDX-License-Identifier: Apache-2.0
//
// How is work cut into transactions? Long work into pieces, small work joined into one. For
// docs/guide/sql.md.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "perdure/perdure.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/sql/violation.hpp"
#include "sql_scratch.hpp"

using namespace perdure;

namespace {

// [chunk]
// One piece of a long run. How far it got is committed together with the piece.
Result<std::int64_t> next_piece(sql::Transaction& tx) {
    PERDURE_TRY_VALUE(const auto mark, tx.query("select last_id from interest_run"));
    PERDURE_TRY_VALUE(const auto from, mark.single<std::int64_t>());
    PERDURE_TRY_VALUE(const auto ids, tx.query("select max(id) from (select id from account "
                                               "where id > ? order by id limit 100) as piece",
                                               from));
    PERDURE_TRY_VALUE(const auto to, ids.single<std::optional<std::int64_t>>());
    if (!to) return 0;
    PERDURE_TRY_VALUE(const auto done, tx.execute("update account set cents = cents + cents / 100 "
                                                  "where id > ? and id <= ?",
                                                  from, *to));
    PERDURE_TRY(tx.execute("update interest_run set last_id = ?", *to));
    return done.affected;
}

// Each piece has a deadline and attempts of its own. Whoever starts this anew goes on where it ended.
Result<std::int64_t> pay_interest(sql::Database& bank) {
    for (std::int64_t sum = 0;;) {
        PERDURE_TRY_VALUE(const auto paid,
                          sql::transact(bank, {.name = "interest", .deadline = 3s}, next_piece));
        if (paid == 0) return sum;
        sum += paid;
    }
}
// [/chunk]

// Stands in for a service that knows an order again.
Result<void> ask_for_card(const std::string& order) {
    if (order.empty()) return fail({.cause = Cause::invalid});
    return {};
}

// [join]
// Runs as a transaction of its own, sql::transact(bank, {}, open_account), or as part of another.
Result<void> open_account(sql::Transaction& tx) {
    PERDURE_TRY(tx.execute("insert into account (cents) values (?)", 5000));
    return {};
}

Result<void> welcome(sql::Database& bank, Caller& cards, const std::string& order) {
    return sql::transact(bank, {.name = "welcome"}, [&](sql::Transaction& tx) -> Result<void> {
        PERDURE_TRY(tx.transact(open_account));  // joins: all or nothing
        // Another dependency: one attempt there, within ours. Guarded, because `order` was made
        // outside and a repeat of this body must not ask for a second card.
        return cards.run(tx.attempt(), {.name = "card", .safety = Safety::guarded},
                         [&] { return ask_for_card(order); });
    });
}
// [/join]

// [report]
// A snapshot that nothing changes under. Reads leave no token and may be repeated freely.
Result<double> mean(sql::Database& bank) {
    const sql::TransactOptions options{.name = "report",
                                       .isolation = sql::Isolation::repeatable_read,
                                       .access = sql::Access::read_only,
                                       .deadline = 5s,
                                       .role = sql::Role::any};
    return sql::transact(bank, options, [](sql::Transaction& tx) -> Result<double> {
        PERDURE_TRY_VALUE(const auto sum, tx.query("select sum(cents) from account"));
        PERDURE_TRY_VALUE(const auto count, tx.query("select count(*) from account"));
        PERDURE_TRY_VALUE(const auto cents, sum.single<double>());
        PERDURE_TRY_VALUE(const auto accounts, count.single<double>());
        return cents / std::max(accounts, 1.0);
    });
}
// [/report]

// [insert]
// True if the account was opened, false if there was one already.
Result<bool> open_unless_there(sql::Database& bank, std::int64_t id) {
    const auto done = bank.execute("insert into account (id, cents) values (?, 0)", id);
    if (done) return true;
    if (sql::violation(done.error()) == sql::Violation::unique) return false;
    return fail(done.error());
}
// [/insert]

// [insert-or-update]
// Opens the account if there is none. Not one transaction: a violation would end it.
Result<void> set_balance(sql::Database& bank, std::int64_t id, std::int64_t cents) {
    PERDURE_TRY(open_unless_there(bank, id));
    PERDURE_TRY(bank.execute({.safety = Safety::idempotent},
                             "update account set cents = ? where id = ?", cents, id));
    return {};
}
// [/insert-or-update]

Result<void> create(sql::Database& bank) {
    PERDURE_TRY(bank.execute("create table account (id integer primary key, cents integer)"));
    PERDURE_TRY(bank.execute("create table interest_run (last_id integer not null)"));
    PERDURE_TRY(bank.execute("insert into interest_run values (0)"));
    PERDURE_TRY(bank.execute("with recursive n(i) as (select 1 union all select i + 1 from n "
                             "where i < ?) insert into account (cents) select 1000 from n",
                             250));
    return {};
}

Result<bool> play(sql::Database& bank, sql::PlannedFaults& faults) {
    PERDURE_TRY(create(bank));
    faults.commit({sql::Planned::pass, sql::Planned::fail_after, sql::Planned::fail_before});
    PERDURE_TRY_VALUE(const auto paid, pay_interest(bank));
    Caller cards{{.name = "cards"}};
    PERDURE_TRY(welcome(bank, cards, new_id()));
    PERDURE_TRY_VALUE(const auto cents, mean(bank));
    std::printf("interest to %lld accounts, mean %.2f\n", static_cast<long long>(paid), cents);
    if (paid != 250 || cents != (250 * 1010 + 5000) / 251.0) return false;

    PERDURE_TRY_VALUE(const bool opened, open_unless_there(bank, 1000));
    PERDURE_TRY_VALUE(const bool again, open_unless_there(bank, 1000));
    PERDURE_TRY(set_balance(bank, 1000, 70));
    PERDURE_TRY_VALUE(const auto rows, bank.query("select cents from account where id = 1000"));
    PERDURE_TRY_VALUE(const auto left, rows.single<std::int64_t>());
    return opened && !again && left == 70;
}

}  // namespace

int main() {
    const Scratch scratch;
    sql::PlannedFaults faults;
    sql::Database bank{sql::with_faults(*sql::sqlite(scratch / "bank.db"), faults),
                       {.tokens = {.use = sql::TokenUse::create}}};
    const auto good = play(bank, faults);
    if (!good) std::puts(to_string(good.error()).c_str());
    return good.value_or(false) ? 0 : 1;
}
