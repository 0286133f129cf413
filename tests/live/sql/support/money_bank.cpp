// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_bank.hpp"

#include <atomic>
#include <cstdlib>
#include <iostream>

#include "live/sql/support/money_switches.hpp"
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

// Each INSERT of a posting has another one, also that of an attempt that was rolled back.
std::int64_t next_serial() {
    static std::atomic<std::int64_t> last{0};
    return ++last;
}

// Which session wrote a posting, when, and after which start of the server (Mariadb::start numbers
// them by report_port).
std::string writer_columns(sql::Product product) {
    switch (product) {
        case sql::Product::mariadb:
            return ", connection bigint not null default (connection_id()), written_at datetime(6) "
                   "not null default (sysdate(6)), boot int not null default (@@report_port)";
        case sql::Product::postgres:
            return ", connection int not null default pg_backend_pid(), written_at timestamptz not "
                   "null default clock_timestamp(), boot timestamptz not null default "
                   "pg_postmaster_start_time()";
        default: return {};
    }
}

struct Values {
    std::string_view text;
    std::vector<std::int64_t> numbers;
};
std::vector<Values> statements_of(const Transfer& transfer) {
    constexpr std::string_view posting =
        "insert into posting(transfer, account, cents, serial) values (?, ?, ?, ?)";
    return {
        {"insert into transfer(id, cents) values (?, ?)", {transfer.id, transfer.cents}},
        {"update account set cents = cents - ? where id = ?", {transfer.cents, transfer.first}},
        {posting, {transfer.id, transfer.first, -transfer.cents, next_serial()}},
        {"update account set cents = cents + ? where id = ?", {transfer.cents, transfer.second}},
        {posting, {transfer.id, transfer.second, transfer.cents, next_serial()}}};
}

std::string with_values(const Values& values) {
    std::string text = "/*M! execute immediate '";
    auto value = values.numbers.begin();
    for (const char c : values.text) text += c == '?' ? std::to_string(*value++) : std::string{c};
    return text + "' */";
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
    const sql::Product product = database.driver().traits().product;
    const bool keyed_posting = product == sql::Product::mariadb && money_switch("key");
    const std::string engine = product == sql::Product::mariadb ? " engine=InnoDB" : "";
    for (const char* table : {"account", "transfer", "posting"})
        must_execute(database, "drop table if exists " + std::string{table});
    must_execute(database,
                 "create table account(id bigint primary key, cents bigint not null)" + engine);
    must_execute(database, std::string{"create table transfer(id bigint"} +
                               (keyed == Keyed::yes ? " primary key" : " not null") +
                               ", cents bigint not null)" + engine);
    must_execute(database,
                 "create table posting(transfer bigint not null, account bigint not null, cents "
                 "bigint not null, serial bigint not null" +
                     std::string{} + (keyed_posting ? " primary key" : "") +
                     writer_columns(product) + ")" + engine);
    std::string rows;
    for (int id = 0; id < money_accounts; ++id)
        rows += (id > 0 ? ",(" : "(") + std::to_string(id) + "," + std::to_string(money_each) + ")";
    must_execute(database, "insert into account(id, cents) values " + rows);
}

Result<std::int64_t> move_money(sql::Transaction& tx, const Transfer& transfer) {
    for (const Values& values : statements_of(transfer)) {
        std::vector<sql::Parameter> parameters;
        for (const std::int64_t& number : values.numbers) parameters.emplace_back(number);
        PERDURE_TRY(tx.execute_with({values.text, parameters}));
    }
    return transfer.id;
}

Result<std::int64_t> move_money_as_text(sql::Transaction& tx, const Transfer& transfer) {
    for (const Values& values : statements_of(transfer))
        PERDURE_TRY(tx.execute(with_values(values)));
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
