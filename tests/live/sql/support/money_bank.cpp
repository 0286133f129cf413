// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_bank.hpp"

#include <cstdlib>
#include <iostream>

#include "perdure/try.hpp"

namespace perdure::live {
namespace {

void must_execute(sql::Database& database, const std::string& text) {
    const auto done = database.execute(text);
    if (!done) must(fail(done.error()), text);
}

sql::Rows must_query(sql::Database& database, std::string_view text) {
    auto rows = database.query(text);
    if (!rows) must(fail(rows.error()), text);
    return *std::move(rows);
}

std::int64_t number(const sql::Row& row, std::size_t column) {
    return row.get<std::int64_t>(column).value_or(-1);
}

}  // namespace

void must(const Result<void>& result, std::string_view what) {
    if (result) return;
    std::cerr << what << ": " << to_string(result.error()) << "\n";
    std::abort();
}

Transfer transfer_of(std::uint64_t seed, int number, Crowd crowd) {
    SeededRandom random{seed * 1'000'003 + static_cast<std::uint64_t>(number)};
    const auto below = [&](std::uint64_t limit) {
        return static_cast<std::int64_t>(random.bits() % limit);
    };
    Transfer transfer{.id = number, .cents = 1 + below(100)};
    const int among = below(crowd == Crowd::small ? 16 : 2) == 0 ? 6 : money_accounts;
    transfer.first = below(static_cast<std::uint64_t>(among));
    transfer.second = (transfer.first + 1 + below(static_cast<std::uint64_t>(among - 1))) % among;
    return transfer;
}

void found_bank(sql::Database& database, Keyed keyed) {
    const bool mariadb = database.driver().traits().product == sql::Product::mariadb;
    const std::string engine = mariadb ? " engine=InnoDB" : "";
    for (const char* table : {"account", "transfer", "posting"})
        must_execute(database, "drop table if exists " + std::string{table});
    must_execute(database,
                 "create table account(id bigint primary key, cents bigint not null)" + engine);
    must_execute(database, std::string{"create table transfer(id bigint"} +
                               (keyed == Keyed::yes ? " primary key" : " not null") +
                               ", cents bigint not null)" + engine);
    must_execute(database,
                 "create table posting(transfer bigint not null, account bigint not null, "
                 "cents bigint not null)" +
                     engine);
    std::string rows;
    for (int id = 0; id < money_accounts; ++id)
        rows += (id > 0 ? ",(" : "(") + std::to_string(id) + "," + std::to_string(money_each) + ")";
    must_execute(database, "insert into account(id, cents) values " + rows);
}

Result<std::int64_t> move_money(sql::Transaction& tx, const Transfer& transfer) {
    PERDURE_TRY(
        tx.execute("insert into transfer(id, cents) values (?, ?)", transfer.id, transfer.cents));
    PERDURE_TRY(tx.execute("update account set cents = cents - ? where id = ?", transfer.cents,
                           transfer.first));
    PERDURE_TRY(tx.execute("insert into posting(transfer, account, cents) values (?, ?, ?)",
                           transfer.id, transfer.first, -transfer.cents));
    PERDURE_TRY(tx.execute("update account set cents = cents + ? where id = ?", transfer.cents,
                           transfer.second));
    PERDURE_TRY(tx.execute("insert into posting(transfer, account, cents) values (?, ?, ?)",
                           transfer.id, transfer.second, transfer.cents));
    return transfer.id;
}

Result<bool> was_moved(sql::Transaction& tx, std::int64_t id) {
    PERDURE_TRY_VALUE(const sql::Rows rows,
                      tx.query("select count(*) from transfer where id = ?", id));
    PERDURE_TRY_VALUE(const std::int64_t count, rows.single<std::int64_t>());
    return count > 0;
}

Books read_books(sql::Database& database) {
    Books books;
    for (const sql::Row& row : must_query(database, "select id from transfer"))
        ++books.entries[number(row, 0)].transfers;
    std::map<std::int64_t, std::int64_t> balances;
    for (const sql::Row& row :
         must_query(database, "select transfer, account, cents from posting")) {
        Entry& entry = books.entries[number(row, 0)];
        ++entry.postings;
        entry.sum += number(row, 2);
        balances[number(row, 1)] += number(row, 2);
    }
    std::int64_t total = 0;
    for (const sql::Row& row : must_query(database, "select id, cents from account")) {
        total += number(row, 1);
        if (number(row, 1) != money_each + balances[number(row, 0)])
            books.wrong.push_back("account " + std::to_string(number(row, 0)) +
                                  " is not the sum of its postings");
    }
    if (total != money_accounts * money_each)
        books.wrong.push_back("the sum of all accounts is " + std::to_string(total));
    return books;
}

}  // namespace perdure::live
