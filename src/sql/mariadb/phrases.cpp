// SPDX-License-Identifier: Apache-2.0
#include "phrases.hpp"

#include <algorithm>
#include <bit>

#include "trouble.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

std::int64_t milliseconds(Duration limit) noexcept {
    if (limit == never) return server_own;
    const auto up = std::chrono::ceil<std::chrono::milliseconds>(std::min<Duration>(limit, 24h));
    return std::max<std::int64_t>(1, up.count());  // 0 would be no limit at all
}

std::int64_t seconds_or_own(Duration limit) noexcept {
    return limit == never ? server_own : whole_seconds(limit);
}

std::string quoted(std::string_view table) {
    const std::size_t dot = table.find('.');
    if (dot == std::string_view::npos) return "`" + std::string{table} + "`";
    return "`" + std::string{table.substr(0, dot)} + "`.`" + std::string{table.substr(dot + 1)} +
           "`";
}

std::string old_enough(const PurgeBatch& which) {
    const auto age = std::chrono::duration_cast<std::chrono::microseconds>(which.age);
    std::string text = " WHERE created_at < CURRENT_TIMESTAMP(6) - INTERVAL " +
                       std::to_string(age.count()) + " MICROSECOND";
    if (!which.from.empty()) text.append(" AND created_at >= '").append(which.from).append("'");
    return text;
}

std::string decimal_seconds(std::int64_t ms) {
    std::string fraction = std::to_string(ms % 1000);
    fraction.insert(0, 3 - fraction.size(), '0');
    return std::to_string(ms / 1000) + "." + fraction;
}

// Collects "name=value" pairs of one SET.
class Assignments {
public:
    void add(std::string_view name, std::int64_t value, std::string text) {
        text_ += text_.empty() ? "SET SESSION " : ",SESSION ";
        text_ += name;
        text_ += value == server_own ? "=DEFAULT" : "=" + std::move(text);
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string text_;
};

std::string_view level_of(Isolation isolation) noexcept {
    switch (isolation) {
        case Isolation::read_committed: return "READ COMMITTED";
        case Isolation::repeatable_read: return "REPEATABLE READ";
        case Isolation::serializable: return "SERIALIZABLE";
        case Isolation::server_default: break;
    }
    return {};
}

// Neither shorter than what is left nor so long that it limits nothing.
bool still_fits(std::int64_t ms, Duration left) noexcept {
    if (left == never) return ms == server_own;
    if (ms == server_own) return false;
    const auto set = std::chrono::milliseconds{ms};
    return set >= left && set / 4 <= std::max<Duration>(left, 1s);
}

}  // namespace

std::int64_t whole_seconds(Duration wait) noexcept {
    constexpr Duration longest = 365 * 24h;
    const auto up =
        std::chrono::ceil<std::chrono::seconds>(std::clamp<Duration>(wait, 1s, longest));
    return up.count();
}

// A wait for a lock must end before the statement's limit does: "lock wait timeout" is worth another
// attempt, "took too long" is not.
Limits limits_of(const Beginning& how) noexcept {
    Limits limits{.statement_ms = milliseconds(how.statement_limit),
                  .lock_seconds = seconds_or_own(how.lock_limit),
                  .idle_seconds = seconds_or_own(how.idle_limit)};
    if (limits.lock_seconds == server_own || limits.statement_ms == server_own) return limits;
    limits.lock_seconds = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::seconds>(how.lock_limit).count());
    limits.statement_ms = std::max(limits.statement_ms, limits.lock_seconds * 1000 + 200);
    return limits;
}

Limits limits_alone(Duration left, const Limits& now_set) noexcept {
    Limits limits = now_set;  // how long it may idle in a transaction does not matter here
    if (!still_fits(now_set.statement_ms, left))
        limits.statement_ms =
            left == never
                ? server_own
                : 1000 * static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(
                             whole_seconds(std::min<Duration>(left, 24h)))));
    const std::int64_t lock_ms =
        now_set.lock_seconds == server_own ? server_own : 1000 * now_set.lock_seconds;
    if (!still_fits(lock_ms, left))
        limits.lock_seconds =
            limits.statement_ms == server_own ? server_own : limits.statement_ms / 1000;
    return limits;
}

std::string set_limits(const Limits& wanted, const Limits& now_set, Dialect dialect) {
    Assignments set;
    if (wanted.lock_seconds != now_set.lock_seconds)
        set.add("innodb_lock_wait_timeout", wanted.lock_seconds,
                std::to_string(wanted.lock_seconds));
    const bool mysql = dialect == Dialect::mysql;
    if (wanted.statement_ms != now_set.statement_ms)
        set.add(mysql ? "max_execution_time" : "max_statement_time", wanted.statement_ms,
                mysql ? std::to_string(wanted.statement_ms) : decimal_seconds(wanted.statement_ms));
    if (wanted.idle_seconds != now_set.idle_seconds && !mysql)
        set.add("idle_transaction_timeout", wanted.idle_seconds,
                std::to_string(wanted.idle_seconds));
    return set.take();
}

Result<void> check_table(std::string_view table) {
    const auto fine = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    const std::size_t dot = table.find('.');
    const std::string_view schema = dot == std::string_view::npos ? "x" : table.substr(0, dot);
    const std::string_view name = dot == std::string_view::npos ? table : table.substr(dot + 1);
    if (!schema.empty() && !name.empty() && std::ranges::all_of(schema, fine) &&
        std::ranges::all_of(name, fine))
        return {};
    return fail(misuse("token-table", "the name of the token table may have letters, digits, "
                                      "underscores and one dot"));
}

std::string insert_token(const Token& token, const Token* attempt_id, std::string_view table) {
    const std::string into = "INSERT INTO " + quoted(table);
    if (!attempt_id) return into + " (token) VALUES (x'" + token.hex() + "')";
    return into + " (token,attempt_id) VALUES (x'" + token.hex() + "',x'" + attempt_id->hex() +
           "')";
}

std::string read_token(const Token& token, std::string_view table) {
    return "SELECT HEX(attempt_id) FROM " + quoted(table) + " WHERE token=x'" + token.hex() + "'";
}

Opening opening(const Beginning& how, const Limits& now_set, Dialect dialect) {
    Opening opening;
    const auto say = [&](std::string_view text) {
        if (text.empty()) return;
        if (!opening.text.empty()) opening.text += ';';
        opening.text += text;
        ++opening.token_at;
    };
    say(set_limits(limits_of(how), now_set, dialect));
    if (const std::string_view level = level_of(how.isolation); !level.empty())
        say("SET TRANSACTION ISOLATION LEVEL " + std::string{level});
    say(how.access == Access::read_only ? "START TRANSACTION READ ONLY" : "START TRANSACTION");
    if (how.token) {
        say(insert_token(*how.token, how.attempt_id, how.token_table));
        --opening.token_at;
    }
    return opening;
}

std::string greeting() { return "SET SESSION autocommit=1;SELECT CONNECTION_ID()+0"; }

std::string server_question(std::string_view lock) {
    std::string text = "SELECT @@global.read_only,CONCAT_WS(':',@@hostname,@@port,@@server_id)";
    // The lock stands last: where it is refused, the rest has been done.
    if (!lock.empty()) text.append(";SELECT GET_LOCK('").append(lock).append("',0)");
    return text;
}

std::string probing(const Token& token, std::string_view table, std::int64_t lock_seconds) {
    return "SET SESSION innodb_lock_wait_timeout=" + std::to_string(lock_seconds) +
           ";START TRANSACTION;" + insert_token(token, nullptr, table) + ";ROLLBACK";
}

std::string find_tokens(std::string_view table) {
    const std::size_t dot = table.find('.');
    const std::string_view name = dot == std::string_view::npos ? table : table.substr(dot + 1);
    std::string text =
        "SELECT MAX(column_name='attempt_id') FROM information_schema.columns WHERE table_schema=";
    if (dot == std::string_view::npos) text.append("DATABASE()");
    else text.append("'").append(table.substr(0, dot)).append("'");
    return text.append(" AND table_name='").append(name).append("'");
}

std::string create_tokens(std::string_view table) {
    return "CREATE TABLE IF NOT EXISTS " + quoted(table) +
           " (token BINARY(16) NOT NULL PRIMARY KEY, attempt_id BINARY(16),"
           " created_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),"
           " KEY (created_at)) ENGINE=InnoDB";
}

// Waits for every transaction that holds a token, and all later ones wait behind it: so not for long.
std::string add_attempt_id(std::string_view table) {
    return "SET SESSION lock_wait_timeout=1;ALTER TABLE " + quoted(table) +
           " ADD COLUMN attempt_id BINARY(16);SET SESSION lock_wait_timeout=DEFAULT";
}

std::string use_utc() {
    return "SET @perdure_zone=@@SESSION.time_zone;SET SESSION time_zone='+00:00'";
}

std::string use_own_zone() { return "SET SESSION time_zone=@perdure_zone"; }

std::string find_batch_end(std::string_view table, const PurgeBatch& which) {
    return "SELECT created_at FROM " + quoted(table) + old_enough(which) +
           " ORDER BY created_at LIMIT 1 OFFSET " + std::to_string(std::max(which.tokens, 1) - 1);
}

std::string delete_tokens(std::string_view table, const PurgeBatch& which, std::string_view end) {
    std::string text = "DELETE FROM " + quoted(table) + old_enough(which);
    if (!end.empty()) text.append(" AND created_at <= '").append(end).append("'");
    return text;
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
