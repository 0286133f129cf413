// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "perdure/try.hpp"
#include "sql/odbc/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// For statements that give no rows.
class NoRows final : public RowSink {
public:
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell>) override { return {}; }
};

}  // namespace

Failure OdbcSession::fall_with_table(const Reply& reply, std::string_view table) {
    const bool missing = is_missing_table(product_, reply.records);
    Failure failure = fall(reply, During::in_transaction);
    if (!missing) return failure;
    Failure clear{.cause = Cause::invalid, .effect = Effect::none, .code = failure.code};
    clear.message = "the token table " + std::string{table} +
                    " is not there: have it created (.tokens = {.use = TokenUse::create}), or run "
                    "the statement that docs/guide/sql.md prints for it";
    return clear;
}

Result<Landed<void>> OdbcSession::probe(const Token& token, std::string_view table, Duration wait,
                                        const Bounds& bounds) {
    PERDURE_TRY(must_be(State::idle, "probe"));
    const Beginning how{.token = &token, .token_table = table, .lock_limit = wait};
    PERDURE_TRY_VALUE(const auto job, open_transaction(how, bounds));
    const Reply& reply = job->reply();
    if (reply.good) {
        state_ = State::open;
        roll_back(bounds);
        return Landed<void>::no();
    }
    const bool taken = is_duplicate(product_, reply.records);
    const bool held = !taken && is_lock_timeout(product_, reply.records);
    if (!taken && !held) return fail(fall_with_table(reply, table));
    if (reply.life == Life::dead) drop();
    return taken ? Landed<void>::yes() : Landed<void>::pending();
}

// ODBC has no question for the fate of another session's transaction.
Result<Landed<void>> OdbcSession::outcome_of(const Doubt&, const Bounds&) {
    return Landed<void>::unknown();
}

// Nor for another session: to list and to end them differs by product and needs rights that
// applications rarely have, on SQL Server those of an administrator. The token answers instead.
Result<Remains> OdbcSession::end_old(const Doubt&, const Bounds&) { return Remains::cannot_tell; }

Result<void> OdbcSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    PERDURE_TRY(must_be(State::idle, "make_tokens"));
    NoRows nothing;
    const std::string text = create_tokens(product_, table);
    auto done = run({.text = text}, nothing, bounds);
    // Somebody else may create it at the same time.
    constexpr std::array<std::string_view, 4> there{"2714", "42S01", "42P07", "23505"};
    if (done || std::ranges::find(there, done.error().code) != there.end()) return {};
    return done.take_failure();
}

Result<std::int64_t> OdbcSession::purge_tokens(std::string_view table, Duration age, int batch,
                                               const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    PERDURE_TRY(must_be(State::idle, "purge_tokens"));
    NoRows nothing;
    const std::string text = delete_tokens(product_, table, age, batch);
    PERDURE_TRY_VALUE(const Done done, run({.text = text}, nothing, bounds));
    return done.affected;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
