// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_insert.hpp"

#include <array>
#include <utility>

#include "load/target/sql/sql_target_values.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using sql::Parameter;
using sql::Product;

namespace {

// What an array of the column's values is cast to. The table's own type follows by assignment, which
// refuses what does not fit; a cast would cut it.
std::string_view element_of(Type type) noexcept {
    switch (type) {
        case Type::integer: return "bigint";
        case Type::real: return "double precision";
        case Type::boolean: return "boolean";
        default: return "text";
    }
}

// Types that PostgreSQL does not make of a text by assignment.
bool needs_cast(const Column& column) noexcept {
    return column.type == Type::json || has_one_form(column.type) ||
           (column.type == Type::other && !column.server_type.empty());
}

// PostgreSQL's names of our types are ours.
std::string_view cast_of(const Column& column) noexcept {
    return column.server_type.empty() ? to_string(column.type) : column.server_type;
}

// A column in a SELECT. PostgreSQL would write times as the session's DateStyle and TimeZone say.
std::string selected(const Dialect& dialect, const Column& column) {
    std::string name = quoted(dialect, column.name);
    if (dialect.product != Product::postgres) return name;
    switch (column.type) {
        case Type::date: return "to_char(" + name + ", 'YYYY-MM-DD')";
        case Type::timestamp: return "to_char(" + name + R"(, 'YYYY-MM-DD"T"HH24:MI:SS.US'))";
        case Type::timestamptz:
            return "to_char(" + name + R"( at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))";
        default: return name;
    }
}

std::string selected(const Dialect& dialect, const Schema& schema) {
    std::string list;
    for (const Column& column : schema.columns)
        list += (list.empty() ? "" : ", ") + selected(dialect, column);
    return list;
}

// A parameter that is compared with the column. MariaDB compares a decimal with a text as doubles, which
// takes neighbours for one another.
std::string_view compared(const Dialect& dialect, const Column& column) noexcept {
    const bool decimal = column.type == Type::numeric || column.made_for == Type::numeric;
    return dialect.product == Product::mariadb && decimal ? "cast(? as decimal(65,30))" : "?";
}

// insert into t (a, b) select c1, c2::uuid from unnest(?::bigint[], ?::text[]) as given (c1, c2)
std::string array_rows(const Schema& schema) {
    std::string values;
    std::string arrays;
    std::string names;
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        const Column& column = schema.columns[i];
        const std::string comma = i == 0 ? "" : ", ";
        const std::string name = "c" + std::to_string(i + 1);
        values += comma + name;
        if (needs_cast(column)) values.append("::").append(cast_of(column));
        arrays.append(comma).append("?::").append(element_of(column.type)).append("[]");
        names += comma + name;
    }
    return " select " + values + " from unnest(" + arrays + ") as given (" + names + ")";
}

Failure key_met() {
    return {.cause = Cause::conflict,
            .code = "key-met",
            .message = "keys of some rows are there; they are looked at first"};
}

std::string key_array(const Column& key) {
    const bool own = needs_cast(key) && key.type != Type::json;
    return " = any(?::" + std::string{own ? cast_of(key) : element_of(key.type)} + "[])";
}

}  // namespace

Failure as_record(Product product, Failure failure) {
    if (failure.effect != Effect::none || !is_about_record(product, failure.code)) return failure;
    failure.message = failure.message + " (" + failure.code + ")";
    failure.code = "record";
    failure.retry_after = never;
    return failure;
}

RowStatements::RowStatements(const Dialect& dialect, const TableName& table, Schema schema)
    : dialect_{dialect}, schema_{std::move(schema)} {
    const std::string name = quoted(dialect, table);
    const std::string columns = quoted_list(dialect, schema_.columns);
    const bool arrays = dialect.product == Product::postgres;
    select_ = "select " + selected(dialect, schema_) + " from " + name;
    // "or abort": a constraint of SQLite may say that a record replaces the row it meets.
    insert_ = dialect.product == Product::sqlite ? "insert or abort into " : "insert into ";
    insert_ += name + " (" + columns + ")";
    insert_ += arrays ? array_rows(schema_) : std::string{" values "};
    if (!schema_.key) return;
    const Column& key = schema_.columns[*schema_.key];
    where_key_ = select_ + " where " + quoted(dialect, key.name);
    where_key_ += arrays ? key_array(key) : std::string{" in "};
    key_place_ = compared(dialect, key);
    end_ = unless_there(dialect, std::array{key.name});
    compare_others(table);
}

void RowStatements::compare_others(const TableName& table) {
    const bool casts = dialect_.product == Product::postgres;
    const auto equals = [&](const Column& column) {
        const std::string name = quoted(dialect_, column.name);
        if (dialect_.product == Product::mariadb)
            return name + " <=> " + std::string{compared(dialect_, column)};
        if (!casts) return name + " is ?";
        const bool own = column.type == Type::other || has_one_form(column.type);
        return name + " is not distinct from ?::" +
               std::string{own ? cast_of(column) : element_of(column.type)};
    };
    count_ = "select count(*) from " + quoted(dialect_, table) + " where ";
    others_equal_ = "(" + equals(schema_.columns[*schema_.key]);
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
        if (schema_.columns[i].type != Type::other || i == *schema_.key) continue;
        others_.push_back(i);
        others_equal_ += " and " + equals(schema_.columns[i]);
    }
    others_equal_ += ")";
}

Result<std::uint64_t> RowStatements::count_there(sql::Transaction& tx, const Rows& rows,
                                                 std::span<const std::size_t> which) const {
    std::string text = count_;
    std::vector<Parameter> parameters;
    for (const std::size_t row : which) {
        text += (parameters.empty() ? "" : " or ") + others_equal_;
        parameters.push_back(parameter_of(rows.row(row)[*schema_.key]));
        for (const std::size_t column : others_)
            parameters.push_back(parameter_of(rows.row(row)[column]));
    }
    PERDURE_TRY_VALUE(const sql::Rows answer, tx.query_with({text, parameters}));
    return answer.single<std::uint64_t>();
}

// MariaDB gives a 0 in such a column the next free number, and calls it a success.
Result<void> RowStatements::check_zeros(const Rows& rows,
                                        std::span<const std::size_t> which) const {
    for (std::size_t i = 0; i < schema_.columns.size(); ++i) {
        if (!schema_.columns[i].numbers_zero) continue;
        for (const std::size_t row : which) {
            const Value& value = rows.row(row)[i];
            if (value.kind != ValueKind::integer || value.integer != 0) continue;
            return fail({.cause = Cause::invalid,
                         .effect = Effect::none,
                         .retry_after = never,
                         .code = "record",
                         .message = "0 in the numbered column '" + schema_.columns[i].name +
                                    "' would become another number"});
        }
    }
    return {};
}

Result<std::uint64_t> RowStatements::insert(sql::Transaction& tx, const Rows& rows,
                                            std::span<const std::size_t> which, IfThere if_there,
                                            Scratch& scratch) const {
    if (which.empty()) return std::uint64_t{0};
    PERDURE_TRY(check_zeros(rows, which));
    const std::string& end = if_there == IfThere::pass_over ? end_ : std::string{};
    auto inserted = dialect_.product == Product::postgres
                        ? insert_arrays(tx, rows, which, end, scratch)
                        : insert_lists(tx, rows, which, end, scratch);
    if (inserted) return inserted;
    const bool met = schema_.key && if_there == IfThere::fail &&
                     is_key_taken(dialect_.product, inserted.error().code);
    return fail(met ? key_met() : as_record(dialect_.product, std::move(inserted.error())));
}

Result<std::uint64_t> RowStatements::insert_arrays(sql::Transaction& tx, const Rows& rows,
                                                   std::span<const std::size_t> which,
                                                   const std::string& end, Scratch& scratch) const {
    scratch.arrays.resize(rows.width);
    scratch.parameters.clear();
    for (std::size_t column = 0; column < rows.width; ++column) {
        std::string& array = scratch.arrays[column];
        array.clear();
        append_array({rows.values, rows.width, column, which}, array);
        scratch.parameters.emplace_back(std::string_view{array});
    }
    PERDURE_TRY_VALUE(const sql::Done done, tx.execute_with({insert_ + end, scratch.parameters}));
    return static_cast<std::uint64_t>(done.affected);
}

Result<std::uint64_t> RowStatements::insert_lists(sql::Transaction& tx, const Rows& rows,
                                                  std::span<const std::size_t> which,
                                                  const std::string& end, Scratch& scratch) const {
    std::uint64_t inserted = 0;
    for (const std::size_t size : pieces(dialect_, which.size(), rows.width)) {
        scratch.parameters.clear();
        for (const std::size_t row : which.first(size))
            for (const Value& value : rows.row(row))
                scratch.parameters.push_back(parameter_of(value));
        which = which.subspan(size);
        const std::string text = insert_ + placeholders(size, rows.width) + end;
        PERDURE_TRY_VALUE(const sql::Done done, tx.execute_with({text, scratch.parameters}));
        inserted += static_cast<std::uint64_t>(done.affected);
    }
    return inserted;
}

Result<void> RowStatements::find(sql::Transaction& tx, std::span<const Value> keys, Reading reading,
                                 OnRow on_row) const {
    const auto ask = [&](const sql::Statement& statement) { return tx.query_with(statement); };
    return find_with(ask, keys, reading, on_row);
}

Result<void> RowStatements::find(sql::Database& database, std::span<const Value> keys,
                                 OnRow on_row) const {
    const auto ask = [&](const sql::Statement& statement) {
        return database.query_with({.name = "find"}, statement);
    };
    return find_with(ask, keys, Reading::plain, on_row);
}

Result<void> RowStatements::find_with(Ask ask, std::span<const Value> keys, Reading reading,
                                      OnRow on_row) const {
    const std::string_view locking = reading == Reading::locking ? dialect_.locking : "";
    if (dialect_.product == Product::postgres) {
        std::vector<std::size_t> all(keys.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        std::string array;
        append_array({keys, 1, 0, all}, array);
        const std::array<Parameter, 1> parameters{std::string_view{array}};
        PERDURE_TRY_VALUE(const sql::Rows rows, ask({where_key_, parameters}));
        return hand_out(rows, on_row);
    }
    std::vector<Parameter> parameters;
    for (const std::size_t size : pieces(dialect_, keys.size(), 1)) {
        parameters.clear();
        for (const Value& key : keys.first(size)) parameters.push_back(parameter_of(key));
        keys = keys.subspan(size);
        const std::string text =
            where_key_ + placeholders(1, size, key_place_) + std::string{locking};
        PERDURE_TRY_VALUE(const sql::Rows rows, ask({text, parameters}));
        PERDURE_TRY(hand_out(rows, on_row));
    }
    return {};
}

Result<void> RowStatements::hand_out(const sql::Rows& rows, OnRow on_row) const {
    std::vector<Value> values;
    for (const sql::Row& row : rows) {
        PERDURE_TRY(read_values(schema_, row, values));
        PERDURE_TRY(on_row(values));
    }
    return {};
}

}  // namespace tool::load
