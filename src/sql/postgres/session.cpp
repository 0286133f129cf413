// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>

#include "perdure/try.hpp"
#include "sql/limits.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// A sink that has had enough: this many rows are read away before the link is given up instead.
constexpr int most_skipped = 1'000;

std::int64_t affected_by(PGresult* result) noexcept {
    const std::string_view text = PQcmdTuples(result);
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

Result<void> check_parameters(const Known& known, std::span<const Parameter> parameters) {
    const auto wanted = static_cast<std::size_t>(known.translated.placeholders);
    if (wanted != parameters.size())
        return fail(invalid("parameter-count",
                            "the statement has " + std::to_string(wanted) + " placeholders, " +
                                std::to_string(parameters.size()) + " parameters were given"));
    constexpr std::size_t most = 1u << 30u;  // no message of the protocol is longer
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if ((parameters[i].kind() == Kind::text || parameters[i].kind() == Kind::bytes) &&
            parameters[i].view().size() >= most)
            return fail({.cause = Cause::too_large,
                         .effect = Effect::none,
                         .origin = Origin::application,
                         .code = "parameter-size",
                         .message = "parameter " + std::to_string(i + 1) + " is longer than 1 GB"});
    return {};
}

}  // namespace

PostgresSession::PostgresSession(std::shared_ptr<Common> common, Link link)
    : common_{std::move(common)},
      link_{std::move(link)},
      statements_{common_->options.most_statements} {}

State PostgresSession::state() const noexcept {
    if (discard_ || link_.broken()) return State::broken;
    if (ended_) return State::failed;
    switch (link_.transaction()) {
        case PQTRANS_IDLE: return begun_ ? State::failed : State::idle;
        case PQTRANS_INTRANS: return State::open;
        case PQTRANS_INERROR: return State::failed;
        default: return State::broken;
    }
}

bool PostgresSession::still_good() { return state() == State::idle && link_.alive(); }

Fail PostgresSession::failed(Failure failure) {
    if (failure.remedies.has(Remedy::fresh_connection)) discard_ = true;
    if (begun_ && !first_failure_) first_failure_ = failure;
    return fail(std::move(failure));
}

Fail PostgresSession::failed(const Reply& reply, During when) {
    if (reply.error && is_stale_statement(reply.error.get())) statements_.forget();
    Failure failure = failure_of(reply, link_, when, common_->wording());
    // The server is all right: the transaction was to be read-only.
    if (begun_ && access_ == Access::read_only && failure.code == "25006")
        failure = invalid("25006", std::move(failure.message));
    return failed(std::move(failure));
}

Result<void> PostgresSession::ready(const Bounds& bounds) {
    if (state() == State::broken) return failed(not_sent(link_.notices()));
    if (const Wait over = link_.looked_at(bounds); over != Wait::ready) return fail(too_late(over));
    return {};
}

Result<Done> PostgresSession::run(const Statement& statement, RowSink& rows, const Bounds& bounds) {
    PERDURE_TRY(ready(bounds));
    PERDURE_TRY_VALUE(Known* const known, statements_.find(statement.text));
    PERDURE_TRY(check_parameters(*known, statement.parameters));
    if (pending_token_ && !known->takes_no_snapshot) PERDURE_TRY(leave_token(bounds));
    arguments_.set(statement.parameters);
    PERDURE_TRY(send(*known, bounds));
    return receive(rows, bounds);
}

// With the first write of a transaction its number is asked for; a write by itself is limited to the
// time that the caller has, so that the server says "not done" instead of working on for nobody.
PostgresSession::Company PostgresSession::company_of(const Known& known, const Bounds& bounds) {
    limited_until_ = TimePoint::max();
    if (begun_ && notes_) {
        ran_ = ran_ || !known.takes_no_snapshot;
        number_wanted_ = number_wanted_ || known.notifies;
        if (known.writes_rows && noted_.transaction.empty()) return {.after = note_question()};
    }
    if (begun_ || !known.writes_rows || bounds.deadline.at() == TimePoint::max() ||
        link_.transaction() != PQTRANS_IDLE)
        return {};
    const TimePoint now = link_.clock().now();
    const Duration limit = share(bounds.deadline.left(now), share_for_a_statement);
    limited_until_ = after(now, limit);
    return {.before = "SELECT set_config('statement_timeout','" + milliseconds(limit) + "',true)"};
}

// The second use is the first that is worth a round trip for preparing it.
Result<void> PostgresSession::send(Known& known, const Bounds& bounds) {
    ++known.uses;
    if (known.name.empty() && known.uses > 1 && common_->names_statements())
        PERDURE_TRY(prepare(known, bounds));
    link_.forget_warning();
    company_ = company_of(known, bounds);
    const bool sent = company_.any() ? send_in_company(known) : send_alone(known);
    if (!sent) return failed(not_sent(link_.notices()));
    if (company_.before.empty()) PQsetSingleRowMode(link_.get());
    return {};
}

bool PostgresSession::send_alone(const Known& known) {
    const bool named = !known.name.empty() && arguments_.fit(known.types);
    const int sent =
        named ? PQsendQueryPrepared(link_.get(), known.name.c_str(), arguments_.count(),
                                    arguments_.values(), arguments_.lengths(), arguments_.formats(),
                                    0)
              : PQsendQueryParams(link_.get(), known.translated.text.c_str(), arguments_.count(),
                                  arguments_.types(), arguments_.values(), arguments_.lengths(),
                                  arguments_.formats(), 0);
    return sent != 0;
}

Result<void> PostgresSession::prepare(Known& known, const Bounds& bounds) {
    drop_leftovers(bounds);
    std::string name = statements_.fresh_name(known);
    if (PQsendPrepare(link_.get(), name.c_str(), known.translated.text.c_str(), arguments_.count(),
                      arguments_.types()) == 0)
        return failed(not_sent(link_.notices()));
    const Reply reply = link_.rest(bounds);
    // Nothing ran, whatever became of it.
    if (!reply.good()) return failed(reply, During::in_transaction);
    known.name = std::move(name);
    known.types.assign(arguments_.all_types().begin(), arguments_.all_types().end());
    return {};
}

// Only outside of transactions: one that the server has forgotten by itself would spoil it.
void PostgresSession::drop_leftovers(const Bounds& bounds) {
    if (!statements_.has_leftovers() || state() != State::idle) return;
    std::string statements;
    for (const std::string& name : statements_.take_leftovers())
        statements += "DEALLOCATE " + name + ";";
    (void)link_.ask(statements.c_str(), bounds);
}

Result<Done> PostgresSession::receive(RowSink& rows, const Bounds& bounds) {
    if (!company_.before.empty()) PERDURE_TRY(receive_before(bounds));
    Received received;
    Reply reply{.sent = true};
    for (;;) {
        Next next = link_.next(bounds);
        reply.wait = next.wait;
        if (!next.result) break;
        const ExecStatusType status = PQresultStatus(next.result.get());
        if (status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE) {
            if (!reply.error || sqlstate(reply.error.get()).empty())
                reply.error = std::move(next.result);
        } else if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT ||
                   status == PGRES_COPY_BOTH) {
            link_.close();
            return failed(invalid("copy", "COPY from or to the client is not supported; write "
                                          "rows with insert and read them with select"));
        } else if (auto taken = take(next.result.get(), rows, received); !taken) {
            skip_rest(bounds);
            if (company_.any() && !link_.broken()) (void)receive_after(bounds);
            return taken.take_failure();
        }
    }
    if (company_.any() && reply.wait == Wait::ready && !link_.broken()) {
        // The answer to a statement by itself is not final before the end of the company's.
        auto rest = receive_after(bounds);
        if (!reply.error && !rest) return rest.take_failure();
    }
    if (reply.wait != Wait::ready || reply.error) return failed_by_statement(reply);
    return checked(received);
}

// Cut off by the limit that came with it: a timeout as any other, and nobody's wish that it be not
// repeated.
Fail PostgresSession::failed_by_statement(const Reply& reply) {
    Fail failure = failed(reply, during());
    if (limited_until_ == TimePoint::max() || !reply.error ||
        sqlstate(reply.error.get()) != "57014" || link_.clock().now() < limited_until_)
        return failure;
    std::unique_ptr<Failure> changed = failure.release();
    changed->retry_after.reset();
    return Fail{std::move(changed)};
}

Result<void> PostgresSession::take(PGresult* result, RowSink& rows, Received& received) {
    received.done.affected = affected_by(result);
    received.tag = PQcmdStatus(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_SINGLE_TUPLE && status != PGRES_TUPLES_OK) return {};
    if (!received.has_columns) PERDURE_TRY(rows.columns(reader_.columns(result)));
    received.has_columns = true;
    for (int row = 0; row < PQntuples(result); ++row)
        PERDURE_TRY(rows.row(reader_.read(result, row)));
    return {};
}

void PostgresSession::skip_rest(const Bounds& bounds) {
    for (int skipped = 0; skipped < most_skipped; ++skipped)
        if (const Next next = link_.next(bounds); !next.result) return;
    link_.close();
}

// A statement that ended the transaction has taken it out of our hands: what follows would run, and
// count as committed, outside of it.
Result<Done> PostgresSession::checked(const Received& received) {
    const bool idle = link_.transaction() == PQTRANS_IDLE;
    const bool committed = received.tag == "COMMIT" || received.tag == "PREPARE TRANSACTION";
    if (!begun_ || (!idle && !committed)) return received.done;
    ended_ = true;
    Failure failure = invalid("transaction-ended", "the statement ended the transaction; only the "
                                                   "end of its body may do that");
    if (committed) failure.effect = Effect::unknown;
    return failed(std::move(failure));
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
