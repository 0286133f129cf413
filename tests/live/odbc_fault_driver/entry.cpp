// SPDX-License-Identifier: Apache-2.0
//
// The calls the driver manager makes: handles, links, attributes, diagnostics.
#include <algorithm>
#include <cstring>

#include "live/odbc_fault_driver/server.hpp"

using namespace odbc_fault;

// The standard's own names for parameters say nothing.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

#define ENTRY extern "C" __attribute__((visibility("default")))

namespace {

Connection& connection_of(SQLHANDLE handle) { return *static_cast<Connection*>(handle); }

void copy_text(std::string_view text, void* to, SQLSMALLINT room, SQLSMALLINT* length) {
    if (length) *length = static_cast<SQLSMALLINT>(text.size());
    if (!to || room <= 0) return;
    const std::size_t fits = std::min(text.size(), static_cast<std::size_t>(room - 1));
    std::memcpy(to, text.data(), fits);
    static_cast<char*>(to)[fits] = 0;
}

// What stands behind "Plan=" in the connection string, with or without braces.
std::string planned(std::string_view text) {
    const std::size_t at = text.find("Plan=");
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + 5);
    if (!text.starts_with('{')) return std::string{text.substr(0, text.find(';'))};
    return std::string{text.substr(1, text.find('}') - 1)};
}

}  // namespace

ENTRY SQLRETURN SQLAllocHandle(SQLSMALLINT type, SQLHANDLE above, SQLHANDLE* out) {
    if (type == SQL_HANDLE_ENV) *out = new Environment;
    else if (type == SQL_HANDLE_DBC) *out = new Connection;
    else if (type == SQL_HANDLE_STMT) *out = new Statement{connection_of(above)};
    else return SQL_ERROR;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLFreeHandle(SQLSMALLINT type, SQLHANDLE handle) {
    if (type == SQL_HANDLE_ENV) delete static_cast<Environment*>(handle);
    else if (type == SQL_HANDLE_DBC) delete static_cast<Connection*>(handle);
    else if (type == SQL_HANDLE_STMT) delete static_cast<Statement*>(handle);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLSetEnvAttr(SQLHENV, SQLINTEGER, SQLPOINTER, SQLINTEGER) { return SQL_SUCCESS; }

ENTRY SQLRETURN SQLDriverConnect(SQLHDBC handle, SQLHWND, SQLCHAR* text, SQLSMALLINT length,
                                 SQLCHAR* out, SQLSMALLINT room, SQLSMALLINT* out_length,
                                 SQLUSMALLINT) {
    Connection& connection = connection_of(handle);
    const auto* begin = reinterpret_cast<const char*>(text);
    const std::string_view wish{begin, length == SQL_NTS ? std::strlen(begin)
                                                         : static_cast<std::size_t>(length)};
    if (const std::string wanted = planned(wish); !wanted.empty() && !plan().set(wanted))
        return refuse(connection, {{0, "HY000", "[Fault]the plan cannot be read"}});
    ++counts().opens;
    const auto fault = plan().next(Event::open);
    if (fault && (fault->when == When::hang || fault->when == When::wait)) plan().hang(nullptr);
    else if (fault) return refuse(connection, fault->records);
    connection.open = true;
    ++counts().links;
    copy_text("Driver=fault", out, room, out_length);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLDisconnect(SQLHDBC handle) {
    Connection& connection = connection_of(handle);
    store().roll_back(connection.changes);
    if (connection.open) {
        --counts().links;
        ++counts().closes;
    }
    connection.open = false;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLGetInfo(SQLHDBC, SQLUSMALLINT what, SQLPOINTER out, SQLSMALLINT room,
                           SQLSMALLINT* length) {
    const SQLUINTEGER level = SQL_TXN_READ_COMMITTED;
    const SQLUSMALLINT all = SQL_TC_ALL;
    const SQLSMALLINT closes = SQL_CB_CLOSE;
    switch (what) {
        case SQL_DBMS_NAME: copy_text("Microsoft SQL Server", out, room, length); break;
        case SQL_DRIVER_ODBC_VER: copy_text("03.00", out, room, length); break;
        case SQL_DEFAULT_TXN_ISOLATION: std::memcpy(out, &level, sizeof level); break;
        case SQL_TXN_CAPABLE: std::memcpy(out, &all, sizeof all); break;
        case SQL_CURSOR_COMMIT_BEHAVIOR:
        case SQL_CURSOR_ROLLBACK_BEHAVIOR: std::memcpy(out, &closes, sizeof closes); break;
        default: copy_text("", out, room, length);
    }
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLSetConnectAttr(SQLHDBC handle, SQLINTEGER what, SQLPOINTER value, SQLINTEGER) {
    Connection& connection = connection_of(handle);
    if (what != SQL_ATTR_AUTOCOMMIT) return SQL_SUCCESS;
    connection.autocommit = reinterpret_cast<SQLULEN>(value) == SQL_AUTOCOMMIT_ON;
    // As the standard wants it: what is open then is committed.
    if (connection.autocommit) store().commit(connection.changes);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLGetConnectAttr(SQLHDBC handle, SQLINTEGER what, SQLPOINTER out, SQLINTEGER,
                                  SQLINTEGER*) {
    SQLUINTEGER answer = 0;
    if (what == SQL_ATTR_CONNECTION_DEAD)
        answer = connection_of(handle).dead ? SQL_CD_TRUE : SQL_CD_FALSE;
    std::memcpy(out, &answer, sizeof answer);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLEndTran(SQLSMALLINT type, SQLHANDLE handle, SQLSMALLINT how) {
    if (type != SQL_HANDLE_DBC) return SQL_SUCCESS;
    return end(connection_of(handle), how);
}

ENTRY SQLRETURN SQLGetDiagRec(SQLSMALLINT, SQLHANDLE handle, SQLSMALLINT index, SQLCHAR* state,
                              SQLINTEGER* native, SQLCHAR* message, SQLSMALLINT room,
                              SQLSMALLINT* length) {
    const auto& records = static_cast<Handle*>(handle)->records;
    if (index < 1 || static_cast<std::size_t>(index) > records.size()) return SQL_NO_DATA;
    const Record& record = records[static_cast<std::size_t>(index - 1)];
    copy_text(record.state, state, 6, nullptr);
    if (native) *native = record.native;
    copy_text(record.message, message, room, length);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLGetDiagField(SQLSMALLINT, SQLHANDLE handle, SQLSMALLINT index, SQLSMALLINT what,
                                SQLPOINTER out, SQLSMALLINT room, SQLSMALLINT* length) {
    const auto& records = static_cast<Handle*>(handle)->records;
    if (index == 0 && what == SQL_DIAG_NUMBER) {
        const auto count = static_cast<SQLINTEGER>(records.size());
        std::memcpy(out, &count, sizeof count);
        return SQL_SUCCESS;
    }
    if (index < 1 || static_cast<std::size_t>(index) > records.size()) return SQL_NO_DATA;
    copy_text("", out, room, length);
    return SQL_SUCCESS;
}

// For the tests, which find these by name.

ENTRY int perdure_odbc_fault_plan(const char* text) { return plan().set(text) ? 1 : 0; }
ENTRY void perdure_odbc_fault_release() { plan().release(); }
ENTRY void perdure_odbc_fault_reset() {
    plan().set("");
    store().reset();
    Counts& all = counts();
    for (auto* one : {&all.opens, &all.closes, &all.executes, &all.prepares, &all.commits,
                      &all.rollbacks, &all.cancels})
        *one = 0;
}
ENTRY long perdure_odbc_fault_count(const char* what) {
    const std::string_view name{what};
    Counts& all = counts();
    if (name == "opens") return all.opens;
    if (name == "links") return all.links;
    if (name == "closes") return all.closes;
    if (name == "executes") return all.executes;
    if (name == "prepares") return all.prepares;
    if (name == "commits") return all.commits;
    if (name == "rollbacks") return all.rollbacks;
    if (name == "cancels") return all.cancels;
    if (name == "rows") return store().rows({});
    if (name == "tokens") return store().committed_tokens();
    return -1;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
