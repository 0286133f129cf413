// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_ledger.hpp"
#include "load/target/ledger_format.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using sql::Product;

namespace {

// Version 0.1 made tables without these.
constexpr std::array<std::string_view, 4> later_range_columns{"digest_high", "digest_low",
                                                              "written_at", "input_version"};
constexpr std::string_view later_range_type = " bigint default 0 not null";

std::string folded(std::string key) {
    std::ranges::transform(key, key.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return key;
}

Result<SourceEntry> read_entry(const sql::Row& row) {
    SourceEntry entry;
    PERDURE_TRY_VALUE(entry.name, row.get<std::string>(0));
    PERDURE_TRY_VALUE(entry.head_bytes, row.get<std::uint64_t>(1));
    PERDURE_TRY_VALUE(entry.head, row.get<std::string>(2));
    PERDURE_TRY_VALUE(entry.rows_before, row.get<std::uint64_t>(3));
    PERDURE_TRY_VALUE(const std::string format, row.get<std::string>(4));
    entry.format = format_named(format);
    PERDURE_TRY_VALUE(entry.header, row.get<std::string>(5));
    return entry;
}

std::string_view existence_query(Product product) noexcept {
    switch (product) {
        case Product::postgres: return "select to_regclass(?) is not null";
        case Product::mariadb:
            return "select count(*) > 0 from information_schema.tables where "
                   "table_schema = coalesce(?, database()) and table_name = ?";
        default:
            return "select count(*) > 0 from pragma_table_list where schema = coalesce(?, 'main') "
                   "collate nocase and name = ? collate nocase";
    }
}

// A column of perdure_load_range, by schema (null: the session's own) and name.
std::string_view column_query(Product product) noexcept {
    switch (product) {
        case Product::postgres:
            return "select count(*) > 0 from information_schema.columns where table_schema = "
                   "coalesce(?, current_schema()) and table_name = 'perdure_load_range' and "
                   "column_name = ?";
        case Product::mariadb:
            return "select count(*) > 0 from information_schema.columns where table_schema = "
                   "coalesce(?, database()) and table_name = 'perdure_load_range' and "
                   "column_name = ?";
        default:
            return "select count(*) > 0 from pragma_table_info('perdure_load_range', "
                   "coalesce(?, 'main')) where name = ?";
    }
}

}  // namespace

Result<bool> exists(sql::Database& database, const Dialect& dialect, const TableName& table) {
    const std::string_view text = existence_query(dialect.product);
    if (dialect.product == Product::postgres) {
        PERDURE_TRY_VALUE(const sql::Rows rows, database.query(text, quoted(dialect, table)));
        return rows.single<bool>();
    }
    std::optional<std::string> schema;
    if (!table.schema.empty()) schema = table.schema;
    PERDURE_TRY_VALUE(const sql::Rows rows, database.query(text, schema, table.table));
    return rows.single<bool>();
}

Result<void> make_table(sql::Database& database, const Dialect& dialect,
                        const std::string& statement) {
    const sql::StatementOptions options{.name = "create table", .safety = Safety::idempotent};
    auto made = database.execute(options, statement);
    if (!made && is_made_by_another(dialect.product, made.error().code))
        made = database.execute(options, statement);
    if (!made) return made.take_failure();
    return {};
}

SqlLedger::SqlLedger(sql::Database& database, const Dialect& dialect, const TableName& table)
    : database_{database},
      dialect_{dialect},
      table_{table},
      key_{dialect.product == Product::sqlite ? folded(table.table) : table.table},
      holder_{sql::to_string(sql::Token::make())},
      tables_{quoted(dialect, TableName{table.schema, "perdure_load"}),
              quoted(dialect, TableName{table.schema, "perdure_load_range"}),
              quoted(dialect, TableName{table.schema, "perdure_load_rejected"})} {}

void SqlLedger::fold_case() { key_ = folded(std::move(key_)); }

std::vector<std::string> SqlLedger::create_statements() const {
    const Dialect& d = dialect_;
    const std::string owner = " (table_name " + std::string{d.name} + " not null, source " +
                              std::string{d.source} + " not null, ";
    const std::string text = " " + std::string{d.text} + " not null";
    const std::string end = ")" + std::string{d.table_end};
    const std::string key = "primary key (table_name, source";
    const std::string create = "create table if not exists ";
    const auto counts = [](std::span<const std::string_view> names) {
        std::string list;
        for (const std::string_view name : names) list.append(name).append(" bigint not null, ");
        return list;
    };
    constexpr std::array<std::string_view, 9> of_range{"begin_at",   "end_at",   "first_line",
                                                       "line_count", "records",  "written",
                                                       "present",    "rejected", "reached"};
    std::string later;
    for (const std::string_view name : later_range_columns)
        later.append(name).append(later_range_type).append(", ");
    return {create + tables_.load + owner + "head_bytes bigint not null, head" + text +
                ", rows_before bigint not null, format" + text + ", header" + text + ", holder" +
                text + ", " + key + ")" + end,
            create + tables_.range + owner + counts(of_range) + later + key + ", begin_at)" + end,
            create + tables_.rejected + owner +
                "position bigint not null, line_number bigint not null, reason" + text +
                ", format" + text + ", record " + std::string{d.bytes} + " not null, " + key +
                ", position)" + end};
}

Result<void> SqlLedger::open() {
    if (known_) return {};
    for (const std::string& text : create_statements())
        PERDURE_TRY(make_table(database_, dialect_, text));
    for (const std::string_view name : later_range_columns) {
        PERDURE_TRY_VALUE(const bool there, has_range_column(name));
        if (!there) PERDURE_TRY(add_range_column(name));
    }
    has_digests_ = true;
    known_ = true;
    return {};
}

Result<bool> SqlLedger::has_range_column(std::string_view name) {
    std::optional<std::string> schema;
    if (!table_.schema.empty()) schema = table_.schema;
    PERDURE_TRY_VALUE(const sql::Rows rows,
                      database_.query(column_query(dialect_.product), schema, name));
    return rows.single<bool>();
}

// Another load may add the column at the same time; then it is there.
Result<void> SqlLedger::add_range_column(std::string_view name) {
    const sql::StatementOptions options{.name = "alter table", .safety = Safety::idempotent};
    auto added = database_.execute(options, "alter table " + tables_.range + " add column " +
                                                std::string{name} + std::string{later_range_type});
    if (added) return {};
    PERDURE_TRY_VALUE(const bool there, has_range_column(name));
    if (!there) return added.take_failure();
    return {};
}

Result<bool> SqlLedger::is_there() {
    if (known_) return true;
    for (const char* name : {"perdure_load", "perdure_load_range", "perdure_load_rejected"}) {
        PERDURE_TRY_VALUE(const bool there,
                          exists(database_, dialect_, TableName{table_.schema, name}));
        if (!there) return false;
    }
    // A look does not change the tables of an earlier version; open() does.
    PERDURE_TRY_VALUE(has_digests_, has_range_column(later_range_columns.back()));
    known_ = has_digests_.load();
    return true;
}

Result<std::vector<SourceEntry>> SqlLedger::begun_alike(const SourceEntry& source) {
    std::vector<SourceEntry> entries;
    PERDURE_TRY_VALUE(const bool there, is_there());
    if (!there) return entries;
    PERDURE_TRY_VALUE(
        const sql::Rows rows,
        database_.query("select source, head_bytes, head, rows_before, format, header from " +
                            tables_.load +
                            " where table_name = ? and source <> ? and (head_bytes < ? or "
                            "(head_bytes = ? and head = ?)) order by source",
                        key_, source.name, source.head_bytes, source.head_bytes, source.head));
    for (const sql::Row& row : rows) {
        PERDURE_TRY_VALUE(SourceEntry entry, read_entry(row));
        entries.push_back(std::move(entry));
    }
    return entries;
}

Result<SourceEntry> SqlLedger::enter(const SourceEntry& source) {
    const std::array<std::string, 2> key{"table_name", "source"};
    const std::string insert =
        "insert into " + tables_.load +
        " (table_name, source, head_bytes, head, rows_before, format, header, holder) values " +
        placeholders(1, 8) + unless_there(dialect_, key);
    const std::string take =
        "update " + tables_.load + " set holder = ? where table_name = ? and source = ?";
    const std::string select =
        "select source, head_bytes, head, rows_before, format, header from " + tables_.load +
        " where table_name = ? and source = ?";
    const auto body = [&](sql::Transaction& tx) -> Result<SourceEntry> {
        PERDURE_TRY(tx.execute(insert, key_, source.name, source.head_bytes, source.head,
                               source.rows_before, format_name(source.format), source.header,
                               holder_));
        PERDURE_TRY(tx.execute(take, holder_, key_, source.name));
        PERDURE_TRY_VALUE(const sql::Rows rows, tx.query(select, key_, source.name));
        if (rows.size() != 1)
            return fail({.cause = Cause::internal,
                         .effect = Effect::none,
                         .code = "ledger",
                         .message = "an entry of the ledger vanished while it was made"});
        return read_entry(rows.at(0));
    };
    return sql::transact(database_, {.name = "enter"}, body);
}

Result<std::optional<SourceEntry>> SqlLedger::entry(std::string_view source) {
    PERDURE_TRY_VALUE(const bool there, is_there());
    if (!there) return std::optional<SourceEntry>{};
    PERDURE_TRY_VALUE(
        const sql::Rows rows,
        database_.query("select source, head_bytes, head, rows_before, format, header from " +
                            tables_.load + " where table_name = ? and source = ?",
                        key_, source));
    if (rows.empty()) return std::optional<SourceEntry>{};
    PERDURE_TRY_VALUE(SourceEntry entry, read_entry(rows.at(0)));
    return std::optional{std::move(entry)};
}

Result<void> SqlLedger::forget(std::string_view source) {
    PERDURE_TRY_VALUE(const bool there, is_there());
    if (!there) return {};
    const auto body = [&](sql::Transaction& tx) -> Result<void> {
        for (const std::string* table : {&tables_.rejected, &tables_.range, &tables_.load})
            PERDURE_TRY(tx.execute("delete from " + *table + " where table_name = ? and source = ?",
                                   key_, source));
        return {};
    };
    return sql::transact(database_, {.name = "forget"}, body);
}

}  // namespace tool::load
