// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/error_table.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "error_rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

const ErrorRow* find(std::span<const ErrorRow> rows, std::string_view code) noexcept {
    const auto found = std::ranges::lower_bound(rows, code, before, &ErrorRow::code);
    return found != rows.end() && found->code == code ? &*found : nullptr;
}

const ErrorRow* find(Product product, std::string_view code) noexcept {
    return find(error_rows(product), code);
}

// 0 for what is no number.
int number_in(std::string_view text) noexcept {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

// SQLite's extended codes have the primary code in their lowest byte.
const ErrorRow& sqlite_otherwise(std::string_view code) noexcept {
    char text[4]{};
    const auto end = std::to_chars(text, text + sizeof text, number_in(code) & 0xff).ptr;
    const ErrorRow* const primary = find(Product::sqlite, {text, end});
    return primary ? *primary : without_row;
}

// A state with a row of PostgreSQL's means the same everywhere; beyond those, its class does.
const ErrorRow& odbc_by_state(std::string_view code) noexcept {
    if (const ErrorRow* const row = find(Product::postgres, code)) return *row;
    const ErrorRow& by_class = postgres_class(code);
    return by_class.code.empty() ? odbc_otherwise() : by_class;
}

// Its ODBC drivers have states of their own for what is no number of the server.
const ErrorRow& sqlserver_otherwise(std::string_view code) noexcept {
    const ErrorRow* const row = find(Product::odbc, code);
    return row ? *row : without_row;
}

bool is_final(const ErrorRow& row, During during) noexcept {
    if (during == During::connecting && row.reactions.has(Reaction::connect)) return false;
    return row.reactions.has(Reaction::nothing);
}

}  // namespace

std::string to_string(Reactions reactions) {
    constexpr std::pair<Reaction, char> order[] = {
        {Reaction::discard, 'K'}, {Reaction::statement, 'S'}, {Reaction::transaction, 'T'},
        {Reaction::connect, 'C'}, {Reaction::ambiguous, 'A'}, {Reaction::nothing, 'N'}};
    std::string text;
    for (const auto& [reaction, letter] : order) {
        if (!reactions.has(reaction)) continue;
        if (!text.empty()) text += ',';
        text += letter;
    }
    return text;
}

std::span<const ErrorRow> error_rows(Product product) noexcept {
    switch (product) {
        case Product::sqlite: return sqlite_rows();
        case Product::postgres: return postgres_rows();
        case Product::mariadb: return mariadb_rows();
        case Product::odbc: return odbc_rows();
        case Product::sqlserver: return sqlserver_rows();
    }
    return {};
}

const ErrorRow& row_of(Product product, std::string_view code) noexcept {
    if (code.empty()) return *find(client_rows(), "connection-lost");
    if (const ErrorRow* const row = find(product, code)) return *row;
    if (const ErrorRow* const row = find(client_rows(), code)) return *row;
    switch (product) {
        case Product::sqlite: return sqlite_otherwise(code);
        case Product::postgres: return postgres_class(code);
        case Product::mariadb: return mariadb_otherwise(code);
        case Product::odbc: return odbc_by_state(code);
        case Product::sqlserver: return sqlserver_otherwise(code);
    }
    return odbc_otherwise();
}

Failure failure_of(const ErrorRow& row, During during, std::string message, std::string code) {
    const bool alone = during == During::statement || during == During::committing;
    Failure failure{.cause = row.cause,
                    .effect = alone && row.reactions.has(Reaction::ambiguous) ? Effect::unknown
                                                                              : Effect::none,
                    .remedies = row.remedies,
                    .rule = row.rule};
    if (row.reactions.has(Reaction::discard)) failure.remedies |= Remedy::fresh_connection;
    if (is_final(row, during) && is_repeatable(row.cause)) failure.retry_after = never;
    // While a server restarts, connecting fails in many ways; all of them are one wait.
    if (during == During::connecting && row.rule.empty() && !is_final(row, during))
        failure.rule = "connect";
    failure.code = code.empty() ? std::string{row.code} : std::move(code);
    failure.status = number_in(failure.code);
    failure.message = message.empty() ? std::string{row.name} : std::move(message);
    return failure;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
