// SPDX-License-Identifier: Apache-2.0
//
// How does a library that blocks keep our bounds? Connector/C asks a function of ours whenever a
// socket is not ready (MARIADB_OPT_IO_WAIT); ours waits by the bounds of the call under way.
//
//     Watch watch{clock, bounds};
//     mysql_real_query(…);                       // ends by the bounds
//     if (watch.cut() != Cut::not_cut) …
//
// Its own non-blocking calls would not do: they block in the TLS handshake all the same, and they
// switch stacks under the feet of sanitizers and debuggers.
#pragma once

#include <optional>

#include <mysql.h>

#include "perdure/net/poller.hpp"
#include "perdure/sql/statement.hpp"
#include "perdure/time/clock.hpp"
#include "trouble.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// What the calls in its scope do. Sockets that connect are set to close when the process runs another
// program: Connector/C does not do it, and a child would keep the session open.
enum class Purpose : std::uint8_t { connecting, commands };

// One call of a session, on the thread that makes it. They nest like scopes.
class Watch {
public:
    Watch(const Clock& clock, const Bounds& bounds, Purpose purpose = Purpose::commands) noexcept;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

    [[nodiscard]] Cut cut() const noexcept { return cut_; }
    // Whether the bounds have ended before anything is sent.
    [[nodiscard]] Cut over() const noexcept;

    // Told to the library once for each link, before it connects.
    static void guard(MYSQL& mysql) noexcept;
    // Called by the library on the thread of the call whenever a socket is not ready. 1: it was waited
    // for, try again. 0: give up.
    static int on_wait(my_socket socket, my_bool is_read, int timeout) noexcept;

    // Right before each call of the library that sends a command.
    static void begin_command() noexcept;
    // Right after one that failed, before errno changes: whether the kernel took nothing of it, because
    // the connection was closed before.
    [[nodiscard]] static bool nothing_sent(unsigned number) noexcept;

private:
    // Whether the socket may be ready; not if the bounds have ended.
    [[nodiscard]] bool await(int socket, net::Ready for_what) noexcept;

    const Clock& clock_;
    const Bounds& bounds_;
    const Purpose purpose_;
    // The library has asked to read since the command began, so the command was sent. TLS may have to
    // write even then (a key update).
    bool asked_to_read_ = false;
    std::optional<net::Poller> poller_;
    Cut cut_ = Cut::not_cut;
    Watch* outer_;
};

void close_on_exec(int socket) noexcept;

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
