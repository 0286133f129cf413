// SPDX-License-Identifier: Apache-2.0
//
// How does each product say what ODBC has no call for? Limits of a transaction, and all about the
// token table. Pure: statements as text, made of checked names and numbers only.
#pragma once

#include <string>
#include <vector>

#include "perdure/sql/error_table.hpp"
#include "perdure/sql/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

// Letters, digits, underscores, and one dot between schema and table.
Result<void> check_table(std::string_view table);

// What has to stay as it was told to the session last time, so that it is told again only if changed.
struct Told {
    std::string limits{};
};

// What begins a transaction: limits first, then the token. Each text is one round trip.
std::vector<std::string> opening(Product product, const Beginning& how, Told& told);

// Without an attempt's id only the token.
std::string insert_token(Product product, const Token& token, const Token* attempt_id,
                         std::string_view table);
// Which attempt wrote a token's row.
std::string read_token(Product product, const Token& token, std::string_view table);
// Fails where the table, or its column for attempts, is missing.
std::string find_tokens(std::string_view table);
std::string add_attempt_id(Product product, std::string_view table);
std::string create_tokens(Product product, std::string_view table);
// The index by which old tokens are found; empty where it is part of the table, or where one cannot be
// made only if it is missing.
std::string create_token_index(Product product, std::string_view table);
std::string delete_tokens(Product product, std::string_view table, Duration age, int batch);

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
