// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "sql/odbc/link.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

constexpr std::size_t batch_bytes = 65'536;
constexpr std::size_t batch_fields = 4096;

std::string type_name(SQLHSTMT statement, SQLUSMALLINT index) {
    std::array<char, 64> name{};
    SQLSMALLINT length = 0;
    if (!SQL_SUCCEEDED(SQLColAttribute(statement, index, SQL_DESC_TYPE_NAME, name.data(),
                                       static_cast<SQLSMALLINT>(name.size()), &length, nullptr)))
        return {};
    name.back() = 0;
    return name.data();
}

// An unsigned 64-bit number may be more than ours: it stays text, as numeric does.
bool is_unsigned(SQLHSTMT statement, SQLUSMALLINT index) {
    SQLLEN answer = SQL_FALSE;
    return SQL_SUCCEEDED(SQLColAttribute(statement, index, SQL_DESC_UNSIGNED, nullptr, 0, nullptr,
                                         &answer)) &&
           answer == SQL_TRUE;
}

Kind kind_of(SQLHSTMT statement, SQLUSMALLINT index, SQLSMALLINT type) {
    switch (type) {
        case SQL_BIT: return Kind::boolean;
        case SQL_TINYINT:
        case SQL_SMALLINT:
        case SQL_INTEGER: return Kind::integer;
        case SQL_BIGINT: return is_unsigned(statement, index) ? Kind::text : Kind::integer;
        case SQL_REAL:
        case SQL_FLOAT:
        case SQL_DOUBLE: return Kind::real;
        case SQL_BINARY:
        case SQL_VARBINARY:
        case SQL_LONGVARBINARY: return Kind::bytes;
        // psqlODBC describes a boolean as text unless told otherwise.
        case SQL_CHAR:
        case SQL_VARCHAR: return type_name(statement, index) == "bool" ? Kind::boolean : Kind::text;
        default: return Kind::text;
    }
}

struct Columns {
    std::vector<std::string> names{};
    std::vector<Kind> kinds{};
};

SQLRETURN describe(SQLHSTMT statement, Columns& columns) {
    SQLSMALLINT count = 0;
    SQLRETURN rc = SQLNumResultCols(statement, &count);
    for (SQLSMALLINT i = 1; i <= count && SQL_SUCCEEDED(rc); ++i) {
        std::array<SQLCHAR, 512> name{};
        SQLSMALLINT length = 0;
        SQLSMALLINT type = 0;
        SQLSMALLINT digits = 0;
        SQLSMALLINT nullable = 0;
        SQLULEN size = 0;
        const auto index = static_cast<SQLUSMALLINT>(i);
        rc = SQLDescribeCol(statement, index, name.data(), static_cast<SQLSMALLINT>(name.size()),
                            &length, &type, &size, &digits, &nullable);
        name.back() = 0;
        columns.names.emplace_back(reinterpret_cast<const char*>(name.data()));
        columns.kinds.push_back(kind_of(statement, index, type));
    }
    return rc;
}

// Text and bytes of any length, piece by piece.
SQLRETURN read_long(SQLHSTMT statement, SQLUSMALLINT index, Batch& batch, Batch::Field& field) {
    const SQLSMALLINT type = field.kind == Kind::bytes ? SQL_C_BINARY : SQL_C_CHAR;
    const std::size_t end_mark = type == SQL_C_CHAR ? 1 : 0;
    std::array<char, 4096> piece;
    field.at = batch.bytes.size();
    for (;;) {
        SQLLEN left = 0;
        const SQLRETURN rc = SQLGetData(statement, index, type, piece.data(), piece.size(), &left);
        if (rc == SQL_NO_DATA) break;
        if (!SQL_SUCCEEDED(rc)) return rc;
        if (left == SQL_NULL_DATA) {
            field.kind = Kind::null;
            return rc;
        }
        const std::size_t room = piece.size() - end_mark;
        const bool more = left == SQL_NO_TOTAL || static_cast<std::size_t>(left) > room;
        batch.bytes.append(piece.data(), more ? room : static_cast<std::size_t>(left));
        if (!more) break;
    }
    field.size = batch.bytes.size() - field.at;
    return SQL_SUCCESS;
}

SQLRETURN read_field(SQLHSTMT statement, SQLUSMALLINT index, Batch& batch, Batch::Field& field) {
    SQLLEN length = 0;
    unsigned char bit = 0;
    SQLRETURN rc = SQL_SUCCESS;
    switch (field.kind) {
        case Kind::boolean:
            rc = SQLGetData(statement, index, SQL_C_BIT, &bit, sizeof bit, &length);
            field.integer = bit != 0 ? 1 : 0;
            break;
        case Kind::integer:
            rc = SQLGetData(statement, index, SQL_C_SBIGINT, &field.integer, sizeof field.integer,
                            &length);
            break;
        case Kind::real:
            rc =
                SQLGetData(statement, index, SQL_C_DOUBLE, &field.real, sizeof field.real, &length);
            break;
        default: return read_long(statement, index, batch, field);
    }
    if (length == SQL_NULL_DATA) field = {};
    return rc;
}

SQLRETURN read_row(SQLHSTMT statement, const Columns& columns, Batch& batch) {
    for (std::size_t i = 0; i < columns.kinds.size(); ++i) {
        Batch::Field field{.kind = columns.kinds[i]};
        const SQLRETURN rc = read_field(statement, static_cast<SQLUSMALLINT>(i + 1), batch, field);
        if (!SQL_SUCCEEDED(rc)) return rc;
        batch.fields.push_back(field);
    }
    return SQL_SUCCESS;
}

}  // namespace

SQLRETURN fetch(SQLHSTMT statement, Job& job, std::int64_t& rows, bool& wanted) {
    Columns columns;
    if (const SQLRETURN rc = describe(statement, columns); !SQL_SUCCEEDED(rc)) return SQL_ERROR;
    Batch batch{.names = columns.names, .columns = columns.kinds.size()};
    SQLRETURN rc = SQL_SUCCESS;
    while (SQL_SUCCEEDED(rc = SQLFetch(statement))) {
        if (!SQL_SUCCEEDED(read_row(statement, columns, batch))) return SQL_ERROR;
        ++rows;
        if (batch.bytes.size() < batch_bytes && batch.fields.size() < batch_fields) continue;
        wanted = job.hand_over(std::move(batch));
        if (!wanted) return SQL_SUCCESS;
        batch = {.columns = columns.kinds.size()};
    }
    if (rc != SQL_NO_DATA) return SQL_ERROR;
    if (!batch.empty()) wanted = job.hand_over(std::move(batch));
    return SQL_SUCCESS;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
