// SPDX-License-Identifier: Apache-2.0
//
// What became of a transaction of another session, whose COMMIT was not answered?
#include <algorithm>
#include <array>

#include "perdure/try.hpp"
#include "proof.hpp"
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

std::string PostgresSession::fate_question() const {
    return "SELECT " + std::string{functions_of(PQserverVersion(link_.get())).fate_of_first};
}

Result<Landed<void>> PostgresSession::outcome_of(const Doubt& doubt, const Bounds& bounds) {
    if (doubt.transaction == wrote_nothing) return Landed<void>::no();
    if (doubt.transaction.empty()) return Landed<void>::unknown();
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(find_provable(bounds));
    if (doubt.fence.empty() || proof_ != Proof::fate) return outcome_without_fence(doubt, bounds);
    const std::string question = fate_question().append(",").append(fence_columns);
    const Reply reply = ask(question.c_str(), {doubt.transaction.c_str()}, bounds);
    if (answered_with(reply, "22023")) return outcome_in_future(doubt, bounds);
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
    if (proof_ > Proof::without_fence) return Landed<void>::unknown();
    const Reply reply = ask(fate_question().c_str(), {doubt.transaction.c_str()}, bounds);
    if (answered_with(reply, "22023")) return Landed<void>::unknown();
    if (!reply.good()) return failed(reply, During::in_transaction);
    return verdict(text_of(reply.last.get(), 0), {}, {});
}

Result<bool> PostgresSession::same_cluster(const Doubt& doubt, const Bounds& bounds) {
    if (doubt.fence.empty() || proof_ != Proof::fate) return true;
    const Reply reply = ask("SELECT system_identifier FROM pg_control_system()", {}, bounds);
    if (!reply.good()) return failed(reply, During::in_transaction);
    return text_of(reply.last.get(), 0) == cluster_of(doubt.fence);
}

// By its number and the time it began, or its transaction, so that a session that has the number by
// chance is left alone.
Result<void> PostgresSession::terminate(const Doubt& doubt, const Bounds& bounds) {
    const std::size_t slash = doubt.session.find('/');
    const bool by_start = slash != std::string::npos;
    const std::string pid = doubt.session.substr(0, slash);
    const std::string other = by_start ? doubt.session.substr(slash + 1) : doubt.transaction;
    const Duration left = bounds.deadline.left(link_.clock().now());
    const std::string patience = milliseconds(std::min(longest_kill, left / 2));
    const bool waits = PQserverVersion(link_.get()) >= 140'000;
    std::string kill{"SELECT pg_terminate_backend(pid"};
    kill.append(waits ? ",$3::int8" : "").append(") FROM pg_stat_activity WHERE pid=$1::int AND ");
    kill += by_start ? "(extract(epoch FROM backend_start)*1000000)::int8=$2::int8"
                     : "backend_xid::text::int8=($2::int8&4294967295)";
    const Reply killed =
        waits ? ask(kill.c_str(), {pid.c_str(), other.c_str(), patience.c_str()}, bounds)
              : ask(kill.c_str(), {pid.c_str(), other.c_str()}, bounds);
    // Of another role's session; its transaction's fate still tells whether it can commit.
    if (killed.good() || answered_with(killed, "42501")) return {};
    return failed(killed, During::in_transaction);
}

Result<Remains> PostgresSession::end_old(const Doubt& doubt, const Bounds& bounds) {
    const bool numbered = !doubt.transaction.empty() && doubt.transaction != wrote_nothing;
    const bool named = doubt.session.find('/') != std::string::npos;
    if (doubt.session.empty() || (!named && !numbered)) return Remains::cannot_tell;
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY(find_provable(bounds));
    PERDURE_TRY_VALUE(const bool here, same_cluster(doubt, bounds));
    if (!here) return Remains::cannot_tell;
    PERDURE_TRY(terminate(doubt, bounds));
    // A session that is not listed here may live on another server.
    if (!numbered || proof_ > Proof::without_fence) return Remains::cannot_tell;
    const Reply status = ask(fate_question().c_str(), {doubt.transaction.c_str()}, bounds);
    if (answered_with(status, "22023")) return Remains::cannot_tell;
    if (!status.good()) return failed(status, During::in_transaction);
    return text_of(status.last.get(), 0) == "in progress" ? Remains::alive : Remains::gone;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
