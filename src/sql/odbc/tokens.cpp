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

// The id in the first column of the first row.
class IdSink final : public RowSink {
public:
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell> cells) override {
        PERDURE_TRY_VALUE(row_.attempt_id, read<std::optional<Token>>(cells[0]));
        return {};
    }
    [[nodiscard]] const TokenRow& found() const noexcept { return row_; }

private:
    TokenRow row_;
};

std::string old_token_table(Product product, std::string_view table) {
    return "the token table " + std::string{table} +
           " is of an earlier version: have it changed by a user who may alter it (.tokens = "
           "{.use = TokenUse::create}), or let such a user run " +
           add_attempt_id(product, table);
}

}  // namespace

Failure OdbcSession::fall_with_table(const Reply& reply, std::string_view table) {
    const bool missing = is_missing_table(product_, reply.records);
    const bool old = is_missing_column(product_, reply.records);
    Failure failure = fall(reply, During::in_transaction);
    if (!missing && !old) return failure;
    Failure clear{.cause = Cause::invalid, .effect = Effect::none, .code = failure.code};
    if (old) {
        clear.message = old_token_table(product_, table);
        return clear;
    }
    clear.message = "the token table " + std::string{table} +
                    " is not there: have it created (.tokens = {.use = TokenUse::create}), or run "
                    "the statement that docs/guide/sql.md prints for it";
    return clear;
}

Result<TokenRow> OdbcSession::token_row(const Token& token, std::string_view table,
                                        const Bounds& bounds) {
    IdSink sink;
    const std::string text = read_token(product_, token, table);
    auto done = run({.text = text}, sink, bounds);
    if (done) return sink.found();
    // Not allowed to read it, or no such column: the token is taken all the same.
    if (state_ == State::idle && !is_repeatable(done.error().cause)) return TokenRow{};
    done.error().effect = Effect::none;
    return done.take_failure();
}

Result<Landed<TokenRow>> OdbcSession::probe(const Token& token, std::string_view table,
                                            Duration wait, const Bounds& bounds) {
    PERDURE_TRY(must_be(State::idle, "probe"));
    const Beginning how{.token = &token, .token_table = table, .lock_limit = wait};
    PERDURE_TRY_VALUE(const auto job, open_transaction(how, bounds));
    const Reply& reply = job->reply();
    if (reply.good) {
        state_ = State::open;
        roll_back(bounds);
        return Landed<TokenRow>::no();
    }
    const bool taken = is_duplicate(product_, reply.records);
    const bool held = !taken && is_lock_timeout(product_, reply.records);
    if (!taken && !held) return fail(fall_with_table(reply, table));
    if (reply.life == Life::dead) drop();
    if (held) return Landed<TokenRow>::pending();
    PERDURE_TRY_VALUE(const TokenRow row, token_row(token, table, bounds));
    return Landed<TokenRow>::yes(row);
}

// ODBC has no question for the fate of another session's transaction.
Result<Landed<void>> OdbcSession::outcome_of(const Doubt&, const Bounds&) {
    return Landed<void>::unknown();
}

// Nor for another session: to list and to end them differs by product and needs rights that
// applications rarely have, on SQL Server those of an administrator. The token answers instead.
Result<Remains> OdbcSession::end_old(const Doubt&, const Bounds&) { return Remains::cannot_tell; }

// A table that this role may not read may still be written to.
Result<OdbcSession::TokenTable> OdbcSession::find_token_table(std::string_view table,
                                                              const Bounds& bounds) {
    const Order order{.text = find_tokens(table), .timeout = seconds_left(bounds, clock_)};
    const Work look = [order](Link& link, Job& job) { return link.run(order, job); };
    NoRows nothing;
    PERDURE_TRY_VALUE(const auto job, perform(look, During::in_transaction, bounds, &nothing));
    const Reply& reply = job->reply();
    if (reply.good) return TokenTable::good;
    if (is_missing_column(product_, reply.records)) return TokenTable::old;
    Failure failure = fall(reply, During::in_transaction);
    if (state_ != State::idle) return fail(std::move(failure));
    return TokenTable::missing;
}

Result<void> OdbcSession::make_tokens(std::string_view table, const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    PERDURE_TRY(must_be(State::idle, "make_tokens"));
    PERDURE_TRY_VALUE(const TokenTable found, find_token_table(table, bounds));
    if (found == TokenTable::good) return {};
    NoRows nothing;
    const std::string text =
        found == TokenTable::old ? add_attempt_id(product_, table) : create_tokens(product_, table);
    auto done = run({.text = text}, nothing, bounds);
    // Somebody else may create it, or its column, at the same time.
    constexpr std::array<std::string_view, 8> there{"2714", "42S01", "42P07", "23505",
                                                    "2705", "42S21", "42701", "1060"};
    if (done && found == TokenTable::missing) return make_index(table, bounds);
    if (done || std::ranges::find(there, done.error().code) != there.end()) return {};
    if (found == TokenTable::old && !is_repeatable(done.error().cause))
        done.error().message = old_token_table(product_, table) + " (" + done.error().message + ")";
    return done.take_failure();
}

// While the table is new and empty. On an old one PostgreSQL would block writers for as long as it takes.
Result<void> OdbcSession::make_index(std::string_view table, const Bounds& bounds) {
    const std::string text = create_token_index(product_, table);
    if (text.empty()) return {};
    NoRows nothing;
    PERDURE_TRY(run({.text = text}, nothing, bounds));
    return {};
}

Result<Purged> OdbcSession::purge_tokens(std::string_view table, const PurgeBatch& which,
                                         const Bounds& bounds) {
    PERDURE_TRY(check_table(table));
    PERDURE_TRY(must_be(State::idle, "purge_tokens"));
    NoRows nothing;
    const std::string text = delete_tokens(product_, table, which.age, which.tokens);
    PERDURE_TRY_VALUE(const Done done, run({.text = text}, nothing, bounds));
    return Purged{.tokens = done.affected, .next = done.affected < which.tokens ? "" : "oldest"};
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
