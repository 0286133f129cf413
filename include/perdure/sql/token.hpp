// SPDX-License-Identifier: Apache-2.0
//
// What does a transaction leave in the database so that its fate can be asked for later? A row with
// this token, written by the transaction itself: it is there if and only if the transaction is.
//
//     const auto token = sql::Token::make();            // keep it where the order is kept
//     sql::transact(bank, {.token = token}, …);         // runs once, however often it is called
//     sql::landed(bank, token);                         // much later, from another process
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// 16 bytes, written as a version 7 UUID: the time in milliseconds, then 74 random bits. So the tokens of
// one hour lie side by side in the table's primary key, and inserting and deleting them costs the same
// however many there are. Any other 16 bytes are a token too. A plain value.
class Token {
public:
    static Token make();
    static Token make(Random& random, WallTime now);
    // "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a11", with or without the hyphens.
    static std::optional<Token> parse(std::string_view text) noexcept;
    static Token of(const std::array<char, 16>& bytes) noexcept {
        Token token;
        token.bytes_ = bytes;
        return token;
    }

    [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_.data(), bytes_.size()}; }
    // 32 hexadecimal digits, lower case; fit for a literal of every database.
    [[nodiscard]] std::string hex() const;
    friend bool operator==(const Token&, const Token&) noexcept = default;

private:
    Token() noexcept = default;
    std::array<char, 16> bytes_{};
};

// With hyphens.
std::string to_string(const Token& token);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
