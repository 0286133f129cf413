// SPDX-License-Identifier: Apache-2.0
//
// What does an application do when nobody can say whether its transaction was committed? It parks the
// order, and asks again later. For docs/guide/a-lost-commit.md.
#include <cstdint>
#include <cstdio>
#include <string>

#include "perdure/perdure.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/sql/transact.hpp"
#include "sql_scratch.hpp"

using namespace perdure;

namespace {

// [keep]
// The token is stored with the order, before the first attempt to pay it.
Result<std::int64_t> take_order(sql::Database& shop, std::int64_t cents) {
    const auto token = sql::Token::make();
    PERDURE_TRY_VALUE(const auto done,
                      shop.execute("insert into orders (token, cents, state) values (?, ?, 'new')",
                                   to_string(token), cents));
    return done.last_id;
}
// [/keep]

// [pay]
// However often this is called with one token, from however many processes: one payment.
Result<void> pay(sql::Database& bank, const sql::Token& token, std::int64_t cents) {
    return sql::transact(
        bank, {.name = "pay", .deadline = 600ms, .token = token},
        [&](sql::Transaction& tx) -> Result<void> {
            PERDURE_TRY(tx.execute("update account set cents = cents - ? where id = 'ada'", cents));
            PERDURE_TRY(
                tx.execute("update account set cents = cents + ? where id = 'shop'", cents));
            return {};
        });
}
// [/pay]

// [state]
// Three ends, three ways on. Never a fourth: paying again under a new token and hoping.
const char* state_after(const Result<void>& paid) {
    if (paid) return "paid";
    switch (paid.error().effect) {
        case Effect::none: return "refused";  // surely rolled back; the customer may order again
        case Effect::applied: return "paid";  // the token was taken: an earlier call did it
        case Effect::unknown: break;
    }
    return "in doubt";  // the customer is told "in progress"; settle() looks again later
}
// [/state]

// [settle]
// A periodic job, perhaps in another process, perhaps tomorrow; well before `keep_for` is over.
Result<void> settle(sql::Database& shop, sql::Database& bank) {
    PERDURE_TRY_VALUE(const auto orders,
                      shop.query("select id, token from orders where state = 'in doubt'"));
    for (const sql::Row& row : orders) {
        PERDURE_TRY_VALUE(const auto id, row.get<std::int64_t>("id"));
        PERDURE_TRY_VALUE(const auto token, row.get<sql::Token>("token"));
        PERDURE_TRY_VALUE(const auto landed, sql::landed(bank, token));
        const char* state = "in doubt";  // pending: a transaction still holds the token
        if (landed.verdict() == Verdict::yes) state = "paid";
        if (landed.verdict() == Verdict::no) state = "refused";  // or pay(), with the same token
        PERDURE_TRY(shop.execute({.safety = Safety::idempotent},
                                 "update orders set state = ? where id = ?", state, id));
    }
    return {};
}
// [/settle]

// [landed]
// Where no token table is to be had: the order's own number is the proof. Asked in a fresh session,
// and only when COMMIT had no answer.
Result<void> pay_by_number(sql::Database& bank, std::int64_t order, std::int64_t cents) {
    const auto is_there = [order](sql::Transaction& tx) -> Result<bool> {
        PERDURE_TRY_VALUE(const auto rows, tx.query("select 1 from paid where id = ?", order));
        return !rows.empty();
    };
    return sql::transact(bank, {.name = "pay", .landed = is_there},
                         [&](sql::Transaction& tx) -> Result<void> {
                             PERDURE_TRY(tx.execute("insert into paid (id) values (?)", order));
                             PERDURE_TRY(tx.execute("update account set cents = cents - ? "
                                                    "where id = 'ada'",
                                                    cents));
                             return {};
                         });
}
// [/landed]

struct Fate {
    const char* name;
    sql::Planned commit;
    const char* ends;
    std::int64_t left;
};

Result<void> create(sql::Database& shop, sql::Database& bank) {
    PERDURE_TRY(shop.execute("create table orders (id integer primary key, token text not null, "
                             "cents integer not null, state text not null)"));
    PERDURE_TRY(bank.execute("create table account (id text primary key, cents integer)"));
    PERDURE_TRY(bank.execute("create table paid (id integer primary key)"));
    PERDURE_TRY(bank.execute("insert into account values ('ada', 1000), ('shop', 0)"));
    return {};
}

// COMMIT gets no answer, and then the bank cannot be reached until the deadline.
Result<std::string> pay_in_an_outage(sql::Database& shop, const std::string& where, std::int64_t id,
                                     const Fate& fate) {
    sql::PlannedFaults faults;
    PERDURE_TRY_VALUE(auto driver, sql::sqlite(where));
    sql::Database bank{sql::with_faults(driver, faults), {.tokens = {.use = sql::TokenUse::use}}};
    PERDURE_TRY(bank.prewarm(1));
    faults.commit({fate.commit});
    faults.by_chance({.open = {.fail_before = 1}});

    PERDURE_TRY_VALUE(const auto rows, shop.query("select token from orders where id = ?", id));
    PERDURE_TRY_VALUE(const auto token, rows.single<sql::Token>());
    const auto paid = pay(bank, token, 250);
    if (!paid) std::printf("  %s\n", to_string(paid.error()).c_str());
    std::string state = state_after(paid);
    PERDURE_TRY(shop.execute("update orders set state = ? where id = ?", state, id));
    return state;
}

Result<bool> play(sql::Database& shop, const std::string& where, const Fate& fate) {
    PERDURE_TRY_VALUE(const auto id, take_order(shop, 250));
    PERDURE_TRY_VALUE(const auto first, pay_in_an_outage(shop, where, id, fate));

    PERDURE_TRY_VALUE(auto driver, sql::sqlite(where));  // the next day: nothing is left but rows
    sql::Database bank{driver};
    PERDURE_TRY(settle(shop, bank));
    PERDURE_TRY_VALUE(const auto state_rows,
                      shop.query("select state from orders where id = ?", id));
    PERDURE_TRY_VALUE(const auto state, state_rows.single<std::string>());
    PERDURE_TRY_VALUE(const auto rows, bank.query("select cents from account where id = 'ada'"));
    PERDURE_TRY_VALUE(const auto left, rows.single<std::int64_t>());
    std::printf("%s: %s, later %s; %lld left\n", fate.name, first.c_str(), state.c_str(),
                static_cast<long long>(left));
    return first == "in doubt" && state == fate.ends && left == fate.left;
}

// Found by its number, both times: the first as done, the second as not done and then done.
Result<bool> play_numbers(const std::string& where) {
    sql::PlannedFaults faults;
    PERDURE_TRY_VALUE(auto driver, sql::sqlite(where));
    sql::Database bank{sql::with_faults(driver, faults)};
    faults.commit({sql::Planned::fail_after, sql::Planned::fail_before});
    PERDURE_TRY(pay_by_number(bank, 1, 50));
    PERDURE_TRY(pay_by_number(bank, 2, 50));
    PERDURE_TRY_VALUE(const auto rows, bank.query("select cents from account where id = 'ada'"));
    PERDURE_TRY_VALUE(const auto left, rows.single<std::int64_t>());
    std::printf("resolved by number: two payments, %lld left\n", static_cast<long long>(left));
    return left == 650;
}

Result<bool> play_all(const Scratch& scratch) {
    PERDURE_TRY_VALUE(auto shop_driver, sql::sqlite(scratch / "shop.db"));
    PERDURE_TRY_VALUE(auto bank_driver, sql::sqlite(scratch / "bank.db"));
    sql::Database shop{shop_driver};
    sql::Database bank{bank_driver};
    PERDURE_TRY(create(shop, bank));
    PERDURE_TRY(sql::make_token_table(bank));
    const Fate committed{"COMMIT was done", sql::Planned::fail_after, "paid", 750};
    const Fate rolled_back{"COMMIT never arrived", sql::Planned::fail_before, "refused", 750};
    PERDURE_TRY_VALUE(const bool one, play(shop, scratch / "bank.db", committed));
    PERDURE_TRY_VALUE(const bool two, play(shop, scratch / "bank.db", rolled_back));
    PERDURE_TRY_VALUE(const bool three, play_numbers(scratch / "bank.db"));
    return one && two && three;
}

}  // namespace

int main() {
    const Scratch scratch;
    const auto good = play_all(scratch);
    if (!good) std::puts(to_string(good.error()).c_str());
    return good.value_or(false) ? 0 : 1;
}
