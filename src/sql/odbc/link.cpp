// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/link.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// States that say nothing about the link: the driver need not be asked about it.
bool spares_the_link(const std::vector<Record>& records) {
    return std::ranges::any_of(records, [](const Record& one) {
        return one.state.starts_with("22") || one.state.starts_with("23") ||
               one.state.starts_with("42");
    });
}

}  // namespace

std::vector<Record> records_of(SQLSMALLINT kind, SQLHANDLE handle) {
    std::vector<Record> records;
    constexpr SQLSMALLINT most = 32;
    for (SQLSMALLINT i = 1; i <= most; ++i) {
        std::array<SQLCHAR, 6> state{};
        std::array<SQLCHAR, 1024> message{};
        SQLINTEGER native = 0;
        SQLSMALLINT length = 0;
        if (!SQL_SUCCEEDED(SQLGetDiagRec(kind, handle, i, state.data(), &native, message.data(),
                                         static_cast<SQLSMALLINT>(message.size()), &length)))
            break;
        message.back() = 0;
        records.push_back({.state = reinterpret_cast<const char*>(state.data()),
                           .native = native,
                           .message = reinterpret_cast<const char*>(message.data())});
    }
    return records;
}

void Running::set(SQLHSTMT statement) {
    const std::lock_guard lock{mutex_};
    statement_ = statement;
}

void Running::cancel() {
    const std::lock_guard lock{mutex_};
    if (statement_) SQLCancel(statement_);
}

Link::Link(std::size_t prepared_statements, Running& running)
    : most_prepared_{std::max<std::size_t>(prepared_statements, 1)},
      running_{running},
      environment_{SQL_NULL_HANDLE} {
    if (environment_)
        SQLSetEnvAttr(environment_.get(), SQL_ATTR_ODBC_VERSION, number(SQL_OV_ODBC3), 0);
}

Link::~Link() {
    prepared_.clear();
    if (!connected_) return;
    // An open transaction would keep the driver manager from disconnecting.
    if (!SQL_SUCCEEDED(SQLDisconnect(connection_.get()))) {
        SQLEndTran(SQL_HANDLE_DBC, connection_.get(), SQL_ROLLBACK);
        SQLDisconnect(connection_.get());
    }
}

Reply Link::failed_at(SQLSMALLINT kind, SQLHANDLE handle) {
    auto records = records_of(kind, handle);
    // psqlODBC keeps some of a dead link's words at the connection.
    if (records.empty() && kind == SQL_HANDLE_STMT)
        records = records_of(SQL_HANDLE_DBC, connection_.get());
    const Life now = spares_the_link(records) ? Life::alive : life();
    return Reply::failed(std::move(records), now);
}

Life Link::life() {
    if (!connected_) return Life::dead;
    SQLUINTEGER dead = SQL_CD_FALSE;
    const SQLRETURN rc =
        SQLGetConnectAttr(connection_.get(), SQL_ATTR_CONNECTION_DEAD, &dead, sizeof dead, nullptr);
    return SQL_SUCCEEDED(rc) && dead == SQL_CD_TRUE ? Life::dead : Life::alive;
}

Reply Link::connect(const std::string& connection_string, std::uint32_t timeout) {
    connection_ = Connection{environment_.get()};
    if (!connection_)
        return Reply::failed(records_of(SQL_HANDLE_ENV, environment_.get()), Life::dead);
    if (timeout > 0)
        SQLSetConnectAttr(connection_.get(), SQL_ATTR_LOGIN_TIMEOUT, number(timeout), 0);
    const SQLRETURN rc = SQLDriverConnect(connection_.get(), nullptr, in(connection_string),
                                          static_cast<SQLSMALLINT>(connection_string.size()),
                                          nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT);
    if (!SQL_SUCCEEDED(rc))
        return Reply::failed(records_of(SQL_HANDLE_DBC, connection_.get()), Life::dead);
    connected_ = true;
    learn();
    return {.dbms = dbms_};
}

void Link::learn() {
    std::array<char, 256> name{};
    SQLSMALLINT length = 0;
    if (SQL_SUCCEEDED(SQLGetInfo(connection_.get(), SQL_DBMS_NAME, name.data(),
                                 static_cast<SQLSMALLINT>(name.size()), &length)))
        dbms_ = name.data();
    product_ = product_of(dbms_);
    SQLUINTEGER isolation = 0;
    if (SQL_SUCCEEDED(SQLGetInfo(connection_.get(), SQL_DEFAULT_TXN_ISOLATION, &isolation,
                                 sizeof isolation, nullptr)))
        default_isolation_ = isolation_ = isolation;
}

Reply Link::prepared(const Order& order, std::list<Prepared>::iterator& found) {
    found = std::ranges::find(prepared_, order.text, &Prepared::text);
    if (found != prepared_.end()) {
        prepared_.splice(prepared_.begin(), prepared_, found);
        return {};
    }
    Prepared fresh{.text = order.text, .handle = StatementHandle{connection_.get()}};
    if (!fresh.handle) return failed_at(SQL_HANDLE_DBC, connection_.get());
    const SQLHSTMT statement = fresh.handle.get();
    if (!SQL_SUCCEEDED(SQLPrepare(statement, in(order.text), SQL_NTS)) ||
        !SQL_SUCCEEDED(SQLNumParams(statement, &fresh.placeholders)))
        return failed_at(SQL_HANDLE_STMT, statement);
    prepared_.push_front(std::move(fresh));
    found = prepared_.begin();
    if (prepared_.size() > most_prepared_) prepared_.pop_back();
    return {};
}

void Link::forget(std::list<Prepared>::iterator which) { prepared_.erase(which); }

Reply Link::run(const Order& order, Job& job) {
    std::list<Prepared>::iterator found;
    if (Reply reply = prepared(order, found); !reply.good) return reply;
    if (static_cast<std::size_t>(found->placeholders) != order.values.size())
        return {.good = false, .placeholders = found->placeholders};
    const SQLHSTMT statement = found->handle.get();
    // psqlODBC would make of the timeout a setting of the session, MariaDB's driver a part of the
    // prepared text; there the limits of the transaction and our own deadline serve.
    if (product_ == Product::sqlserver || product_ == Product::odbc)
        SQLSetStmtAttr(statement, SQL_ATTR_QUERY_TIMEOUT, number(order.timeout), 0);
    Bound bound;
    Reply reply = SQL_SUCCEEDED(bind(statement, product_, order.values, bound))
                      ? carry_out(statement, nullptr, job)
                      : failed_at(SQL_HANDLE_STMT, statement);
    SQLFreeStmt(statement, SQL_CLOSE);
    SQLFreeStmt(statement, SQL_RESET_PARAMS);
    // A plan that failed may be stale: the next one is made anew.
    if (!reply.good) forget(found);
    return reply;
}

Reply Link::carry_out(SQLHSTMT statement, const std::string* direct, Job& job) {
    job.mark_sent();
    running_.set(statement);
    Reply reply;
    bool wanted = true;
    bool first = true;
    bool given = false;  // rows: only those of the first result that has any columns
    SQLRETURN rc = direct ? SQLExecDirect(statement, in(*direct), SQL_NTS) : SQLExecute(statement);
    // Errors of a batch come with the result they belong to, so every result is looked at.
    while (SQL_SUCCEEDED(rc) || (rc == SQL_NO_DATA && first)) {
        first = false;
        SQLSMALLINT columns = 0;
        SQLLEN changed = 0;
        SQLNumResultCols(statement, &columns);
        if (columns > 0 && !std::exchange(given, true))
            rc = fetch(statement, job, reply.done.affected, wanted);
        else if (columns == 0 && rc != SQL_NO_DATA &&
                 SQL_SUCCEEDED(SQLRowCount(statement, &changed)) && changed > 0)
            reply.done.affected += changed;
        if (rc == SQL_ERROR || !wanted) break;
        rc = SQLMoreResults(statement);
    }
    running_.set(SQL_NULL_HANDLE);
    const bool good = rc == SQL_NO_DATA || SQL_SUCCEEDED(rc) || !wanted;
    return good ? reply : failed_at(SQL_HANDLE_STMT, statement);
}

Reply Link::direct(const std::string& text, Job& job) {
    const StatementHandle statement{connection_.get()};
    if (!statement) return failed_at(SQL_HANDLE_DBC, connection_.get());
    return carry_out(statement.get(), &text, job);
}

Reply Link::set_autocommit(SQLULEN value) {
    if (SQL_SUCCEEDED(SQLSetConnectAttr(connection_.get(), SQL_ATTR_AUTOCOMMIT, number(value),
                                        SQL_IS_UINTEGER)))
        return {};
    return failed_at(SQL_HANDLE_DBC, connection_.get());
}

Reply Link::set_isolation(SQLUINTEGER isolation) {
    // SQLite has one only, the strictest.
    const SQLUINTEGER wanted = isolation == 0 ? default_isolation_ : isolation;
    if (product_ == Product::sqlite || wanted == isolation_ || wanted == 0) return {};
    if (!SQL_SUCCEEDED(SQLSetConnectAttr(connection_.get(), SQL_ATTR_TXN_ISOLATION, number(wanted),
                                         SQL_IS_UINTEGER)))
        return failed_at(SQL_HANDLE_DBC, connection_.get());
    isolation_ = wanted;
    return {};
}

Reply Link::begin(SQLUINTEGER isolation, const std::vector<std::string>& texts, Job& job) {
    Reply reply = set_isolation(isolation);
    if (reply.good) reply = set_autocommit(SQL_AUTOCOMMIT_OFF);
    for (const std::string& text : texts)
        if (reply.good) reply = direct(text, job);
    return reply;
}

// What could not be committed may still be open, and to switch autocommit on would commit it.
Life Link::clean_up(Ending failed) {
    const bool closed = failed == Ending::commit &&
                        SQL_SUCCEEDED(SQLEndTran(SQL_HANDLE_DBC, connection_.get(), SQL_ROLLBACK));
    return closed && set_autocommit(SQL_AUTOCOMMIT_ON).good ? Life::alive : Life::dead;
}

Reply Link::end(Ending ending) {
    const bool committing = ending == Ending::commit;
    const SQLRETURN rc =
        SQLEndTran(SQL_HANDLE_DBC, connection_.get(), committing ? SQL_COMMIT : SQL_ROLLBACK);
    if (!SQL_SUCCEEDED(rc)) {
        Reply reply = failed_at(SQL_HANDLE_DBC, connection_.get());
        if (reply.life == Life::alive) reply.life = clean_up(ending);
        return reply;
    }
    // psqlODBC calls the end of a dead link's transaction a success.
    if (life() == Life::dead)
        return Reply::failed(
            {{.state = "08007", .message = "the link was dead when the transaction had ended"}},
            Life::dead);
    Reply reply = set_autocommit(SQL_AUTOCOMMIT_ON);
    // The transaction has ended well; what is left of the session has not.
    if (!reply.good) return {.life = Life::dead};
    return reply;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
