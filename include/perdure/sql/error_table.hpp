// SPDX-License-Identifier: Apache-2.0
//
// What does a database's error mean? One table for each product, row by row; drivers look their
// errors up here, and `perdure explain postgres 40001` prints the same row.
//
//     const ErrorRow& row = sql::row_of(sql::Product::postgres, "40001");
//     return fail(sql::failure_of(row, sql::During::in_transaction, message));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Product : std::uint8_t { sqlite, postgres, mariadb, odbc, sqlserver };

// What may be done about an error; several letters add up.
enum class Reaction : std::uint8_t {
    statement = 1u << 0u,  // S: a statement that ran by itself may be repeated: it was not applied
    transaction = 1u << 1u,  // T: the whole transaction may be repeated
    connect = 1u << 2u,      // C: nothing ran; connect again
    discard = 1u << 3u,      // K: the session is unusable
    ambiguous = 1u << 4u,    // A: if it was a COMMIT or a write by itself, nobody knows
    nothing = 1u << 5u,      // N: not repeated by default
};

class Reactions {
public:
    constexpr Reactions(Reaction one) noexcept : bits_{static_cast<std::uint8_t>(one)} {}
    [[nodiscard]] constexpr bool has(Reaction one) const noexcept {
        return (bits_ & static_cast<unsigned>(one)) != 0;
    }
    friend constexpr Reactions operator|(Reactions a, Reactions b) noexcept {
        a.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
        return a;
    }
    friend constexpr bool operator==(Reactions, Reactions) noexcept = default;

private:
    std::uint8_t bits_;
};
constexpr Reactions operator|(Reaction a, Reaction b) noexcept {
    return Reactions{a} | Reactions{b};
}
// "K,T,A"
std::string to_string(Reactions reactions);

struct ErrorRow {
    std::string_view code{};  // SQLSTATE, number, or result code, as the product's users know it
    std::string_view name{};
    Cause cause = Cause::internal;
    Reactions reactions = Reaction::nothing;
    std::string_view rule{};  // of the strategy; empty: the one named after the cause
    RemedySet remedies{};     // beside fresh_connection, which K implies
    std::string_view why{};   // what it means and what is done, in a sentence
    std::string_view source{};
};

// Every row of a product's table, in ascending order of its codes. Constant; any thread.
std::span<const ErrorRow> error_rows(Product product) noexcept;
// What is found on this side, whatever the product: "deadline", "stopped", "connection-lost", ….
std::span<const ErrorRow> client_rows() noexcept;
// The row that serves a code. A SQLSTATE without a row is taken by its class; else a row that says
// "not repeated".
const ErrorRow& row_of(Product product, std::string_view code) noexcept;

// What was going on when the error came.
enum class During : std::uint8_t { connecting, statement, in_transaction, committing };

// The failure a row means. Effect: unknown for an ambiguous row while committing or during a
// statement by itself, else none. `message` is safe to show: drivers keep values out of it.
Failure failure_of(const ErrorRow& row, During during, std::string message = {},
                   std::string code = {});

}  // namespace sql
}  // namespace v0
}  // namespace perdure
