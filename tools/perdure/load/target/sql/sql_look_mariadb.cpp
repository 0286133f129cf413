// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "load/target/sql/sql_look.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::array<std::string_view, 5> whole{"tinyint", "smallint", "mediumint", "int",
                                                "bigint"};
constexpr std::array<std::string_view, 5> texts{"varchar", "tinytext", "text", "mediumtext",
                                                "longtext"};

template <class List>
bool has_name(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

// JSON is a longtext with a check, or one that says so in its comment, as a load writes it for types that
// MariaDB does not have.
Type type_of(std::string_view name, std::string_view whole_type, std::string_view said) {
    if (said == "json") return Type::json;
    if (said == "timestamptz" && name == "varchar") return Type::timestamptz;
    if (said == "uuid" && name == "char") return Type::uuid;
    if (whole_type == "tinyint(1)") return Type::boolean;
    if (has_name(whole, name)) return Type::integer;
    if (name == "double") return Type::real;
    if (has_name(texts, name)) return Type::text;
    return Type::other;
}

// Columns whose texts are ours too, as long as they are of the types' forms.
Type mariadb_made_for(std::string_view name) noexcept {
    if (name == "decimal") return Type::numeric;
    if (name == "date") return Type::date;
    if (name == "datetime") return Type::timestamp;
    return name == "uuid" ? Type::uuid : Type::other;
}

// What MariaDB would cut without an error, in strict mode too: blanks at the end of a varchar, digits of a
// decimal, of a second. Lengths of char and varchar are in characters, those of other texts in bytes.
Result<void> read_limits(const sql::Row& row, std::string_view name, Column& column) {
    PERDURE_TRY_VALUE(const auto characters, row.get<std::optional<std::int64_t>>(8));
    PERDURE_TRY_VALUE(const auto precision, row.get<std::optional<std::int64_t>>(9));
    PERDURE_TRY_VALUE(const auto scale, row.get<std::optional<std::int64_t>>(10));
    PERDURE_TRY_VALUE(const auto second_digits, row.get<std::optional<std::int64_t>>(11));
    if (characters && (name == "varchar" || name == "char"))
        column.most_characters = static_cast<std::size_t>(*characters);
    if (name == "decimal" && precision && scale) {
        column.most_fraction = *scale;
        column.most_whole = *precision - *scale;
    }
    if (second_digits) column.most_fraction = *second_digits;
    if (name == "time" || name == "timestamp") column.alters = Alters::fractions;
    // Of a float six digits are given back.
    if (name == "float") {
        column.alters = Alters::single;
        column.most_digits = 6;
    }
    // double(8,2) and float(8,2) round.
    if ((name == "double" || name == "float") && scale) {
        column.type = Type::other;
        column.most_fraction = *scale;
        if (name == "double") column.alters = Alters::fractions;
    }
    if (name == "bit" || name == "enum" || name == "set" || name == "year")
        column.alters = Alters::meanings;
    return {};
}

constexpr std::string_view kind_query =
    "select t.table_type, coalesce(e.transactions, 'NO'), @@sql_mode "
    "from information_schema.tables t left join information_schema.engines e on "
    "e.engine = t.engine where t.table_schema = coalesce(?, database()) and t.table_name = ?";

constexpr std::string_view mariadb_columns_query =
    "select c.column_name, c.data_type, c.column_type, c.is_nullable = 'YES', "
    "coalesce(c.column_default <> 'NULL', 0), c.extra, case when exists (select 1 from "
    "information_schema.check_constraints k where k.constraint_schema = c.table_schema and "
    "k.table_name = c.table_name and k.constraint_name = c.column_name and "
    "k.check_clause like 'json_valid(%') then 'json' else c.column_comment end, "
    "find_in_set('NO_AUTO_VALUE_ON_ZERO', @@sql_mode) > 0, c.character_maximum_length, "
    "c.numeric_precision, c.numeric_scale, c.datetime_precision "
    "from information_schema.columns c where c.table_schema = coalesce(?, database()) and "
    "c.table_name = ? order by c.ordinal_position";

constexpr std::string_view mariadb_unique_query =
    "select min(column_name) from information_schema.statistics where table_schema = "
    "coalesce(?, database()) and table_name = ? and non_unique = 0 group by index_name "
    "having count(*) = 1 and min(sub_part) is null";

// Nothing for a column that is generated, which nobody else may write.
Result<std::optional<Column>> read_mariadb_column(const sql::Row& row) {
    Column column;
    PERDURE_TRY_VALUE(column.name, row.get<std::string>(0));
    PERDURE_TRY_VALUE(const std::string name, row.get<std::string>(1));
    PERDURE_TRY_VALUE(column.server_type, row.get<std::string>(2));
    PERDURE_TRY_VALUE(const bool nullable, row.get<bool>(3));
    PERDURE_TRY_VALUE(const bool has_default, row.get<bool>(4));
    PERDURE_TRY_VALUE(std::string extra, row.get<std::string>(5));
    PERDURE_TRY_VALUE(const std::string said, row.get<std::string>(6));
    std::ranges::transform(extra, extra.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (extra.find("generated") != std::string::npos) return std::optional<Column>{};
    const bool numbered = extra.find("auto_increment") != std::string::npos;
    column.type = type_of(name, column.server_type, said);
    column.made_for = mariadb_made_for(name);
    PERDURE_TRY(read_limits(row, name, column));
    column.has_default = numbered || has_default;
    PERDURE_TRY_VALUE(const bool keeps_zero, row.get<bool>(7));
    column.numbers_zero = numbered && !keeps_zero;
    column.required = !nullable && !column.has_default;
    return std::optional{std::move(column)};
}

Failure not_strict(const TableName& table) {
    return not_loadable(table,
                        "stands on a server whose sql_mode is not strict: it would cut values that "
                        "do not fit. Set sql_mode to hold STRICT_TRANS_TABLES");
}

Result<void> check_kind(const sql::Row& row, const TableName& table) {
    PERDURE_TRY_VALUE(const std::string kind, row.get<std::string>(0));
    PERDURE_TRY_VALUE(const std::string transactions, row.get<std::string>(1));
    PERDURE_TRY_VALUE(const std::string mode, row.get<std::string>(2));
    if (kind == "VIEW") return fail(not_loadable(table, "is a view; load the table behind it"));
    if (kind != "BASE TABLE" && kind != "SYSTEM VERSIONED")
        return fail(not_loadable(table, "is no table that can be loaded"));
    if (transactions != "YES")
        return fail(not_loadable(table, "has an engine without transactions; InnoDB has them"));
    if (mode.find("STRICT_TRANS_TABLES") == std::string::npos &&
        mode.find("STRICT_ALL_TABLES") == std::string::npos)
        return fail(not_strict(table));
    return {};
}

}  // namespace

Result<std::optional<TableFacts>> look_at_mariadb(sql::Database& database, const TableName& table) {
    std::optional<std::string> schema;
    if (!table.schema.empty()) schema = table.schema;
    PERDURE_TRY_VALUE(const sql::Rows kinds,
                      database.query({.name = "look"}, kind_query, schema, table.table));
    if (kinds.empty()) return std::optional<TableFacts>{};
    PERDURE_TRY(check_kind(kinds.at(0), table));
    TableFacts facts;
    PERDURE_TRY_VALUE(const sql::Rows columns,
                      database.query(mariadb_columns_query, schema, table.table));
    for (const sql::Row& row : columns) {
        PERDURE_TRY_VALUE(std::optional<Column> column, read_mariadb_column(row));
        if (column) facts.columns.push_back(*std::move(column));
    }
    PERDURE_TRY_VALUE(const sql::Rows unique,
                      database.query(mariadb_unique_query, schema, table.table));
    for (const sql::Row& row : unique) {
        PERDURE_TRY_VALUE(std::string column, row.get<std::string>(0));
        facts.unique.push_back(std::move(column));
    }
    return std::optional{std::move(facts)};
}

}  // namespace tool::load
