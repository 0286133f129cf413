// SPDX-License-Identifier: Apache-2.0
//
// What is said to the server beside the caller's own statements? Pure: texts made of checked names and
// numbers only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/sql/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

enum class Dialect : std::uint8_t { mariadb, mysql };

// Variables of a session, as we set them; they outlive the transaction they were set for. Milliseconds
// and seconds; `server_own` is what the server has for all.
inline constexpr std::int64_t server_own = -1;
struct Limits {
    std::int64_t statement_ms = server_own;
    std::int64_t lock_seconds = server_own;
    std::int64_t idle_seconds = server_own;
    friend bool operator==(const Limits&, const Limits&) = default;
};

[[nodiscard]] Limits limits_of(const Beginning& how) noexcept;
// For statements by themselves: the smallest power of two of seconds that is not shorter than what
// is left. `now_set` is kept where it is neither too short nor much too long, because a change costs
// a round trip.
[[nodiscard]] Limits limits_alone(Duration left, const Limits& now_set) noexcept;
// "SET SESSION …", without what is as it should be; empty where nothing is left.
[[nodiscard]] std::string set_limits(const Limits& wanted, const Limits& now_set, Dialect dialect);

// Letters, digits, underscores, and one dot between schema and table.
[[nodiscard]] Result<void> check_table(std::string_view table);
[[nodiscard]] std::string insert_token(const Token& token, const Token* attempt_id,
                                       std::string_view table);

// All of a beginning in one text. `token_at` says which of its statements inserts the token.
struct Opening {
    std::string text{};
    std::size_t token_at = 0;
};
[[nodiscard]] Opening opening(const Beginning& how, const Limits& now_set, Dialect dialect);

// First on every connection. Its second statement returns the id that the server itself has for the
// connection; the sum keeps ProxySQL from answering with an id of its own.
[[nodiscard]] std::string greeting();
// Whether the server takes writes and which one it is; takes the lock if a name is given. Not for
// connections through a proxy: ProxySQL shares none that has read a variable or holds a lock.
[[nodiscard]] std::string server_question(std::string_view lock);
[[nodiscard]] std::string probing(const Token& token, std::string_view table,
                                  std::int64_t lock_seconds);
// Which attempt wrote a token's row.
[[nodiscard]] std::string read_token(const Token& token, std::string_view table);
// 1: the table is there; 0: without the column for attempts; NULL: not at all.
[[nodiscard]] std::string find_tokens(std::string_view table);
[[nodiscard]] std::string create_tokens(std::string_view table);
[[nodiscard]] std::string add_attempt_id(std::string_view table);
// Purges go by UTC: a time as text in a zone that sets its clocks back may mean another hour.
[[nodiscard]] std::string use_utc();
[[nodiscard]] std::string use_own_zone();  // after use_utc()
// The time of the last token of a batch; no row where fewer are left.
[[nodiscard]] std::string find_batch_end(std::string_view table, const PurgeBatch& which);
// Up to `end`; empty: all that are old enough.
[[nodiscard]] std::string delete_tokens(std::string_view table, const PurgeBatch& which,
                                        std::string_view end);

[[nodiscard]] std::int64_t whole_seconds(Duration wait) noexcept;  // rounded up, at least one

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
