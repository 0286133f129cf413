// SPDX-License-Identifier: Apache-2.0
//
// BEGIN with all that belongs to it in one round trip, and COMMIT taken at its word.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "perdure/try.hpp"
#include "proof.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// For ROLLBACK: a session that does not get it done by then is closed instead.
constexpr Duration longest_roll_back = 1s;

std::string_view words(Isolation isolation) noexcept {
    switch (isolation) {
        case Isolation::server_default: return "";
        case Isolation::read_committed: return " ISOLATION LEVEL READ COMMITTED";
        case Isolation::repeatable_read: return " ISOLATION LEVEL REPEATABLE READ";
        case Isolation::serializable: return " ISOLATION LEVEL SERIALIZABLE";
    }
    return "";
}

std::int64_t milliseconds_of(Duration value) noexcept {
    const auto count = std::chrono::ceil<std::chrono::milliseconds>(value).count();
    return std::clamp<std::int64_t>(count, 1, 2'000'000'000);
}

// SET LOCAL and not set_config(): a query would take the transaction's snapshot.
void limit(std::string& text, std::string_view setting, Duration value) {
    if (value == never) return;
    std::array<char, 12> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), milliseconds_of(value)).ptr;
    text.append(";SET LOCAL ").append(setting).append("=").append(digits.data(), end);
}

}  // namespace

std::string milliseconds(Duration value) { return std::to_string(milliseconds_of(value)); }

Result<void> check_table(std::string_view table) {
    int dots = 0;
    bool fresh = true;  // at the beginning of a name
    bool good = !table.empty() && table.size() <= 127;
    for (const char c : table) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9' && !fresh;
        const bool dot = c == '.' && !fresh && ++dots == 1;
        good = good && (letter || digit || dot);
        fresh = dot;
    }
    if (good && !fresh) return {};
    return fail(invalid("table-name", "the name of the token table has letters, digits and "
                                      "underscores, and one dot after a schema's name"));
}

std::string old_token_table(std::string_view table) {
    const std::string name{table};
    return "the token table " + name +
           " is of an earlier version: let it be changed by a role that owns it "
           "(.tokens = {.use = TokenUse::create}), or let its owner run ALTER TABLE " +
           name + " ADD COLUMN attempt_id uuid";
}

// A token's row takes the transaction's snapshot. Where that lasts, it is inserted later, right before
// the first statement that would take one: so that LOCK TABLE comes first, as the user wrote it.
bool PostgresSession::defers_token(const Beginning& how) const noexcept {
    if (!how.token) return false;
    if (how.isolation == Isolation::server_default) return snapshot_lasts_;
    return how.isolation != Isolation::read_committed;
}

std::string PostgresSession::token_insert(const Beginning& how) const {
    std::string text{"INSERT INTO "};
    text.append(how.token_table);
    text.append(how.attempt_id ? " (token,attempt_id) VALUES ('" : " (token) VALUES ('");
    text.append(how.token->hex());
    if (how.attempt_id) text.append("','").append(how.attempt_id->hex());
    text.append("')");
    // The insert takes a number anyway.
    if (proof_ <= Proof::without_fence)
        text.append(" RETURNING pg_backend_pid(),")
            .append(functions_of(PQserverVersion(link_.get())).number);
    return text;
}

std::string PostgresSession::opening(const Beginning& how) const {
    std::string text;
    text.reserve(448);
    text.append("BEGIN").append(words(how.isolation));
    if (how.access == Access::read_only) text += " READ ONLY";
    limit(text, "statement_timeout", how.statement_limit);
    limit(text, "lock_timeout", how.lock_limit);
    limit(text, "idle_in_transaction_session_timeout", how.idle_limit);
    if (how.token && !defers_token(how)) text.append(";").append(token_insert(how));
    return text;
}

Result<Begun> PostgresSession::begin(const Beginning& how, const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    if (how.token) PERDURE_TRY(check_table(how.token_table));
    if (how.token && how.access == Access::read_only)
        return fail(invalid("token", "a read-only transaction cannot write its token"));
    if (state() != State::idle)
        return fail(invalid("25001", "a transaction has been begun on this session already"));
    drop_leftovers(bounds);
    const bool writes = how.access == Access::read_write;
    if (how.token || (writes && how.noting == Noting::transaction))
        PERDURE_TRY(find_provable(bounds));
    return begun(how, link_.ask(opening(how).c_str(), bounds), bounds);
}

Result<Begun> PostgresSession::begun(const Beginning& how, const Reply& reply,
                                     const Bounds& bounds) {
    first_failure_.reset();
    found_token_.reset();
    pending_token_.reset();
    ended_ = false;
    if (!reply.good()) {
        const bool taken = how.token && reply.error && sqlstate(reply.error.get()) == "23505";
        Fail failure = how.token ? token_trouble(reply, how.token_table)
                                 : failed(reply, During::in_transaction);
        roll_back(bounds);
        if (!taken) return failure;
        PERDURE_TRY_VALUE(const TokenRow row, token_row(*how.token, how.token_table, bounds));
        return Begun{.what = Beginnings::token_taken, .taken = row};
    }
    begun_ = true;
    access_ = how.access;
    ran_ = false;
    number_wanted_ = false;
    notes_ = !how.token && how.access == Access::read_write && how.noting == Noting::transaction &&
             proof_ <= Proof::without_fence;
    noted_ = {};
    if (defers_token(how))
        pending_token_ = {.token = *how.token,
                          .attempt_id =
                              how.attempt_id ? std::optional{*how.attempt_id} : std::nullopt,
                          .table = std::string{how.token_table}};
    else if (how.token) read_returned(reply.last.get());
    Begun begun{.doubt = identity_};
    if (how.noting == Noting::transaction && proof_ != Proof::fate)
        begun.doubt.missing = common_->provable.why();
    tell(begun.doubt);
    return begun;
}

// What the insert of the token gave back.
void PostgresSession::read_returned(const PGresult* answer) {
    if (PQntuples(answer) != 1 || PQnfields(answer) != 2) return;
    if (identity_.session.empty()) noted_.session = cell(answer, 0);
    noted_.transaction = cell(answer, 1);
}

// Found taken, the transaction is over: found_token() has the row.
Result<void> PostgresSession::leave_token(const Bounds& bounds) {
    const PendingToken pending = *std::exchange(pending_token_, std::nullopt);
    const std::string text =
        token_insert({.token = &pending.token,
                      .attempt_id = pending.attempt_id ? &*pending.attempt_id : nullptr,
                      .token_table = pending.table});
    PERDURE_TRY(ready(bounds));
    const Reply reply = link_.ask(text.c_str(), bounds);
    if (reply.good()) {
        read_returned(reply.last.get());
        return {};
    }
    const bool taken = reply.error && sqlstate(reply.error.get()) == "23505";
    Fail failure = token_trouble(reply, pending.table);
    if (!taken) return failure;
    const std::optional<Failure> first = first_failure_;
    roll_back(bounds);
    PERDURE_TRY_VALUE(found_token_, token_row(pending.token, pending.table, bounds));
    begun_ = true;
    ended_ = true;
    first_failure_ = first;
    return failure;
}

Fail PostgresSession::token_trouble(const Reply& reply, std::string_view table) {
    Fail trouble = failed(reply, During::in_transaction);
    if (!reply.error) return trouble;
    const std::string_view code = sqlstate(reply.error.get());
    const std::string said =
        " (" + std::string{error_field(reply.error.get(), PG_DIAG_MESSAGE_PRIMARY)} + ")";
    if (code == "42P01" || code == "3F000")
        return fail(invalid(std::string{code},
                            "the token table " + std::string{table} +
                                " does not exist: let it be created (.tokens = {.use = "
                                "TokenUse::create}) or run the statement in docs/guide/sql.md" +
                                said));
    if (code == "42703") return fail(invalid(std::string{code}, old_token_table(table) + said));
    if (code == "42501") {
        std::unique_ptr<Failure> failure = trouble.release();
        failure->message =
            "this role may not insert into the token table " + std::string{table} + said;
        return Fail{std::move(failure)};
    }
    return trouble;
}

Failure PostgresSession::rolled_back() const {
    if (first_failure_) return *first_failure_;
    return sql::failure_of(row_of(Product::postgres, "25P02"), During::in_transaction);
}

Result<void> PostgresSession::commit(const Bounds& bounds) {
    if (!begun_) return fail(invalid("25P01", "there is no transaction to commit"));
    // Whoever knows that the link is dead knows that nothing will be committed.
    if (state() == State::broken || !link_.alive()) {
        discard_ = true;
        return fail(first_failure_ ? *first_failure_ : not_sent(link_.notices()));
    }
    if (state() != State::open) {
        Failure why = rolled_back();
        roll_back(bounds);
        return fail(std::move(why));
    }
    PERDURE_TRY(ready(bounds));
    const Reply reply = link_.ask("COMMIT", bounds);
    if (reply.sent) begun_ = false;
    const std::string_view tag = reply.last ? PQcmdStatus(reply.last.get()) : "";
    if (tag == "COMMIT") return {};
    // The server's OK to the end of a transaction that had failed before.
    if (tag == "ROLLBACK") return fail(rolled_back());
    return failed(reply, During::committing);
}

void PostgresSession::roll_back(const Bounds& bounds) noexcept {
    begun_ = false;
    ended_ = false;
    first_failure_.reset();
    pending_token_.reset();
    if (state() == State::idle) return;
    if (state() != State::broken) {
        const Deadline soon = Deadline::in(longest_roll_back, link_.clock().now());
        const Reply reply =
            link_.ask("ROLLBACK", {.deadline = bounds.deadline.tighter(soon), .stop = bounds.stop});
        if (reply.good() && state() == State::idle) return;
    }
    discard_ = true;
    link_.close();
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
