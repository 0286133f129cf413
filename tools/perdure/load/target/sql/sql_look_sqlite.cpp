// SPDX-License-Identifier: Apache-2.0
//
// SQLite: what a column is called decides what it keeps (its affinity).
#include <algorithm>
#include <string>

#include "load/target/sql/sql_look.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

// By the rules of sqlite.org/datatype3.html, 3.1. What would be kept as a number although it was given
// as text (dates, decimals, "json") is its own affair.
Type type_of(const std::string& declared) {
    const std::string name = lower(declared);
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    // "json text", "date text": as a load makes them.
    if (name.ends_with(" text"))
        if (const auto type = type_named(std::string_view{name}.substr(0, name.size() - 5)))
            return *type;
    if (has("int")) return Type::integer;
    if (has("char") || has("clob") || has("text")) return Type::text;
    if (has("real") || has("floa") || has("doub")) return Type::real;
    if (has("bool")) return Type::boolean;
    return Type::other;
}

// NUMERIC affinity is what is left when none of the names above, and not BLOB, is in the type; the columns
// of a STRICT table have none.
bool makes_numbers(const std::string& declared, Type type) {
    return type == Type::other && !declared.empty() &&
           lower(declared).find("blob") == std::string::npos;
}

struct TableKind {
    std::string name{};
    bool strict = false;
};

// Nothing: there is none.
Result<std::optional<TableKind>> kind_of(sql::Database& database, const std::string& schema,
                                         const TableName& table) {
    PERDURE_TRY_VALUE(
        const sql::Rows rows,
        database.query({.name = "look"},
                       "select type, strict from pragma_table_list where schema = ? collate "
                       "nocase and name = ? collate nocase",
                       schema, table.table));
    if (rows.empty()) return std::optional<TableKind>{};
    TableKind kind;
    PERDURE_TRY_VALUE(kind.name, rows.at(0).get<std::string>(0));
    PERDURE_TRY_VALUE(kind.strict, rows.at(0).get<bool>(1));
    return std::optional{std::move(kind)};
}

struct Key {
    std::string column{};
    int columns = 0;
};

Result<std::vector<Column>> columns_of(sql::Database& database, const std::string& schema,
                                       const TableName& table, Key& key) {
    PERDURE_TRY_VALUE(
        const sql::Rows rows,
        database.query("select name, type, \"notnull\", dflt_value is not null, pk, hidden from "
                       "pragma_table_xinfo(?, ?) order by cid",
                       table.table, schema));
    std::vector<Column> columns;
    for (const sql::Row& row : rows) {
        PERDURE_TRY_VALUE(const int hidden, row.get<int>(5));
        if (hidden != 0) continue;  // generated, which nobody else may write
        Column column;
        PERDURE_TRY_VALUE(column.name, row.get<std::string>(0));
        PERDURE_TRY_VALUE(column.server_type, row.get<std::string>(1));
        PERDURE_TRY_VALUE(const bool not_null, row.get<bool>(2));
        PERDURE_TRY_VALUE(column.has_default, row.get<bool>(3));
        PERDURE_TRY_VALUE(const int place, row.get<int>(4));
        column.type = type_of(column.server_type);
        column.required = not_null && !column.has_default;
        if (place > 0) key = {column.name, key.columns + 1};
        columns.push_back(std::move(column));
    }
    return columns;
}

// Indexes over one column, whole and unique.
Result<std::vector<std::string>> unique_of(sql::Database& database, const std::string& schema,
                                           const TableName& table) {
    PERDURE_TRY_VALUE(
        const sql::Rows rows,
        database.query("select min(part.name) from pragma_index_list(?, ?) as list, "
                       "pragma_index_info(list.name, ?) as part where list.\"unique\" = 1 and "
                       "list.partial = 0 group by list.name having count(*) = 1",
                       table.table, schema, schema));
    std::vector<std::string> names;
    for (const sql::Row& row : rows) {
        PERDURE_TRY_VALUE(auto name, row.get<std::optional<std::string>>(0));
        if (name) names.push_back(*std::move(name));
    }
    return names;
}

}  // namespace

Result<std::optional<TableFacts>> look_at_sqlite(sql::Database& database, const TableName& table) {
    const std::string schema = table.schema.empty() ? "main" : table.schema;
    PERDURE_TRY_VALUE(const std::optional<TableKind> kind, kind_of(database, schema, table));
    if (!kind) return std::optional<TableFacts>{};
    if (kind->name != "table")
        return fail(not_loadable(table, "is a " + kind->name + ", not a table that can be loaded"));
    TableFacts facts;
    Key key;
    PERDURE_TRY_VALUE(facts.columns, columns_of(database, schema, table, key));
    PERDURE_TRY_VALUE(facts.unique, unique_of(database, schema, table));
    if (key.columns == 1 && std::ranges::find(facts.unique, key.column) == facts.unique.end())
        facts.unique.push_back(key.column);
    for (Column& column : facts.columns)
        if (!kind->strict && makes_numbers(column.server_type, column.type))
            column.alters = Alters::numbers;
    // A row number is given to those who come without one.
    for (Column& column : facts.columns)
        if (key.columns == 1 && column.name == key.column && !column.required &&
            lower(column.server_type) == "integer")
            column.has_default = true;
    return std::optional{std::move(facts)};
}

}  // namespace tool::load
