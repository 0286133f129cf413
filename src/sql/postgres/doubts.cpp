// SPDX-License-Identifier: Apache-2.0
//
// What became of a transaction of another session, whose COMMIT was not answered?
#include <algorithm>
#include <array>

#include "fence.hpp"
#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

constexpr Duration longest_kill = 1s;

std::string_view text_of(const PGresult* result, int column) noexcept {
    return PQntuples(result) == 1 ? PQgetvalue(result, 0, column) : "";
}

bool answered_with(const Reply& reply, std::string_view code) noexcept {
    return reply.error && sqlstate(reply.error.get()) == code;
}

// A number that was handed out again must not be taken for ours. "aborted" is right in any case: if
// the number was reused, ours is gone.
Landed<void> verdict(std::string_view status, std::string_view then, std::string_view now) {
    // On another cluster the number is a stranger's, whatever became of it.
    if (!then.empty() && !now.empty() && cluster_of(then) != cluster_of(now))
        return Landed<void>::unknown();
    if (status == "aborted") return Landed<void>::no();
    if (status == "in progress") return Landed<void>::pending();
    if (status == "committed" && !then.empty() && then == now) return Landed<void>::yes();
    return Landed<void>::unknown();
}

}  // namespace

std::string fence_in(const PGresult* result, int column) {
    std::string fence;
    for (int i = column; i < column + 3; ++i) {
        if (PQgetisnull(result, 0, i) != 0) return {};
        if (i > column) fence += '/';
        fence += PQgetvalue(result, 0, i);
    }
    return fence;
}

std::string_view cluster_of(std::string_view fence) noexcept {
    return fence.substr(0, fence.find('/'));
}

Reply PostgresSession::ask(const char* statement, std::initializer_list<const char*> values,
                           const Bounds& bounds) {
    if (const Wait over = link_.looked_at(bounds); over != Wait::ready) return {.wait = over};
    if (state() != State::idle ||
        PQsendQueryParams(link_.get(), statement, static_cast<int>(values.size()), nullptr,
                          values.begin(), nullptr, nullptr, 0) == 0)
        return {};
    return link_.rest(bounds);
}

Result<Landed<TokenRow>> PostgresSession::probe(const Token& token, std::string_view table,
                                                Duration wait, const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(check_table(table));
    std::string text = "BEGIN;SET LOCAL lock_timeout=" + milliseconds(wait) + ";INSERT INTO ";
    text.append(table).append(" (token) VALUES ('").append(token.hex()).append("');ROLLBACK");
    const Reply reply = link_.ask(text.c_str(), bounds);
    if (reply.good() && state() == State::idle) return Landed<TokenRow>::no();
    const bool there = answered_with(reply, "23505");
    const bool held = answered_with(reply, "55P03");
    if (there || held) {
        roll_back(bounds);
        if (held) return Landed<TokenRow>::pending();
        PERDURE_TRY_VALUE(const TokenRow row, token_row(token, table, bounds));
        return Landed<TokenRow>::yes(row);
    }
    Fail failure = token_trouble(reply, table);
    roll_back(bounds);
    return failure;
}

Result<TokenRow> PostgresSession::token_row(const Token& token, std::string_view table,
                                            const Bounds& bounds) {
    const std::string text =
        "SELECT attempt_id FROM " + std::string{table} + " WHERE token=$1::uuid";
    const Reply reply = ask(text.c_str(), {token.hex().c_str()}, bounds);
    // Not allowed to read it, or no such column: the token is taken all the same.
    if (answered_with(reply, "42501") || answered_with(reply, "42703")) return TokenRow{};
    if (!reply.good()) return failed(reply, During::in_transaction);
    return TokenRow{Token::parse(text_of(reply.last.get(), 0))};
}

Result<Landed<void>> PostgresSession::outcome_of(const Doubt& doubt, const Bounds& bounds) {
    if (doubt.transaction.empty()) return Landed<void>::unknown();
    PERDURE_TRY(ready(bounds));
    if (doubt.fence.empty() || common_->fence_forbidden)
        return outcome_without_fence(doubt, bounds);
    static const std::string question =
        "SELECT pg_xact_status($1::xid8)," + std::string{fence_columns};
    const Reply reply = ask(question.c_str(), {doubt.transaction.c_str()}, bounds);
    if (answered_with(reply, "22023")) return outcome_in_future(doubt, bounds);
    if (answered_with(reply, "42501")) return outcome_without_fence(doubt, bounds);
    if (!reply.good()) return failed(reply, During::in_transaction);
    return verdict(text_of(reply.last.get(), 0), doubt.fence, fence_in(reply.last.get(), 1));
}

// The number was never handed out here. If this is the same cluster after a crash or a failover, ours
// was lost in it.
Result<Landed<void>> PostgresSession::outcome_in_future(const Doubt& doubt, const Bounds& bounds) {
    static const std::string question = "SELECT " + std::string{fence_columns};
    const Reply reply = ask(question.c_str(), {}, bounds);
    if (!reply.good()) return failed(reply, During::in_transaction);
    const std::string now = fence_in(reply.last.get(), 0);
    const bool lost_here =
        !now.empty() && now != doubt.fence && cluster_of(now) == cluster_of(doubt.fence);
    return lost_here ? Landed<void>::no() : Landed<void>::unknown();
}

Result<Landed<void>> PostgresSession::outcome_without_fence(const Doubt& doubt,
                                                            const Bounds& bounds) {
    const Reply reply = ask("SELECT pg_xact_status($1::xid8)", {doubt.transaction.c_str()}, bounds);
    if (answered_with(reply, "22023")) return Landed<void>::unknown();
    if (!reply.good()) return failed(reply, During::in_transaction);
    return verdict(text_of(reply.last.get(), 0), {}, {});
}

Result<bool> PostgresSession::same_cluster(const Doubt& doubt, const Bounds& bounds) {
    if (doubt.fence.empty() || common_->fence_forbidden) return true;
    const Reply reply = ask("SELECT system_identifier FROM pg_control_system()", {}, bounds);
    if (!reply.good()) return failed(reply, During::in_transaction);
    return text_of(reply.last.get(), 0) == cluster_of(doubt.fence);
}

// By number and transaction both, so that a session that has its number by chance is left alone.
Result<Remains> PostgresSession::end_old(const Doubt& doubt, const Bounds& bounds) {
    if (doubt.transaction.empty() || doubt.session.empty()) return Remains::cannot_tell;
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY_VALUE(const bool here, same_cluster(doubt, bounds));
    if (!here) return Remains::cannot_tell;
    const Duration left = bounds.deadline.left(link_.clock().now());
    const std::string patience = milliseconds(std::min(longest_kill, left / 2));
    const bool waits = PQserverVersion(link_.get()) >= 140'000;
    const Reply killed =
        waits ? ask("SELECT pg_terminate_backend(pid,$3::bigint) FROM pg_stat_activity "
                    "WHERE pid=$1::int AND backend_xid=$2::xid8::xid",
                    {doubt.session.c_str(), doubt.transaction.c_str(), patience.c_str()}, bounds)
              : ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid=$1::int AND backend_xid=$2::xid8::xid",
                    {doubt.session.c_str(), doubt.transaction.c_str()}, bounds);
    // Of another role's session; the status still tells whether it can commit.
    if (!killed.good() && !answered_with(killed, "42501"))
        return failed(killed, During::in_transaction);
    const Reply status =
        ask("SELECT pg_xact_status($1::xid8)", {doubt.transaction.c_str()}, bounds);
    if (answered_with(status, "22023")) return Remains::cannot_tell;
    if (!status.good()) return failed(status, During::in_transaction);
    return text_of(status.last.get(), 0) == "in progress" ? Remains::alive : Remains::gone;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
