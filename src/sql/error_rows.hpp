// SPDX-License-Identifier: Apache-2.0
//
// How is a table of errors written down? By kinds of errors, each with the codes that are of it; put in
// order when it is compiled.
//
//     constexpr ErrorKind deadlock{.cause = contended, .reactions = T, .rule = "lock-conflict", .why = …};
//     constexpr auto rows = in_order(std::to_array<ErrorRow>({row("40P01", "deadlock", deadlock)}), source);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "perdure/sql/error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// What errors of one kind have in common. A plain value.
struct ErrorKind {
    Cause cause = Cause::internal;
    Reactions reactions = Reaction::nothing;
    std::string_view rule{};
    RemedySet remedies{};
    std::string_view why{};
};

// The letters of the reference pages, so that a table here reads as one there.
// NOLINTBEGIN(readability-identifier-naming)
namespace letters {
inline constexpr Reactions S = Reaction::statement;
inline constexpr Reactions T = Reaction::transaction;
inline constexpr Reactions C = Reaction::connect;
inline constexpr Reactions K = Reaction::discard;
inline constexpr Reactions A = Reaction::ambiguous;
inline constexpr Reactions N = Reaction::nothing;
}  // namespace letters
// NOLINTEND(readability-identifier-naming)

// A `why` of its own stands in place of the kind's.
constexpr ErrorRow row(std::string_view code, std::string_view name, const ErrorKind& kind,
                       std::string_view why = {}) noexcept {
    return {.code = code,
            .name = name,
            .cause = kind.cause,
            .reactions = kind.reactions,
            .rule = kind.rule,
            .remedies = kind.remedies,
            .why = why.empty() ? kind.why : why};
}

// Numbers by value, then words: whoever is shorter comes first.
constexpr bool before(std::string_view a, std::string_view b) noexcept {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

template <std::size_t count>
constexpr std::array<ErrorRow, count> in_order(std::array<ErrorRow, count> rows,
                                               std::string_view source) noexcept {
    for (ErrorRow& one : rows)
        if (one.source.empty()) one.source = source;
    std::ranges::sort(rows, before, &ErrorRow::code);
    return rows;
}

// Ascending, no code twice, each with a name, a reason and a source; what is final by its cause says so.
constexpr bool is_table(std::span<const ErrorRow> rows) noexcept {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0 && !before(rows[i - 1].code, rows[i].code)) return false;
        if (rows[i].name.empty() || rows[i].why.empty() || rows[i].source.empty()) return false;
        if (!is_repeatable(rows[i].cause) && !rows[i].reactions.has(Reaction::nothing))
            return false;
    }
    return true;
}

std::span<const ErrorRow> sqlite_rows() noexcept;
std::span<const ErrorRow> postgres_rows() noexcept;
std::span<const ErrorRow> mariadb_rows() noexcept;
std::span<const ErrorRow> odbc_rows() noexcept;
std::span<const ErrorRow> sqlserver_rows() noexcept;

// What serves a code that has no row.
inline constexpr ErrorRow without_row{.code = "",
                                      .name = "error without a row",
                                      .cause = Cause::invalid,
                                      .why = "Not known to pass by itself, so it is not repeated.",
                                      .source = "perdure"};
const ErrorRow& postgres_class(std::string_view sqlstate) noexcept;
const ErrorRow& mariadb_otherwise(std::string_view code) noexcept;
const ErrorRow& odbc_otherwise() noexcept;

}  // namespace sql
}  // namespace v0
}  // namespace perdure
