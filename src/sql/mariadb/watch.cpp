// SPDX-License-Identifier: Apache-2.0
#include "watch.hpp"

#include <cerrno>

#include <fcntl.h>
#include <poll.h>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

// The library's function has no room for an argument of ours.
thread_local Watch* watching = nullptr;

bool is_writable(int socket) noexcept {
    pollfd what{.fd = socket, .events = POLLOUT, .revents = 0};
    return ::poll(&what, 1, 0) > 0;
}

}  // namespace

void close_on_exec(int socket) noexcept {
    if (socket >= 0) (void)::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

Watch::Watch(const Clock& clock, const Bounds& bounds, Purpose purpose) noexcept
    : clock_{clock}, bounds_{bounds}, purpose_{purpose}, outer_{watching} {
    watching = this;
}
Watch::~Watch() { watching = outer_; }

Cut Watch::over() const noexcept {
    if (bounds_.stop.stop_requested()) return Cut::stop_unsent;
    return bounds_.deadline.passed(clock_.now()) ? Cut::deadline_unsent : Cut::not_cut;
}

void Watch::guard(MYSQL& mysql) noexcept {
    mysql_optionsv(&mysql, MARIADB_OPT_IO_WAIT, &Watch::on_wait);
}

void Watch::begin_command() noexcept {
    if (watching) watching->asked_to_read_ = false;
    errno = 0;
}

bool Watch::nothing_sent(unsigned number) noexcept {
    return number == gone_away && errno == EPIPE && !(watching && watching->asked_to_read_);
}

// What the library thinks its timeout is does not matter.
int Watch::on_wait(my_socket socket, my_bool is_read, int) noexcept {
    if (watching && watching->purpose_ == Purpose::connecting) close_on_exec(socket);
    const bool go_on =
        watching && watching->await(socket, is_read ? net::Ready::read : net::Ready::write);
    if (!go_on) errno = ETIMEDOUT;
    return go_on ? 1 : 0;
}

bool Watch::await(int socket, net::Ready for_what) noexcept {
    const bool reading = for_what == net::Ready::read;
    if (reading) asked_to_read_ = true;
    if (cut_ != Cut::not_cut) return false;
    if (!poller_) poller_.emplace(bounds_.stop);
    for (;;) {
        if (bounds_.stop.stop_requested()) {
            cut_ = asked_to_read_ ? Cut::stop_sent : Cut::stop_unsent;
            return false;
        }
        const TimePoint now = clock_.now();
        if (bounds_.deadline.passed(now)) {
            cut_ = asked_to_read_ ? Cut::deadline_sent : Cut::deadline_unsent;
            return false;
        }
        net::Wants wants;
        wants.add(socket, for_what);
        wants.until(bounds_.deadline.at());
        poller_->wait(wants, now);
        // Who reads finds out by reading, and an answer that came in time is taken; but a socket
        // that still connects shows no error either.
        if (reading || is_writable(socket)) return true;
    }
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
