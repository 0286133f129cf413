// SPDX-License-Identifier: Apache-2.0
//
// What a fresh session finds out about the lost COMMIT of another, and what it does for tokens.
#include <algorithm>
#include <array>

#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

constexpr unsigned statement_limit = 1969;
constexpr unsigned not_its_owner = 1095;

// It is put into a text, so it must be one of ours.
bool is_lock_name(std::string_view name) noexcept {
    constexpr std::string_view start = "perdure-";
    return name.starts_with(start) && name.size() == start.size() + 16 &&
           std::ranges::all_of(name.substr(start.size()), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::optional<std::string> single(const Batch& batch) {
    if (batch.first_rows.empty() || batch.first_rows[0].empty()) return std::nullopt;
    return batch.first_rows[0][0];
}

bool is_number(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Result<Landed<TokenRow>> MariadbSession::probe(const Token& token, std::string_view table,
                                               Duration wait, const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready_and_idle(watch));
    access_ = Access::read_write;
    const Duration left = bounds.deadline.left(clock_.now());
    // Rounded down where a whole second more would be cut off by the bounds.
    const Duration fitting = left == never ? wait : std::min(wait, left - left % 1s);
    // MariaDB takes 0 for "do not wait"; MySQL's least is a second.
    const bool at_once = wait < 1s && link_.dialect() == Dialect::mariadb;
    const std::int64_t seconds = at_once ? 0 : whole_seconds(fitting);
    const Batch batch = link_.ask(probing(token, table, seconds), watch);
    if (batch.done > 0) limits_.lock_seconds = seconds;
    if (!batch.trouble.any()) return Landed<TokenRow>::no();
    constexpr std::size_t insert_at = 2;
    Failure failure = undone(batch.trouble, watch);
    if (batch.done == insert_at && batch.trouble.cut == Cut::not_cut) {
        switch (batch.trouble.number) {
            case duplicate_key: {
                PERDURE_TRY_VALUE(const TokenRow row, token_row(token, table, watch));
                return Landed<TokenRow>::yes(row);
            }
            case lock_wait_timeout:
            case statement_limit: return Landed<TokenRow>::pending();
            case no_such_table: return fail(token_table_missing(table, batch.trouble));
            default: break;
        }
    }
    return fail(std::move(failure));
}

Result<TokenRow> MariadbSession::token_row(const Token& token, std::string_view table,
                                           const Watch& watch) {
    PERDURE_TRY(ready_and_idle(watch));
    const Batch batch = link_.ask(read_token(token, table), watch);
    // Not allowed to read it, or no such column: the token is taken all the same.
    constexpr std::array unreadable{no_such_column, 1142U, 1143U};
    if (std::ranges::find(unreadable, batch.trouble.number) != unreadable.end()) return TokenRow{};
    if (batch.trouble.any()) return fail(failed(batch.trouble, During::in_transaction));
    return TokenRow{Token::parse(single(batch).value_or(""))};
}

Result<Landed<void>> MariadbSession::outcome_of(const Doubt&, const Bounds&) {
    return Landed<void>::unknown();
}

Result<Remains> MariadbSession::end_old(const Doubt& doubt, const Bounds& bounds) {
    // Another server does not know the lock, and its silence would prove nothing.
    if (!is_lock_name(doubt.session) || doubt.fence != where_) return Remains::cannot_tell;
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready_and_idle(watch));
    const std::string lock = "'" + doubt.session + "'";
    PERDURE_TRY_VALUE(const Batch held,
                      ask("SELECT IS_USED_LOCK(" + lock + ")", watch, During::in_transaction));
    const std::optional<std::string> owner = single(held);
    if (!owner) return Remains::gone;
    if (!is_number(*owner)) return Remains::cannot_tell;
    const Batch killed = link_.ask("KILL CONNECTION " + *owner, watch);
    if (breaks_session(killed.trouble) && killed.trouble.any())
        return fail(failed(killed.trouble, During::in_transaction));
    if (killed.trouble.number == not_its_owner) return Remains::alive;
    // Its locks are freed when it has rolled back. Waited for by the server, not by us.
    const bool has_time = bounds.deadline.left(clock_.now()) > 1500ms;
    PERDURE_TRY_VALUE(const Batch waited,
                      ask("SELECT GET_LOCK(" + lock + (has_time ? ",1)" : ",0)") +
                              ";DO RELEASE_LOCK(" + lock + ")",
                          watch, During::in_transaction));
    return single(waited) == "1" ? Remains::gone : Remains::alive;
}

Result<void> MariadbSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready_and_idle(watch));
    // Looked for first: a role that may not create tables may use one that is there.
    PERDURE_TRY_VALUE(const Batch found, ask(find_tokens(table), watch, During::in_transaction));
    const std::optional<std::string> has_column = single(found);
    if (has_column) return has_column == "1" ? Result<void>{} : add_column(table, watch);
    PERDURE_TRY(ask(create_tokens(table), watch, During::statement));
    return {};
}

Result<void> MariadbSession::add_column(std::string_view table, const Watch& watch) {
    constexpr unsigned is_there = 1060;
    const Batch batch = link_.ask(add_attempt_id(table), watch);
    if (!batch.trouble.any()) return {};
    spoil();  // the shorter wait for locks is still set
    if (batch.trouble.number == is_there) return {};
    constexpr std::array forbidden{1142U, 1044U};
    if (std::ranges::find(forbidden, batch.trouble.number) != forbidden.end())
        return fail(token_table_old(table, batch.trouble));
    return fail(failed(batch.trouble, During::statement));
}

// By a range of the index, which ends where the batch does. The rows stay in the index, marked as
// deleted, until the server cleans up.
Result<Purged> MariadbSession::purge_tokens(std::string_view table, const PurgeBatch& which,
                                            const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    const Watch watch{clock_, bounds};
    PERDURE_TRY(ready_and_idle(watch));
    PERDURE_TRY(fit_limits(watch, bounds));
    auto purged = purge_range(table, which, watch);
    if (!purged) spoil();  // it may still be in UTC
    return purged;
}

Result<Purged> MariadbSession::purge_range(std::string_view table, const PurgeBatch& which,
                                           const Watch& watch) {
    PERDURE_TRY(ask(use_utc(), watch, During::in_transaction));
    PERDURE_TRY_VALUE(const Batch found,
                      ask(find_batch_end(table, which), watch, During::in_transaction));
    Purged purged{.next = single(found).value_or("")};
    PERDURE_TRY_VALUE(const Batch deleted,
                      ask(delete_tokens(table, which, purged.next), watch, During::statement));
    purged.tokens = deleted.affected;
    PERDURE_TRY(ask(use_own_zone(), watch, During::statement));
    return purged;
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
