// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_dialect.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tool::load {

using namespace perdure;
using sql::Product;

namespace {

// What SQLite calls a column decides what it makes of values: "json text" keeps text as it is, "json"
// would turn 1.0 into 1. It has no dates and no decimals; the first word tells the next load what the text is.
constexpr Dialect sqlite{.product = Product::sqlite,
                         .quote = '"',
                         .integer = "integer",
                         .real = "real",
                         .text = "text",
                         .json = "json text",
                         .numeric = "numeric text",
                         .date = "date text",
                         .timestamp = "timestamp text",
                         .timestamptz = "timestamptz text",
                         .uuid = "uuid text",
                         .key_text = "text",
                         .name = "text",
                         .source = "text",
                         .bytes = "blob",
                         .most_parameters = 32'766,
                         .most_columns = 2'000,
                         .workers = 2};

// json keeps the text it was given; jsonb does not.
constexpr Dialect postgres{.product = Product::postgres,
                           .quote = '"',
                           .integer = "bigint",
                           .real = "double precision",
                           .text = "text",
                           .json = "json",
                           .numeric = "numeric",
                           .date = "date",
                           .timestamp = "timestamp",
                           .timestamptz = "timestamptz",
                           .uuid = "uuid",
                           .key_text = "text",
                           .name = "text",
                           .source = "text",
                           .bytes = "bytea",
                           .locking = " for update",
                           .sharing = " for share",
                           .most_parameters = 65'535,
                           .most_columns = 1'600,
                           .workers = 4};

// A datetime has no zone, and a timestamp ends in 2038: a text keeps zones as they are written. MySQL,
// which speaks the same protocol, has no type uuid. decimal(65,30) is the widest there is (MariaDB's
// manual, DECIMAL); what has more digits is rejected. Keys differ if their bytes do: no folding of case, no padding with blanks. JSON's check refuses what
// is nested deeply, so a comment says what the column is for. Columns of an index have 3072 bytes
// together.
constexpr Dialect mariadb{
    .product = Product::mariadb,
    .quote = '`',
    .integer = "bigint",
    .real = "double",
    .text = "longtext",
    .json = "longtext comment 'json'",
    .numeric = "decimal(65,30)",
    .date = "date",
    .timestamp = "datetime(6)",
    .timestamptz = "varchar(40) character set ascii collate ascii_bin comment 'timestamptz'",
    .uuid = "char(36) character set ascii collate ascii_general_ci comment 'uuid'",
    .key_text = "varchar(255) character set utf8mb4 collate utf8mb4_nopad_bin",
    .name = "varchar(128) character set utf8mb4 collate utf8mb4_nopad_bin",
    .source = "varchar(600) character set utf8mb4 collate utf8mb4_nopad_bin",
    .bytes = "longblob",
    .table_end = " engine=InnoDB default character set utf8mb4",
    .locking = " for update",
    .sharing = " lock in share mode",
    .most_parameters = 65'535,
    .most_columns = 1'017,  // of InnoDB
    .workers = 4};

std::string_view type_of(const Dialect& dialect, Type type) noexcept {
    switch (type) {
        case Type::integer: return dialect.integer;
        case Type::real: return dialect.real;
        case Type::boolean: return "boolean";
        case Type::json: return dialect.json;
        case Type::numeric: return dialect.numeric;
        case Type::date: return dialect.date;
        case Type::timestamp: return dialect.timestamp;
        case Type::timestamptz: return dialect.timestamptz;
        case Type::uuid: return dialect.uuid;
        case Type::text:
        case Type::other: break;
    }
    return dialect.text;
}

// SQLite's and PostgreSQL's schemas for tables of one session.
bool vanishes(std::string schema) {
    std::ranges::transform(schema, schema.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return schema == "temp" || schema == "temporary" || schema.starts_with("pg_temp");
}

Failure wrong_name(std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "table-name",
            .message = std::move(message)};
}

}  // namespace

const Dialect& dialect_of(Product product) noexcept {
    switch (product) {
        case Product::postgres: return postgres;
        case Product::mariadb: return mariadb;
        default: return sqlite;
    }
}

Result<TableName> parse_table(std::string_view written) {
    const std::size_t dot = written.find('.');
    TableName name;
    if (dot == std::string_view::npos) name.table = written;
    else name = {std::string{written.substr(0, dot)}, std::string{written.substr(dot + 1)}};
    const bool empty = name.table.empty() || (dot == 0);
    if (empty || name.table.find('.') != std::string::npos ||
        written.find('\0') != std::string_view::npos)
        return fail(wrong_name("'" + std::string{written} +
                               "' is no name of a table: write table or schema.table"));
    if (vanishes(name.schema))
        return fail(wrong_name("'" + std::string{written} +
                               "' would vanish with the session that made it"));
    return name;
}

Result<void> check_length(const Dialect& dialect, const TableName& table) {
    const bool counts_characters = dialect.product == sql::Product::mariadb;
    if (!counts_characters && dialect.product != sql::Product::postgres) return {};
    for (const std::string& name : {table.schema, table.table}) {
        // MariaDB counts characters: bytes, but for those that go on with one.
        const auto goes_on = [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
        };
        const auto length = static_cast<std::ptrdiff_t>(name.size()) -
                            (counts_characters ? std::ranges::count_if(name, goes_on) : 0);
        if (length > (counts_characters ? 64 : 63))
            return fail(wrong_name("the name of the table is longer than " +
                                   std::string{counts_characters ? "the 64 characters that MariaDB"
                                                                 : "the 63 bytes that PostgreSQL"} +
                                   " has for one"));
    }
    return {};
}

std::string quoted(const Dialect& dialect, std::string_view name) {
    std::string text(1, dialect.quote);
    for (const char c : name) {
        if (c == dialect.quote) text += c;
        text += c;
    }
    return text += dialect.quote;
}

std::string quoted(const Dialect& dialect, const TableName& table) {
    const std::string name = quoted(dialect, table.table);
    return table.schema.empty() ? name : quoted(dialect, table.schema) + "." + name;
}

std::string quoted_list(const Dialect& dialect, std::span<const Column> columns) {
    std::string list;
    for (const Column& column : columns) {
        if (!list.empty()) list += ", ";
        list += quoted(dialect, column.name);
    }
    return list;
}

std::string create_statement(const Dialect& dialect, const TableName& table, const Schema& schema) {
    std::string text = "create table if not exists " + quoted(dialect, table) + " (";
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        const Column& column = schema.columns[i];
        const bool key = schema.key == i;
        const bool text_key = key && type_of(dialect, column.type) == dialect.text;
        if (i > 0) text += ", ";
        text += quoted(dialect, column.name) + ' ';
        text += text_key ? dialect.key_text : type_of(dialect, column.type);
        if (key) text += " not null primary key";
        else if (column.required) text += " not null";
    }
    return text.append(")").append(dialect.table_end);
}

// Not INSERT IGNORE on MariaDB: it would make values fit that do not.
std::string unless_there(const Dialect& dialect, std::span<const std::string> keys) {
    if (dialect.product == Product::mariadb) {
        const std::string key = quoted(dialect, keys.front());
        return " on duplicate key update " + key + " = " + key;
    }
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + quoted(dialect, key);
    return " on conflict (" + list + ") do nothing";
}

std::string placeholders(std::size_t rows, std::size_t width, std::string_view place) {
    std::string row = "(";
    for (std::size_t i = 0; i < width; ++i) row.append(i == 0 ? "" : ",").append(place);
    row += ')';
    std::string text;
    text.reserve(rows * (row.size() + 1));
    for (std::size_t i = 0; i < rows; ++i) {
        if (i > 0) text += ',';
        text += row;
    }
    return text;
}

std::vector<std::size_t> pieces(const Dialect& dialect, std::size_t rows, std::size_t width) {
    constexpr std::size_t step = 100;
    const std::size_t most = std::max<std::size_t>(1, dialect.most_parameters / width);
    std::vector<std::size_t> sizes;
    while (rows > 0) {
        std::size_t next = std::min(rows, most);
        if (next == rows && rows > step) next -= rows % step;
        sizes.push_back(next);
        rows -= next;
    }
    return sizes;
}

}  // namespace tool::load
