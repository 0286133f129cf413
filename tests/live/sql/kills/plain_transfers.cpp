// SPDX-License-Identifier: Apache-2.0
//
// The transfers of the money test made with plain Connector/C: no Perdure, no proxy. scripts/mariadb-kills
// kills and restarts the server meanwhile and checks the tables afterwards.
//
//     plain_transfers PORT FIRST SEED [prepared] [kills]
//
// Eight threads make transfers, numbered from FIRST, until standard input ends. Each transfer is repeated
// until it is committed; its token makes a second COMMIT fail as a duplicate. Then one line of JSON says
// how many transfers and attempts there were, and how many sessions `kills` has ended.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include <mysql.h>

namespace {

constexpr int threads = 8;
constexpr std::uint64_t accounts = 2048;
constexpr std::uint64_t crowded_accounts = 6;
constexpr unsigned duplicate_key = 1062;
constexpr unsigned first_client_error = 2000;
constexpr unsigned last_client_error = 2999;
constexpr unsigned killed_session = 1927;
constexpr unsigned shutting_down = 1053;

struct Options {
    unsigned port = 0;
    std::uint64_t seed = 0;
    bool prepared = false;
    bool kills = false;
    bool rollbacks = false;  // of every other attempt, as after the lost COMMITs of the money test
};

struct Totals {
    std::atomic<std::int64_t> next{0};
    std::atomic<std::int64_t> transfers{0};
    std::atomic<std::int64_t> attempts{0};
    std::atomic<std::int64_t> ended{0};
    std::atomic<bool> stop{false};
};

struct Transfer {
    std::int64_t id = 0, cents = 0, first = 0, second = 0;
    std::string token{};
};

void pause(int milliseconds) { ::poll(nullptr, 0, milliseconds); }

struct Close {
    void operator()(MYSQL* mysql) const noexcept { mysql_close(mysql); }
    void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
};
using Handle = std::unique_ptr<MYSQL, Close>;
using Prepared = std::unique_ptr<MYSQL_STMT, Close>;

// The statements of a transfer with their parameters, for both protocols.
enum class Which : std::uint8_t { transfer, first_account, posting, second_account };
constexpr std::array<std::string_view, 4> texts{
    "insert into transfer(id, cents) values (?, ?)",
    "update account set cents = cents - ? where id = ?",
    "insert into posting(transfer, account, cents) values (?, ?, ?)",
    "update account set cents = cents + ? where id = ?"};

std::string with_values(std::string_view text, const std::vector<std::int64_t>& values) {
    std::string filled;
    auto value = values.begin();
    for (const char c : text)
        if (c == '?') filled += std::to_string(*value++);
        else filled += c;
    return filled;
}

// One session. A function returns the server's or the client's error number, or 0.
class Session {
public:
    Session(Handle handle, bool prepared) : handle_{std::move(handle)}, use_prepared_{prepared} {}

    unsigned query(const std::string& text) {
        int more = mysql_real_query(handle_.get(), text.data(), text.size());
        while (more == 0) {
            if (MYSQL_RES* const rows = mysql_store_result(handle_.get())) mysql_free_result(rows);
            more = mysql_next_result(handle_.get());
        }
        return more > 0 ? mysql_errno(handle_.get()) : 0;
    }
    unsigned run(Which which, const std::vector<std::int64_t>& values) {
        const std::string_view text = texts[static_cast<std::size_t>(which)];
        return use_prepared_ ? run_prepared(which, text, values) : query(with_values(text, values));
    }
    // The first column of the first row; empty if there is no row.
    std::string first_cell(const std::string& text) {
        if (mysql_real_query(handle_.get(), text.data(), text.size()) != 0) return {};
        const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> rows{
            mysql_store_result(handle_.get()), mysql_free_result};
        const MYSQL_ROW row = rows ? mysql_fetch_row(rows.get()) : nullptr;
        return row && row[0] ? row[0] : "";
    }

private:
    unsigned run_prepared(Which which, std::string_view text,
                          const std::vector<std::int64_t>& values) {
        Prepared& statement = prepared_[static_cast<std::size_t>(which)];
        if (!statement) {
            statement.reset(mysql_stmt_init(handle_.get()));
            if (mysql_stmt_prepare(statement.get(), text.data(), text.size()) != 0) {
                const unsigned error = mysql_stmt_errno(statement.get());
                statement.reset();
                return error;
            }
        }
        std::vector<MYSQL_BIND> binds(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
            binds[i].buffer = const_cast<std::int64_t*>(&values[i]);  // only read from
        }
        if (mysql_stmt_bind_param(statement.get(), binds.data()) != 0 ||
            mysql_stmt_execute(statement.get()) != 0)
            return mysql_stmt_errno(statement.get());
        return 0;
    }

    Handle handle_;
    bool use_prepared_;
    std::array<Prepared, texts.size()> prepared_;
};

// Tries again while the server is down.
std::unique_ptr<Session> connect(const Options& options) {
    for (;;) {
        Handle handle{mysql_init(nullptr)};
        const unsigned connect_seconds = 2;
        const unsigned read_seconds = 20;
        const my_bool off = 0;
        mysql_optionsv(handle.get(), MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
        mysql_optionsv(handle.get(), MYSQL_OPT_READ_TIMEOUT, &read_seconds);
        mysql_optionsv(handle.get(), MYSQL_OPT_RECONNECT, &off);
        if (mysql_real_connect(handle.get(), "127.0.0.1", "root", "", "test", options.port, nullptr,
                               CLIENT_MULTI_STATEMENTS))
            return std::make_unique<Session>(std::move(handle), options.prepared);
        pause(10);
    }
}

Transfer choose(std::mt19937_64& random, std::int64_t id) {
    constexpr std::array<char, 17> digits{"0123456789abcdef"};
    Transfer transfer{.id = id, .cents = 1 + static_cast<std::int64_t>(random() % 100)};
    const std::uint64_t among = random() % 16 == 0 ? crowded_accounts : accounts;
    const std::uint64_t first = random() % among;
    transfer.first = static_cast<std::int64_t>(first);
    transfer.second = static_cast<std::int64_t>((first + 1 + random() % (among - 1)) % among);
    for (int i = 0; i < 32; ++i) transfer.token += digits[random() % 16];
    return transfer;
}

unsigned attempt(Session& session, const Transfer& transfer, std::string_view end) {
    const std::int64_t cents = transfer.cents;
    unsigned error = session.query(
        "SET SESSION innodb_lock_wait_timeout=2,SESSION max_statement_time=3;START TRANSACTION;"
        "INSERT INTO perdure_token (token) VALUES (x'" +
        transfer.token + "')");
    if (error == 0) error = session.run(Which::transfer, {transfer.id, cents});
    if (error == 0) error = session.run(Which::first_account, {cents, transfer.first});
    if (error == 0) error = session.run(Which::posting, {transfer.id, transfer.first, -cents});
    if (error == 0) error = session.run(Which::second_account, {cents, transfer.second});
    if (error == 0) error = session.run(Which::posting, {transfer.id, transfer.second, cents});
    return error == 0 ? session.query(std::string{end}) : error;
}

bool ends_session(unsigned error) {
    return (error >= first_client_error && error <= last_client_error) || error == killed_session ||
           error == shutting_down;
}

// The only unique key that a second attempt can meet is the token: it comes first.
void work(const Options& options, Totals& totals, std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::unique_ptr<Session> session;
    while (!totals.stop) {
        const Transfer transfer = choose(random, totals.next++);
        for (bool done = false; !done;) {
            if (!session) session = connect(options);
            ++totals.attempts;
            const bool undo = options.rollbacks && random() % 2 == 0;
            const unsigned error = attempt(*session, transfer, undo ? "ROLLBACK" : "COMMIT");
            done = (error == 0 && !undo) || error == duplicate_key;
            if (ends_session(error) || (error != 0 && session->query("ROLLBACK") != 0))
                session.reset();
        }
        ++totals.transfers;
    }
}

void end_sessions(const Options& options, Totals& totals) {
    std::unique_ptr<Session> session = connect(options);
    while (!totals.stop) {
        pause(100);
        const std::string order = session->first_cell(
            "select concat('kill ', id) from information_schema.processlist where user = 'root' "
            "and id <> connection_id() order by rand() limit 1");
        const unsigned error = session->query(order.empty() ? "do 0" : order);
        if (!order.empty() && error == 0) ++totals.ended;
        if (ends_session(error)) session = connect(options);
    }
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) {
        std::cerr << "usage: plain_transfers PORT FIRST SEED [prepared] [kills] [rollbacks]\n";
        return 2;
    }
    Options options{.port = static_cast<unsigned>(std::atoi(words[1])),
                    .seed = std::strtoull(words[3], nullptr, 10)};
    for (int i = 4; i < count; ++i) {
        options.prepared |= std::string_view{words[i]} == "prepared";
        options.kills |= std::string_view{words[i]} == "kills";
        options.rollbacks |= std::string_view{words[i]} == "rollbacks";
    }
    mysql_library_init(0, nullptr, nullptr);
    Totals totals;
    totals.next = std::atoll(words[2]);
    {
        std::vector<std::jthread> all;
        for (std::uint64_t i = 0; i < threads; ++i)
            all.emplace_back([&, i] { work(options, totals, options.seed * 1'000 + i); });
        if (options.kills) all.emplace_back([&] { end_sessions(options, totals); });
        std::array<char, 64> ignored{};
        while (::read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) {}
        totals.stop = true;
    }
    std::cout << R"({"transfers": )" << totals.transfers << R"(, "attempts": )" << totals.attempts
              << R"(, "ended": )" << totals.ended << R"(, "next": )" << totals.next << "}\n";
    return 0;
}
