// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sql/odbc/link.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

constexpr std::size_t most_inline = 8000;  // of SQL Server's varchar and varbinary

struct Shape {
    SQLSMALLINT c_type = SQL_C_CHAR;
    SQLSMALLINT sql_type = SQL_VARCHAR;
    SQLULEN size = 1;
    SQLPOINTER at = nullptr;
    SQLLEN length = SQL_NULL_DATA;
};

bool is_ascii(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
}

SQLPOINTER at(const void* value) noexcept { return const_cast<void*>(value); }

// SQL Server converts no text to bytes, not even a null one, so it is asked for the type.
Shape null_shape(SQLHSTMT statement, Product product, SQLUSMALLINT index) {
    Shape shape;
    SQLSMALLINT digits = 0;
    SQLSMALLINT nullable = 0;
    if (product == Product::sqlserver)
        SQLDescribeParam(statement, index, &shape.sql_type, &shape.size, &digits, &nullable);
    return shape;
}

Shape text_shape(Product product, const std::string& text) {
    const bool is_long = text.size() > most_inline;
    SQLSMALLINT type = is_long ? SQL_LONGVARCHAR : SQL_VARCHAR;
    // Its varchar has a code page; what is beyond ASCII goes as nvarchar.
    if (product == Product::sqlserver && !is_ascii(text))
        type = is_long ? SQL_WLONGVARCHAR : SQL_WVARCHAR;
    return {.c_type = SQL_C_CHAR,
            .sql_type = type,
            .size = std::max<SQLULEN>(text.size(), 1),
            .at = at(text.data()),
            .length = static_cast<SQLLEN>(text.size())};
}

Shape shape_of(SQLHSTMT statement, Product product, SQLUSMALLINT index, const Value& value,
               unsigned char& bit) {
    switch (value.kind) {
        case Kind::null: return null_shape(statement, product, index);
        case Kind::boolean:
            bit = value.integer != 0 ? 1 : 0;
            return {SQL_C_BIT, SQL_BIT, 1, &bit, 1};
        case Kind::integer:
            return {SQL_C_SBIGINT, SQL_BIGINT, 19, at(&value.integer), sizeof value.integer};
        case Kind::real: return {SQL_C_DOUBLE, SQL_DOUBLE, 15, at(&value.real), sizeof value.real};
        case Kind::text: return text_shape(product, value.bytes);
        case Kind::bytes: break;
    }
    return {.c_type = SQL_C_BINARY,
            .sql_type = static_cast<SQLSMALLINT>(
                value.bytes.size() > most_inline ? SQL_LONGVARBINARY : SQL_VARBINARY),
            .size = std::max<SQLULEN>(value.bytes.size(), 1),
            .at = at(value.bytes.data()),
            .length = static_cast<SQLLEN>(value.bytes.size())};
}

}  // namespace

SQLRETURN bind(SQLHSTMT statement, Product product, const std::vector<Value>& values,
               Bound& bound) {
    bound.lengths.resize(values.size());
    bound.bits.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto index = static_cast<SQLUSMALLINT>(i + 1);
        const Shape shape = shape_of(statement, product, index, values[i], bound.bits[i]);
        bound.lengths[i] = shape.length;
        const SQLRETURN rc = SQLBindParameter(statement, index, SQL_PARAM_INPUT, shape.c_type,
                                              shape.sql_type, shape.size, 0, shape.at,
                                              std::max<SQLLEN>(shape.length, 0), &bound.lengths[i]);
        if (!SQL_SUCCEEDED(rc)) return rc;
    }
    return SQL_SUCCESS;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
