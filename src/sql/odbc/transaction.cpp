// SPDX-License-Identifier: Apache-2.0
#include "perdure/try.hpp"
#include "sql/odbc/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

SQLUINTEGER level_of(Isolation isolation) noexcept {
    switch (isolation) {
        case Isolation::server_default: break;
        case Isolation::read_committed: return SQL_TXN_READ_COMMITTED;
        case Isolation::repeatable_read: return SQL_TXN_REPEATABLE_READ;
        case Isolation::serializable: return SQL_TXN_SERIALIZABLE;
    }
    return 0;
}

// A transaction that did not begin well is ended at once: nothing may hold its locks.
Reply begin_or_end(Link& link, Job& job, SQLUINTEGER level, const std::vector<std::string>& texts) {
    Reply reply = link.begin(level, texts, job);
    if (!reply.good && reply.life == Life::alive && !link.end(Ending::roll_back).good)
        reply.life = Life::dead;
    return reply;
}

}  // namespace

Result<std::shared_ptr<Job>> OdbcSession::open_transaction(const Beginning& how,
                                                           const Bounds& bounds) {
    if (how.token) PERDURE_TRY(check_table(how.token_table));
    Told told = told_;
    const auto texts = opening(product_, how, told);
    const Work work = [level = level_of(how.isolation), texts](Link& link, Job& job) {
        return begin_or_end(link, job, level, texts);
    };
    PERDURE_TRY_VALUE(auto job, perform(work, During::in_transaction, bounds, nullptr));
    told_ = job->reply().good ? told : Told{.limits = "unknown"};
    return job;
}

Result<Begun> OdbcSession::begin(const Beginning& how, const Bounds& bounds) {
    PERDURE_TRY(must_be(State::idle, "begin"));
    PERDURE_TRY_VALUE(const auto job, open_transaction(how, bounds));
    const Reply& reply = job->reply();
    if (reply.good) {
        state_ = State::open;
        first_failure_.reset();
        ended_ = false;
        return Begun{};
    }
    if (how.token && is_duplicate(product_, reply.records)) {
        if (reply.life == Life::dead) drop();
        PERDURE_TRY_VALUE(const TokenRow row, token_row(*how.token, how.token_table, bounds));
        return Begun{.what = Beginnings::token_taken, .taken = row};
    }
    return fail(how.token ? fall_with_table(reply, how.token_table)
                          : fall(reply, During::in_transaction));
}

Result<void> OdbcSession::commit(const Bounds& bounds) {
    if (state_ == State::failed) {
        Failure first = first_failure_ ? *first_failure_ : Failure{.effect = Effect::none};
        roll_back(bounds);
        return fail(std::move(first));
    }
    PERDURE_TRY(must_be(State::open, "commit"));
    const Work work = [](Link& link, Job&) { return link.end(Ending::commit); };
    auto job = perform(work, During::committing, bounds, nullptr);
    if (!job) {
        // The time was over before anything was asked for: only a rollback is left.
        if (state_ == State::open) {
            state_ = State::failed;
            first_failure_ = job.error();
        }
        return job.take_failure();
    }
    const Reply& reply = (*job)->reply();
    state_ = State::idle;
    if (!reply.good) return fail(fall(reply, During::committing));
    if (reply.life == Life::dead) drop();
    return {};
}

void OdbcSession::roll_back(const Bounds& bounds) noexcept {
    if (state_ != State::open && state_ != State::failed) return;
    if (state_ == State::failed && ended_) {
        state_ = State::idle;
        return;
    }
    // A session that cannot be rolled back in time is dropped, and its thread ends the transaction.
    try {
        const Work work = [](Link& link, Job&) { return link.end(Ending::roll_back); };
        const auto job = perform(work, During::in_transaction, bounds, nullptr);
        if (job && (*job)->reply().good && (*job)->reply().life == Life::alive)
            state_ = State::idle;
        else drop();
    } catch (const std::exception&) {
        drop();
    }
    first_failure_.reset();
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
