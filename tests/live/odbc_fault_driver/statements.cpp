// SPDX-License-Identifier: Apache-2.0
//
// The calls the driver manager makes: statements, parameters, rows.
#include <algorithm>
#include <cstring>

#include "live/odbc_fault_driver/server.hpp"

using namespace odbc_fault;

// The standard's own names for parameters say nothing.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

#define ENTRY extern "C" __attribute__((visibility("default")))

namespace {

Statement& statement_of(SQLHANDLE handle) { return *static_cast<Statement*>(handle); }

std::string text_of(const SQLCHAR* text, SQLINTEGER length) {
    const auto* begin = reinterpret_cast<const char*>(text);
    return length == SQL_NTS ? std::string{begin}
                             : std::string{begin, static_cast<std::size_t>(length)};
}

template <class T>
SQLRETURN give(T value, SQLPOINTER out, SQLLEN* length) {
    std::memcpy(out, &value, sizeof value);
    if (length) *length = sizeof value;
    return SQL_SUCCESS;
}

SQLRETURN give_piece(Statement& statement, const std::string& bytes, SQLSMALLINT type,
                     SQLPOINTER out, SQLLEN room, SQLLEN* length) {
    const std::size_t mark = type == SQL_C_CHAR ? 1 : 0;
    const std::size_t left = bytes.size() - statement.given;
    if (statement.given > 0 && left == 0) return SQL_NO_DATA;
    const std::size_t fits = std::min(left, static_cast<std::size_t>(room) - mark);
    std::memcpy(out, bytes.data() + statement.given, fits);
    if (mark) static_cast<char*>(out)[fits] = 0;
    if (length) *length = static_cast<SQLLEN>(left);
    statement.given += fits;
    return fits < left ? SQL_SUCCESS_WITH_INFO : SQL_SUCCESS;
}

}  // namespace

ENTRY SQLRETURN SQLPrepare(SQLHSTMT handle, SQLCHAR* text, SQLINTEGER length) {
    ++counts().prepares;
    statement_of(handle).text = text_of(text, length);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLExecute(SQLHSTMT handle) { return execute(statement_of(handle)); }

ENTRY SQLRETURN SQLExecDirect(SQLHSTMT handle, SQLCHAR* text, SQLINTEGER length) {
    statement_of(handle).text = text_of(text, length);
    return execute(statement_of(handle));
}

ENTRY SQLRETURN SQLNumParams(SQLHSTMT handle, SQLSMALLINT* out) {
    *out = placeholders(statement_of(handle).text);
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLDescribeParam(SQLHSTMT, SQLUSMALLINT, SQLSMALLINT* type, SQLULEN* size,
                                 SQLSMALLINT* digits, SQLSMALLINT* nullable) {
    *type = SQL_VARBINARY;
    *size = 16;
    *digits = 0;
    *nullable = SQL_NULLABLE;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLBindParameter(SQLHSTMT handle, SQLUSMALLINT index, SQLSMALLINT,
                                 SQLSMALLINT c_type, SQLSMALLINT, SQLULEN, SQLSMALLINT,
                                 SQLPOINTER at, SQLLEN, SQLLEN* length) {
    auto& parameters = statement_of(handle).parameters;
    parameters.resize(std::max<std::size_t>(parameters.size(), index));
    parameters[index - 1u] = {c_type, at, length};
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLFreeStmt(SQLHSTMT handle, SQLUSMALLINT what) {
    Statement& statement = statement_of(handle);
    if (what == SQL_DROP) delete &statement;
    else if (what == SQL_RESET_PARAMS) statement.parameters.clear();
    else if (what == SQL_CLOSE) statement.rows.clear();
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLSetStmtAttr(SQLHSTMT handle, SQLINTEGER what, SQLPOINTER value, SQLINTEGER) {
    if (what == SQL_ATTR_QUERY_TIMEOUT)
        statement_of(handle).timeout = reinterpret_cast<SQLULEN>(value);
    return SQL_SUCCESS;
}

// The driver manager asks for descriptors, which it needs to exist and nothing more.
ENTRY SQLRETURN SQLGetStmtAttr(SQLHSTMT handle, SQLINTEGER, SQLPOINTER out, SQLINTEGER,
                               SQLINTEGER*) {
    *static_cast<SQLHSTMT*>(out) = handle;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLCancel(SQLHSTMT handle) {
    ++counts().cancels;
    plan().wake([&] { statement_of(handle).cancelled = true; });
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLNumResultCols(SQLHSTMT handle, SQLSMALLINT* out) {
    *out = static_cast<SQLSMALLINT>(statement_of(handle).columns.size());
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLRowCount(SQLHSTMT handle, SQLLEN* out) {
    *out = statement_of(handle).affected;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLDescribeCol(SQLHSTMT handle, SQLUSMALLINT index, SQLCHAR* name, SQLSMALLINT room,
                               SQLSMALLINT* length, SQLSMALLINT* type, SQLULEN* size,
                               SQLSMALLINT* digits, SQLSMALLINT* nullable) {
    const std::string text = "c" + std::to_string(index);
    if (static_cast<std::size_t>(room) > text.size())
        std::memcpy(name, text.c_str(), text.size() + 1);
    *length = static_cast<SQLSMALLINT>(text.size());
    *type = statement_of(handle).columns.at(index - 1u);
    *size = 100;
    *digits = 0;
    *nullable = SQL_NULLABLE;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLColAttribute(SQLHSTMT, SQLUSMALLINT, SQLUSMALLINT, SQLPOINTER text,
                                SQLSMALLINT room, SQLSMALLINT* length, SQLLEN* value) {
    if (text && room > 0) *static_cast<char*>(text) = 0;
    if (length) *length = 0;
    if (value) *value = SQL_FALSE;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLFetch(SQLHSTMT handle) {
    Statement& statement = statement_of(handle);
    statement.reading = 0;
    if (statement.next_row >= statement.rows.size()) return SQL_NO_DATA;
    ++statement.next_row;
    return SQL_SUCCESS;
}

ENTRY SQLRETURN SQLGetData(SQLHSTMT handle, SQLUSMALLINT index, SQLSMALLINT type, SQLPOINTER out,
                           SQLLEN room, SQLLEN* length) {
    Statement& statement = statement_of(handle);
    if (statement.reading != index) statement.given = 0;
    statement.reading = index;
    const Field& field = statement.rows.at(statement.next_row - 1).at(index - 1u);
    if (field.is_null) {
        *length = SQL_NULL_DATA;
        return SQL_SUCCESS;
    }
    switch (type) {
        case SQL_C_SBIGINT: return give(field.integer, out, length);
        case SQL_C_DOUBLE: return give(field.real, out, length);
        case SQL_C_BIT: return give(static_cast<unsigned char>(field.integer), out, length);
        default: return give_piece(statement, field.bytes, type, out, room, length);
    }
}

ENTRY SQLRETURN SQLMoreResults(SQLHSTMT) { return SQL_NO_DATA; }

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
