// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/session.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "perdure/try.hpp"
#include "sql/odbc/marks.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

Failure cut_off(Ended ended, During during, Effect effect) {
    const bool stopped = ended == Ended::stopped;
    const std::string_view what = during == During::connecting   ? "connecting"
                                  : during == During::committing ? "the COMMIT"
                                                                 : "the statement";
    Failure failure{.cause = stopped ? Cause::cancelled : Cause::timed_out,
                    .effect = effect,
                    .origin = stopped ? Origin::application : Origin::network,
                    .code = stopped ? "stopped" : "deadline"};
    failure.message = std::string{what} + (stopped ? " was stopped by the caller"
                                                   : " was not answered before the deadline");
    return failure;
}

std::uint32_t seconds_left(const Bounds& bounds, const Clock& clock) {
    const Duration left = bounds.deadline.left(clock.now());
    if (left == never) return 0;
    const auto whole = std::chrono::ceil<std::chrono::seconds>(left).count();
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(whole, 1, 100'000));
}

namespace {

Reply attempt(const Work& work, Link& link, Job& job) {
    try {
        return work(link, job);
    } catch (const std::exception&) {
        return Reply::failed({{.state = "HY001", .message = "out of memory"}}, Life::dead);
    }
}

Failure wrong_count(int placeholders, std::size_t given) {
    const auto number = [](std::size_t count, std::string_view what) {
        return std::to_string(count) + ' ' + std::string{what} + (count == 1 ? "" : "s");
    };
    Failure failure{.cause = Cause::invalid, .origin = Origin::application};
    failure.code = "parameter-count";
    failure.message = "the statement has " +
                      number(static_cast<std::size_t>(placeholders), "placeholder") + ", " +
                      number(given, "parameter") + (given == 1 ? " was given" : " were given");
    return failure;
}

}  // namespace

OdbcSession::~OdbcSession() { drop(); }

void OdbcSession::drop() noexcept {
    state_ = State::broken;
    if (const auto worker = std::exchange(worker_, nullptr)) worker->dismiss();
}

// A sink that throws leaves nobody to take the rows: the worker must not wait for him.
Ended OdbcSession::attended(Job& job, const Bounds& bounds, RowSink* sink) {
    try {
        return job.attend(bounds, clock_, sink);
    } catch (...) {
        job.leave();
        Worker::cancel(worker_);
        drop();
        throw;
    }
}

Result<std::shared_ptr<Job>> OdbcSession::perform(Work work, During during, const Bounds& bounds,
                                                  RowSink* sink) {
    if (bounds.stop.stop_requested()) return fail(cut_off(Ended::stopped, during, Effect::none));
    if (bounds.deadline.passed(clock_.now()))
        return fail(cut_off(Ended::past_deadline, during, Effect::none));
    auto job = std::make_shared<Job>();
    worker_->hand(
        [job, work = std::move(work)](Link& link) { job->finish(attempt(work, link, *job)); });
    const Ended ended = attended(*job, bounds, sink);
    if (ended == Ended::done) return job;
    const bool in_doubt =
        during == During::committing || (during == During::statement && job->sent());
    job->leave();
    Worker::cancel(worker_);
    drop();
    Failure failure = cut_off(ended, during, in_doubt ? Effect::unknown : Effect::none);
    failure.remedies |= Remedy::fresh_connection;
    return fail(std::move(failure));
}

Result<std::string> OdbcSession::connect(const std::string& connection_string, Product guess,
                                         const Bounds& bounds) {
    const std::uint32_t timeout = seconds_left(bounds, clock_);
    const Work work = [connection_string, timeout](Link& link, Job&) {
        return link.connect(connection_string, timeout);
    };
    PERDURE_TRY_VALUE(const auto job, perform(work, During::connecting, bounds, nullptr));
    Reply& reply = job->reply();
    if (!reply.good) {
        product_ = guess == Product::odbc ? product_by_marks(reply.records) : guess;
        return fail(fall(reply, During::connecting));
    }
    product_ = product_of(reply.dbms);
    state_ = State::idle;
    return std::move(reply.dbms);
}

Failure OdbcSession::fall(const Reply& reply, During during) {
    Meaning meaning = meaning_of(product_, reply.records, during, reply.life);
    if (meaning.discard) {
        drop();
    } else if (state_ == State::open) {
        state_ = State::failed;
        ended_ = true;
        first_failure_ = meaning.failure;
    }
    return std::move(meaning.failure);
}

Result<void> OdbcSession::must_be(State wanted, std::string_view call) const {
    if (state_ == wanted) return {};
    if (state_ == State::failed && first_failure_) return fail(*first_failure_);
    const bool broken = state_ == State::broken;
    Failure failure{.cause = broken ? Cause::unavailable : Cause::invalid,
                    .effect = Effect::none,
                    .origin = Origin::application,
                    .remedies = broken ? RemedySet{Remedy::fresh_connection} : RemedySet{}};
    failure.code = broken ? "broken" : "wrong-state";
    failure.message =
        std::string{call} + (broken                  ? " was called on a session that is broken"
                             : wanted == State::idle ? " was called inside a transaction"
                                                     : " was called without a transaction");
    return fail(std::move(failure));
}

Result<Done> OdbcSession::run(const Statement& statement, RowSink& rows, const Bounds& bounds) {
    if (state_ != State::idle) PERDURE_TRY(must_be(State::open, "run"));
    PERDURE_TRY(check(statement.text, statement.parameters));
    const Order order{.text = std::string{statement.text},
                      .values = copy_of(statement.parameters),
                      .timeout = seconds_left(bounds, clock_)};
    const During during = state_ == State::open ? During::in_transaction : During::statement;
    const Work work = [order, during](Link& link, Job& job) {
        Reply reply = link.run(order, job);
        // Some drivers leave the transaction alive, and others wait for its locks.
        const bool over = during == During::in_transaction && !reply.good &&
                          reply.placeholders < 0 && reply.life == Life::alive;
        if (over && !link.end(Ending::roll_back).good) reply.life = Life::dead;
        return reply;
    };
    PERDURE_TRY_VALUE(const auto job, perform(work, during, bounds, &rows));
    Reply& reply = job->reply();
    if (reply.placeholders >= 0)
        return fail(wrong_count(reply.placeholders, statement.parameters.size()));
    if (!reply.good) {
        Failure failure = fall(reply, during);
        // What never left the driver was not applied, whatever the words.
        if (!job->sent()) failure.effect = Effect::none;
        return fail(job->refusal() ? *std::move(job->refusal()) : std::move(failure));
    }
    if (job->refusal()) return fail(*std::move(job->refusal()));
    return reply.done;
}

bool OdbcSession::still_good() {
    if (state_ != State::idle) return false;
    const Work work = [](Link& link, Job&) { return Reply{.life = link.life()}; };
    const Bounds bounds{.deadline = Deadline::in(50ms, clock_.now())};
    const auto job = perform(work, During::connecting, bounds, nullptr);
    if (job && (*job)->reply().life == Life::alive) return true;
    drop();
    return false;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
