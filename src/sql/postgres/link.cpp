// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <poll.h>

#include "perdure/net/poller.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// Termination of an idle session, the crash of another one and a shutdown all come as notices.
void note(void* into, const PGresult* notice) {
    auto& notices = *static_cast<Notices*>(into);
    const std::string_view code = error_field(notice, PG_DIAG_SQLSTATE);
    const std::string_view severity = error_field(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const bool over = severity == "FATAL" || severity == "PANIC";
    if (over || code == "57P01" || code == "57P02") {
        notices.farewell = code;
        notices.farewell_text = error_field(notice, PG_DIAG_MESSAGE_PRIMARY);
    }
    if (over || severity == "WARNING") notices.warning = code;
}

// Called too early, PQconnectPoll takes an unfinished connect for a failed one.
bool ready(int socket, PostgresPollingStatusType step) noexcept {
    pollfd asked{.fd = socket,
                 .events = step == PGRES_POLLING_WRITING ? short{POLLOUT} : short{POLLIN},
                 .revents = 0};
    return ::poll(&asked, 1, 0) > 0;
}

}  // namespace

std::string_view error_field(const PGresult* result, int which) noexcept {
    const char* const text = PQresultErrorField(result, which);
    return text ? std::string_view{text} : std::string_view{};
}

Link::Link(ConnectionHandle connection, Clock& clock)
    : notices_{std::make_unique<Notices>()}, connection_{std::move(connection)}, clock_{&clock} {
    if (connection_) PQsetNoticeReceiver(connection_.get(), &note, notices_.get());
}

bool Link::alive() {
    if (broken()) return false;
    if (PQconsumeInput(get()) == 0) return false;
    (void)PQisBusy(get());  // reads what came, if anything did
    // Nobody listens to notifications here; kept, they would pile up.
    while (PGnotify* const unasked = PQnotifies(get())) PQfreemem(unasked);
    return notices_->farewell.empty() && !broken();
}

Wait Link::looked_at(const Bounds& bounds) const {
    if (bounds.stop.stop_requested()) return Wait::stopped;
    return bounds.deadline.passed(clock_->now()) ? Wait::deadline : Wait::ready;
}

Next Link::next(const Bounds& bounds) {
    PGconn* const connection = get();
    int unsent = PQflush(connection);
    if (unsent != 0 || PQisBusy(connection)) {
        net::Poller poller{bounds.stop};
        net::Wants wants;
        while (unsent > 0 || PQisBusy(connection)) {
            const TimePoint now = clock_->now();
            if (bounds.stop.stop_requested() || bounds.deadline.passed(now)) {
                close();
                return {.wait = looked_at(bounds)};
            }
            wants.clear();
            wants.add(PQsocket(connection), unsent > 0 ? net::Ready::both : net::Ready::read);
            wants.until(bounds.deadline.at());
            poller.wait(wants, now);
            if (PQconsumeInput(connection) == 0) break;  // the next result tells why
            unsent = PQflush(connection);
        }
    }
    return {.result = ResultHandle{PQgetResult(connection)}};
}

Reply Link::rest(const Bounds& bounds) {
    Reply reply{.sent = true};
    for (;;) {
        Next one = next(bounds);
        reply.wait = one.wait;
        if (!one.result) return reply;
        const ExecStatusType status = PQresultStatus(one.result.get());
        if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
            close();
            return reply;
        }
        if (status != PGRES_FATAL_ERROR && status != PGRES_BAD_RESPONSE) {
            reply.last = std::move(one.result);
        } else if (!reply.error || (error_field(reply.error.get(), PG_DIAG_SQLSTATE).empty() &&
                                    !error_field(one.result.get(), PG_DIAG_SQLSTATE).empty())) {
            reply.error = std::move(one.result);
        }
    }
}

Reply Link::ask(const char* statements, const Bounds& bounds) {
    if (broken()) return {};
    if (const Wait before = looked_at(bounds); before != Wait::ready) return {.wait = before};
    forget_warning();
    if (PQsendQuery(get(), statements) == 0) return {};
    return rest(bounds);
}

Wait Link::connecting(const Bounds& bounds) {
    net::Poller poller{bounds.stop};
    net::Wants wants;
    PostgresPollingStatusType step = PGRES_POLLING_WRITING;
    while (step == PGRES_POLLING_WRITING || step == PGRES_POLLING_READING) {
        const TimePoint now = clock_->now();
        if (const Wait over = looked_at(bounds); over != Wait::ready) return over;
        wants.clear();
        wants.add(PQsocket(get()),
                  step == PGRES_POLLING_WRITING ? net::Ready::write : net::Ready::read);
        wants.until(bounds.deadline.at());
        poller.wait(wants, now);
        if (ready(PQsocket(get()), step)) step = PQconnectPoll(get());
    }
    return Wait::ready;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
