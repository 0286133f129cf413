// SPDX-License-Identifier: Apache-2.0
//
// How do two statements share a round trip? By libpq's pipeline, which ends with a mark ("sync"). By
// itself, outside of a transaction that was begun, what is in it is one transaction, and is committed at
// the mark.
#include "perdure/try.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

constexpr int most_statements = 3;  // the user's, one before it, one after it

bool send_text(PGconn* connection, const std::string& text) noexcept {
    return PQsendQueryParams(connection, text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) !=
           0;
}

bool is_error(const PGresult* result) noexcept {
    const ExecStatusType status = PQresultStatus(result);
    return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

}  // namespace

bool PostgresSession::send_in_company(const Known& known) {
    PGconn* const connection = link_.get();
    return PQenterPipelineMode(connection) != 0 &&
           (company_.before.empty() || send_text(connection, company_.before)) &&
           send_alone(known) && (company_.after.empty() || send_text(connection, company_.after)) &&
           PQpipelineSync(connection) != 0;
}

// If it fails the server skips the statement: nothing ran.
Result<void> PostgresSession::receive_before(const Bounds& bounds) {
    const Reply reply = link_.rest(bounds);
    if (reply.good()) {
        PQsetSingleRowMode(link_.get());
        return {};
    }
    Fail failure = failed(reply, During::in_transaction);
    if (reply.wait == Wait::ready && !link_.broken()) (void)receive_after(bounds);
    return failure;
}

// All that is left, up to the mark. An error at the mark is one of the COMMIT that comes with it.
Result<void> PostgresSession::receive_after(const Bounds& bounds) {
    Reply reply{.sent = true};
    // Each statement of the company ends with an empty result.
    bool in_step = false;
    for (int ends = 0; ends <= most_statements;) {
        Next next = link_.next(bounds);
        reply.wait = next.wait;
        if (reply.wait != Wait::ready || (!next.result && link_.broken())) break;
        if (!next.result) {
            ++ends;
            continue;
        }
        const ExecStatusType status = PQresultStatus(next.result.get());
        if (status == PGRES_PIPELINE_SYNC) {
            in_step = PQexitPipelineMode(link_.get()) != 0;
            break;
        }
        if (is_error(next.result.get())) {
            if (!reply.error) reply.error = std::move(next.result);
        } else if (status == PGRES_TUPLES_OK && !company_.after.empty()) {
            read_note(next.result.get());
        }
    }
    if (!in_step) link_.close();
    if (in_step && !reply.error) return {};
    return failed_by_statement(reply);
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
