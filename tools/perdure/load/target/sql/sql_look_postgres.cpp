// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>

#include "load/source/typed_text.hpp"
#include "load/target/sql/sql_look.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Single precision, decimals and padded text come back otherwise than they went in, and jsonb is
// written anew: all these are the server's own affair.
Type type_of(std::string_view name) noexcept {
    struct Known {
        std::string_view name;
        Type type;
    };
    constexpr std::array<Known, 8> known{{{"int2", Type::integer},
                                          {"int4", Type::integer},
                                          {"int8", Type::integer},
                                          {"float8", Type::real},
                                          {"bool", Type::boolean},
                                          {"text", Type::text},
                                          {"varchar", Type::text},
                                          {"json", Type::json}}};
    for (const Known& one : known)
        if (one.name == name) return one.type;
    return Type::other;
}

// Columns whose texts are ours too, as long as they are of the types' forms.
Type postgres_made_for(std::string_view name) noexcept {
    constexpr std::array<std::string_view, 5> ours{"numeric", "date", "timestamp", "timestamptz",
                                                   "uuid"};
    if (std::ranges::find(ours, name) == ours.end()) return Type::other;
    return type_named(name).value_or(Type::other);
}

// What PostgreSQL would cut (blanks at the end of a varchar) or round without an error. `modifier` is
// pg_attribute.atttypmod: four more than a length; of numeric, precision and scale in 16 and 11 bits
// (utils/adt/numeric.c); -1: the type alone.
void set_limits(Column& column, std::string_view name, std::int64_t modifier) noexcept {
    constexpr std::int64_t header = 4;
    if ((name == "varchar" || name == "bpchar") && modifier > header)
        column.most_characters = static_cast<std::size_t>(modifier - header);
    if (name == "numeric" && modifier >= header) {
        const std::int64_t scale = (((modifier - header) & 0x7ff) ^ 1024) - 1024;
        column.most_fraction = std::max<std::int64_t>(scale, 0);
        column.most_whole = ((modifier - header) >> 16 & 0xffff) - scale;
    }
    if (name == "timestamp" || name == "timestamptz")
        column.most_fraction =
            modifier < 0 ? static_cast<std::int64_t>(most_second_digits) : modifier;
}

// Texts of these are in forms of the server's, so only their length, their digits and a number in them are
// looked at. NAMEDATALEN is 64 with the NUL. Of an interval the upper 16 bits of the modifier are its
// fields (utils/timestamp.h). Money has two digits in most locales.
void set_alterations(Column& column, std::string_view name, std::int64_t modifier) noexcept {
    constexpr std::size_t longest_name = 63;
    constexpr std::int64_t header = 4;
    constexpr std::int64_t all_digits = static_cast<std::int64_t>(most_second_digits);
    const bool array = name.starts_with('_');
    const std::string_view element = array ? name.substr(1) : name;
    if (name == "name") column.most_bytes = longest_name;
    if (name == "char") column.most_bytes = 1;
    if (name == "float4") column.alters = Alters::single;
    std::int64_t kept = INT64_MAX;
    if (name == "money") kept = 2;
    if (element == "time" || element == "timetz" || (array && element.starts_with("timestamp")))
        kept = modifier < 0 ? all_digits : modifier;
    if (element == "interval")
        kept = modifier < 0 ? all_digits : std::min(modifier & 0xffff, all_digits);
    if (array && element == "numeric" && modifier >= header)
        kept = std::max<std::int64_t>((((modifier - header) & 0x7ff) ^ 1024) - 1024, 0);
    if (kept == INT64_MAX) return;
    column.alters = Alters::fractions;
    column.most_fraction = kept;
}

// Empty for what can be loaded.
std::string_view what_is(std::string_view kind) noexcept {
    if (kind == "r" || kind == "p") return {};
    if (kind == "t") return "is temporary: it would vanish with the session";
    if (kind == "v") return "is a view; load the table behind it";
    if (kind == "m") return "is a materialized view; load the table behind it";
    if (kind == "f") return "is a foreign table: what is written there does not end with us";
    return "is no table";
}

// The length of a type stays out of its name: a cast to varchar(3) would cut. So would one to a domain
// over it, and the assignment checks both.
constexpr std::string_view postgres_columns_query =
    "select a.attname::text, format_type(t.oid, -1), t.typname::text, a.attnotnull, "
    "a.atthasdef or a.attidentity <> '', "
    "case when d.typtype = 'd' then d.typtypmod else a.atttypmod end "
    "from pg_attribute a join pg_type d on d.oid = a.atttypid "
    "join pg_type t on t.oid = case when d.typtype = 'd' then d.typbasetype else d.oid end where "
    "a.attrelid = to_regclass(?) and a.attnum > 0 and not a.attisdropped "
    "and a.attgenerated = '' and a.attidentity <> 'a' order by a.attnum";

constexpr std::string_view postgres_unique_query =
    "select a.attname::text from pg_index i join pg_attribute a on a.attrelid = i.indrelid and "
    "a.attnum = i.indkey[0] where i.indrelid = to_regclass(?) and i.indisunique and i.indisvalid "
    "and i.indimmediate and i.indpred is null and i.indexprs is null and i.indnkeyatts = 1";

Result<Column> read_postgres_column(const sql::Row& row) {
    Column column;
    PERDURE_TRY_VALUE(column.name, row.get<std::string>(0));
    PERDURE_TRY_VALUE(column.server_type, row.get<std::string>(1));
    PERDURE_TRY_VALUE(const std::string name, row.get<std::string>(2));
    PERDURE_TRY_VALUE(const bool not_null, row.get<bool>(3));
    PERDURE_TRY_VALUE(column.has_default, row.get<bool>(4));
    PERDURE_TRY_VALUE(const std::int64_t modifier, row.get<std::int64_t>(5));
    column.type = type_of(name);
    column.made_for = postgres_made_for(name);
    set_limits(column, name, modifier);
    set_alterations(column, name, modifier);
    column.required = not_null && !column.has_default;
    return column;
}

}  // namespace

Result<std::optional<TableFacts>> look_at_postgres(sql::Database& database,
                                                   const TableName& table) {
    const std::string name = quoted(dialect_of(sql::Product::postgres), table);
    PERDURE_TRY_VALUE(
        const sql::Rows kinds,
        database.query({.name = "look"},
                       "select case when relpersistence = 't' then 't' else relkind::text end "
                       "from pg_class where oid = to_regclass(?)",
                       name));
    if (kinds.empty()) return std::optional<TableFacts>{};
    PERDURE_TRY_VALUE(const std::string kind, kinds.single<std::string>());
    if (const std::string_view what = what_is(kind); !what.empty())
        return fail(not_loadable(table, what));
    TableFacts facts;
    PERDURE_TRY_VALUE(const sql::Rows columns, database.query(postgres_columns_query, name));
    for (const sql::Row& row : columns) {
        PERDURE_TRY_VALUE(Column column, read_postgres_column(row));
        facts.columns.push_back(std::move(column));
    }
    PERDURE_TRY_VALUE(const sql::Rows unique, database.query(postgres_unique_query, name));
    for (const sql::Row& row : unique) {
        PERDURE_TRY_VALUE(std::string column, row.get<std::string>(0));
        facts.unique.push_back(std::move(column));
    }
    return std::optional{std::move(facts)};
}

}  // namespace tool::load
