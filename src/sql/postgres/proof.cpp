// SPDX-License-Identifier: Apache-2.0
#include "proof.hpp"

#include <array>

#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

constexpr Functions since_13{.number = "pg_current_xact_id()",
                             .number_if_any = "pg_current_xact_id_if_assigned()",
                             .fate_of_first = "pg_xact_status($1::xid8)"};
constexpr Functions since_10{.number = "txid_current()",
                             .number_if_any = "txid_current_if_assigned()",
                             .fate_of_first = "txid_status($1::int8)"};

// A role that may not, a function or a view that is not there: that stays so. Anything else may be of
// this moment, as the answer of a standby is.
bool stays(std::string_view code) noexcept {
    return code.starts_with("42") || code.starts_with("0A");
}

std::string question(Proof proof, const Functions& functions) {
    std::string text = "SELECT current_setting('default_transaction_isolation')";
    if (proof == Proof::nothing) return text;
    text.append(",").append(session_columns);
    if (proof == Proof::session) return text;
    text.append(",").append(functions.number_if_any);
    if (proof == Proof::without_fence) return text;
    return text.append(",").append(fence_columns);
}

std::string_view what_lacks(Proof asked) noexcept {
    switch (asked) {
        case Proof::fate: return "its cluster, timeline or statistics cannot be read";
        case Proof::without_fence: return "the numbers of its transactions cannot be read";
        case Proof::session: return "the list of its sessions cannot be read";
        case Proof::nothing: break;
    }
    return "its settings cannot be read";
}

}  // namespace

const Functions& functions_of(int server_version) noexcept {
    return server_version >= 130'000 ? since_13 : since_10;
}

std::string_view cell(const PGresult* result, int column) noexcept {
    return {PQgetvalue(result, 0, column),
            static_cast<std::size_t>(PQgetlength(result, 0, column))};
}

std::string fence_in(const PGresult* result, int column) {
    std::string fence;
    for (int i = column; i < column + 3; ++i) {
        if (PQgetisnull(result, 0, i) != 0) return {};
        if (i > column) fence += '/';
        fence += cell(result, i);
    }
    return fence;
}

std::string_view cluster_of(std::string_view fence) noexcept {
    return fence.substr(0, fence.find('/'));
}

std::string session_in(const PGresult* result, int column) {
    if (PQgetisnull(result, 0, column) != 0 || PQgetisnull(result, 0, column + 1) != 0) return {};
    std::string session{cell(result, column)};
    return session.append("/").append(cell(result, column + 1));
}

void Provable::lower_to(Proof proof, std::string why) {
    const std::scoped_lock lock{guard_};
    if (proof_.load() >= proof) return;
    proof_ = proof;
    why_ = std::move(why);
}

std::string Provable::why() const {
    const std::scoped_lock lock{guard_};
    return why_;
}

// Once for each session, before its first transaction that writes, and not inside of it: there the
// question would take the transaction's snapshot, and an error would end it.
Result<void> PostgresSession::find_provable(const Bounds& bounds) {
    if (known_provable_) return {};
    const int version = PQserverVersion(link_.get());
    if (version >= first_untested_version || version < first_tested_version)
        common_->provable.lower_to(Proof::without_fence,
                                   "what a crash changes was not tested with its version");
    proof_ = common_->provable.now();
    for (;;) {
        const Reply reply = link_.ask(question(proof_, functions_of(version)).c_str(), bounds);
        if (reply.good()) {
            read_provable(reply.last.get());
            return {};
        }
        const std::string_view code = reply.error ? sqlstate(reply.error.get()) : "";
        const Failure failure =
            failure_of(reply, link_, During::in_transaction, common_->wording());
        if (code.empty() || is_fatal(reply.error.get()) || is_repeatable(failure.cause) ||
            proof_ == Proof::nothing)
            return failed(failure);
        std::string why{what_lacks(proof_)};
        why.append(" (").append(code).append(")");
        proof_ = static_cast<Proof>(static_cast<int>(proof_) + 1);
        if (stays(code)) common_->provable.lower_to(proof_, std::move(why));
    }
}

void PostgresSession::read_provable(const PGresult* answer) {
    known_provable_ = true;
    snapshot_lasts_ = cell(answer, 0) != "read committed";
    // Behind a pooler the next transaction may be on another server.
    if (common_->options.pooler != Pooler::none) return;
    if (proof_ <= Proof::session) identity_.session = session_in(answer, 1);
    // No crash leaves the session alive, so a fence that is as it was when the session was new proves
    // as much as one read later.
    if (proof_ == Proof::fate) identity_.fence = fence_in(answer, 4);
}

std::string PostgresSession::note_question() const {
    const Functions& functions = functions_of(PQserverVersion(link_.get()));
    std::string text = "SELECT ";
    text += number_wanted_ ? functions.number : functions.number_if_any;
    if (common_->options.pooler == Pooler::none) return text;
    text.append(",").append(session_columns);
    if (proof_ == Proof::fate) text.append(",").append(fence_columns);
    return text;
}

void PostgresSession::read_note(const PGresult* answer) {
    if (PQntuples(answer) != 1) return;
    const bool numbered = PQgetisnull(answer, 0, 0) == 0;
    noted_.transaction = numbered ? cell(answer, 0) : wrote_nothing;
    if (PQnfields(answer) > 1) noted_.session = session_in(answer, 1);
    if (PQnfields(answer) > 3) noted_.fence = fence_in(answer, 3);
}

// Right before COMMIT, and in a round trip of its own: the number must be here before COMMIT is under
// way. Most transactions have it by then, from the answer to their first write.
Result<void> PostgresSession::note(Doubt& doubt, const Bounds& bounds) {
    if (pending_token_) PERDURE_TRY(leave_token(bounds));
    if (notes_ && noted_.transaction.empty() && ran_ && state() == State::open) {
        PERDURE_TRY(ready(bounds));
        const Reply reply = link_.ask(note_question().c_str(), bounds);
        if (!reply.good()) return failed(reply, During::in_transaction);
        read_note(reply.last.get());
    } else if (notes_ && !ran_) {
        noted_.transaction = wrote_nothing;
    }
    tell(doubt);
    return {};
}

void PostgresSession::tell(Doubt& doubt) const {
    doubt.transaction = noted_.transaction;
    if (!noted_.session.empty()) doubt.session = noted_.session;
    if (!noted_.fence.empty()) doubt.fence = noted_.fence;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
