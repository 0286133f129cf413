// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/records.hpp"

#include <algorithm>
#include <initializer_list>

#include "sql/odbc/safe_text.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

Reading reading_of(Product product, std::string code) {
    const ErrorRow& row = row_of(product, code);
    const bool known = row.code == code;
    return {.row = &row, .code = std::move(code), .known = known};
}

Reading read_sqlserver(const Record& record) {
    if (record.native == 0) return reading_of(Product::odbc, record.state);
    Reading by_number = reading_of(Product::sqlserver, std::to_string(record.native));
    if (by_number.known) return by_number;
    // A number we have no row for, in a state that says the link is gone or the time is over.
    Reading by_state = reading_of(Product::odbc, record.state);
    if (!by_state.known || record.state == "HY000") return by_number;
    by_state.code = std::move(by_number.code);
    return by_state;
}

Reading read_by_native(Product backing, const Record& record) {
    Reading by_state = reading_of(Product::odbc, record.state);
    // 23000 does not tell which kind of constraint it was; the number does.
    const bool says_nothing = record.state == "HY000" || record.state == "23000" || !by_state.known;
    if (!says_nothing || record.native == 0) return by_state;
    Reading by_native = reading_of(backing, std::to_string(record.native));
    return by_native.known ? by_native : by_state;
}

bool says(const std::vector<Record>& records, std::string_view words) {
    return std::ranges::any_of(
        records, [&](const Record& one) { return one.message.find(words) != std::string::npos; });
}

bool has_state(const std::vector<Record>& records, std::string_view state) {
    return std::ranges::any_of(records, [&](const Record& one) { return one.state == state; });
}

bool has_native(const std::vector<Record>& records, std::initializer_list<std::int32_t> natives) {
    return std::ranges::any_of(records, [&](const Record& one) {
        return std::ranges::find(natives, one.native) != natives.end();
    });
}

bool is_link_state(std::string_view state) noexcept {
    return state.starts_with("08") || state.starts_with("HYT");
}

bool can_be_helped(const Reading& reading) noexcept {
    return reading.known && !reading.row->reactions.has(Reaction::nothing);
}

// The first record that can be helped; else the first that has a row of its own; else the first.
std::size_t leader(const std::vector<Reading>& readings) {
    const auto helped = std::ranges::find_if(readings, can_be_helped);
    if (helped != readings.end()) return static_cast<std::size_t>(helped - readings.begin());
    const auto known = std::ranges::find_if(readings, &Reading::known);
    return known == readings.end() ? 0 : static_cast<std::size_t>(known - readings.begin());
}

// A COMMIT that was refused in words we do not know is a rollback only if the words were the
// server's and the link still stands; a driver's own trouble proves nothing.
bool proves_rollback(const Record& record, const Reading& reading, Life life) {
    const Reactions reactions = reading.row->reactions;
    if (reading.known && reactions.has(Reaction::ambiguous)) return false;
    if (reading.known && (life == Life::alive || reactions.has(Reaction::transaction))) return true;
    if (life == Life::dead || is_link_state(record.state)) return false;
    return record.native > 0 || !record.state.starts_with("HY");
}

Meaning nothing_said(During during, Life life) {
    const bool in_doubt = during == During::committing || during == During::statement;
    return {.failure = {.cause = Cause::internal,
                        .effect = in_doubt ? Effect::unknown : Effect::none,
                        .code = "no-diagnostics",
                        .message = "the ODBC driver failed and did not say why"},
            .discard = in_doubt || life == Life::dead};
}

}  // namespace

Product product_of(std::string_view dbms_name) noexcept {
    if (dbms_name.starts_with("Microsoft SQL Server")) return Product::sqlserver;
    if (dbms_name.starts_with("PostgreSQL")) return Product::postgres;
    if (dbms_name.starts_with("MariaDB") || dbms_name.starts_with("MySQL")) return Product::mariadb;
    if (dbms_name.starts_with("SQLite")) return Product::sqlite;
    return Product::odbc;
}

Reading read_record(Product product, const Record& record) {
    switch (product) {
        case Product::sqlserver: return read_sqlserver(record);
        case Product::mariadb:
        case Product::sqlite: return read_by_native(product, record);
        case Product::postgres: {
            // psqlODBC passes the server's states through and adds ODBC's own for the link.
            Reading server = reading_of(Product::postgres, record.state);
            if (server.known) return server;
            Reading own = reading_of(Product::odbc, record.state);
            return own.known ? own : server;
        }
        case Product::odbc: break;
    }
    return read_by_native(Product::odbc, record);
}

Meaning meaning_of(Product product, const std::vector<Record>& records, During during, Life life) {
    if (records.empty()) return nothing_said(during, life);
    std::vector<Reading> readings;
    for (const Record& record : records) readings.push_back(read_record(product, record));
    const std::size_t chosen = leader(readings);
    // psqlODBC says HY000 of a link that is gone; what it said is less than what is known.
    if (life == Life::dead && during != During::connecting && !can_be_helped(readings[chosen]))
        readings[chosen] = reading_of(Product::odbc, "08S01");
    const Reading& reading = readings[chosen];

    Meaning meaning{.failure =
                        failure_of(*reading.row, during,
                                   safe_text(product, records[chosen], *reading.row), reading.code),
                    .discard = life == Life::dead};
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Reactions reactions = readings[i].row->reactions;
        if (reactions.has(Reaction::discard)) meaning.discard = true;
        const bool ambiguous = readings[i].known && reactions.has(Reaction::ambiguous);
        if (during == During::committing
                ? ambiguous || !proves_rollback(records[i], readings[i], life)
                : during == During::statement && (ambiguous || life == Life::dead))
            meaning.failure.effect = Effect::unknown;
    }
    if (meaning.discard) meaning.failure.remedies |= Remedy::fresh_connection;
    return meaning;
}

bool is_duplicate(Product product, const std::vector<Record>& records) {
    switch (product) {
        case Product::sqlserver: return has_native(records, {2627, 2601});
        case Product::postgres: return has_state(records, "23505");
        case Product::mariadb: return has_native(records, {1062});
        case Product::sqlite: return has_native(records, {19, 1555, 2067});
        case Product::odbc: return has_state(records, "23000") || has_state(records, "23505");
    }
    return false;
}

bool is_lock_timeout(Product product, const std::vector<Record>& records) {
    switch (product) {
        case Product::sqlserver: return has_native(records, {1222});
        case Product::postgres: return has_state(records, "55P03");
        case Product::mariadb: return has_native(records, {1205});
        case Product::sqlite: return has_native(records, {5, 261, 517, 773});
        case Product::odbc: return has_state(records, "HYT00");
    }
    return false;
}

bool is_missing_table(Product product, const std::vector<Record>& records) {
    if (has_state(records, "42S02") || has_state(records, "42P01")) return true;
    if (product == Product::sqlserver) return has_native(records, {208});
    return product == Product::sqlite && says(records, "no such table");
}

bool is_missing_column(Product product, const std::vector<Record>& records) {
    if (has_state(records, "42S22") || has_state(records, "42703")) return true;
    if (product == Product::sqlserver) return has_native(records, {207});
    if (product == Product::mariadb) return has_native(records, {1054});
    return product == Product::sqlite &&
           (says(records, "no such column") || says(records, "no column named"));
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
