// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <new>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "tls.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

const char* or_null(const std::string& text) noexcept {
    return text.empty() ? nullptr : text.c_str();
}

// Sent data that nobody acknowledges is noticed by the user timeout, a silent peer by keepalives:
// each misses the other's case.
void tune(int socket, Duration dead_after) noexcept {
    const auto set = [socket](int level, int option, int value) noexcept {
        (void)setsockopt(socket, level, option, &value, sizeof value);
    };
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::clamp<Duration>(dead_after, 1s, 24h));
    const int third = std::max(1, static_cast<int>(milliseconds.count() / 3000));
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, third);
    set(IPPROTO_TCP, TCP_KEEPINTVL, third);
    set(IPPROTO_TCP, TCP_KEEPCNT, 2);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(milliseconds.count()));
}

void set_options(MYSQL& mysql) noexcept {
    constexpr my_bool no = 0;
    constexpr unsigned none = 0;
    // A session made anew behind our back would lose the transaction and go on in autocommit.
    mysql_optionsv(&mysql, MYSQL_OPT_RECONNECT, &no);
    mysql_optionsv(&mysql, MYSQL_OPT_LOCAL_INFILE, &none);
    mysql_optionsv(&mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    Watch::guard(mysql);
}

Texts texts_of(MYSQL_RES& result, MYSQL_ROW row) {
    Texts texts;
    const unsigned count = mysql_num_fields(&result);
    const unsigned long* lengths = mysql_fetch_lengths(&result);
    for (unsigned i = 0; i < count; ++i) {
        if (row[i]) texts.emplace_back(std::in_place, row[i], lengths[i]);
        else texts.emplace_back();
    }
    return texts;
}

}  // namespace

Link::Link() : mysql_{mysql_init(nullptr)} {
    if (!mysql_) throw std::bad_alloc{};
    set_options(*mysql_);
}

Link::~Link() { close(); }

Trouble Link::open(const Place& place, const Target& target, Duration dead_after,
                   const Watch& watch) {
    const std::string numeric = target.address ? target.address->host() : std::string{};
    const unsigned protocol = target.address ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
    mysql_optionsv(mysql_, MYSQL_OPT_PROTOCOL, &protocol);
    const Encryption encryption{*mysql_, target.tls, target.host, place.tls_ca};
    // An empty password must not be looked for in the environment: that was done.
    const bool open =
        mysql_real_connect(mysql_, or_null(numeric), or_null(place.user), place.password.c_str(),
                           or_null(place.database), target.address ? target.address->port() : 0,
                           or_null(place.socket), CLIENT_MULTI_STATEMENTS);
    if (!open) return trouble(watch);
    // A unix socket may have connected without a wait, so the Watch has not seen it.
    close_on_exec(mysql_get_socket(mysql_));
    if (target.address) tune(mysql_get_socket(mysql_), dead_after);
    return {};
}

Batch Link::ask(std::string_view text, const Watch& watch) {
    Batch batch;
    Watch::begin_command();
    int ended = mysql_real_query(mysql_, text.data(), text.size());
    while (ended == 0) {
        Texts first;
        if (MYSQL_RES* result = mysql_store_result(mysql_)) {
            if (MYSQL_ROW row = mysql_fetch_row(result)) first = texts_of(*result, row);
            mysql_free_result(result);
        } else if (mysql_errno(mysql_) != 0) {
            break;
        } else {
            batch.affected = static_cast<std::int64_t>(mysql_affected_rows(mysql_));
        }
        ++batch.done;
        batch.first_rows.push_back(std::move(first));
        ended = mysql_next_result(mysql_);  // −1: no more
    }
    if (ended >= 0) batch.trouble = trouble(watch);
    return batch;
}

Trouble Link::trouble(const Watch& watch) const {
    const bool unsent = Watch::nothing_sent(mysql_errno(mysql_));  // first: it reads errno
    Trouble found{.number = mysql_errno(mysql_),
                  .state = mysql_sqlstate(mysql_),
                  .text = mysql_error(mysql_),
                  .cut = watch.cut(),
                  .unsent = unsent};
    constexpr unsigned unknown_error = 2000;
    if (!found.any()) found.number = unknown_error;
    return found;
}

bool Link::is_direct(std::string_view id_by_server) const noexcept {
    // The handshake has room for 32 bits.
    std::uint64_t id = 0;
    const auto read =
        std::from_chars(id_by_server.data(), id_by_server.data() + id_by_server.size(), id);
    return read.ec == std::errc{} &&
           static_cast<std::uint32_t>(id) == static_cast<std::uint32_t>(mysql_thread_id(mysql_));
}

Dialect Link::dialect() const noexcept {
    return mariadb_connection(mysql_) ? Dialect::mariadb : Dialect::mysql;
}

bool Link::in_transaction() const noexcept {
    return (mysql_->server_status & SERVER_STATUS_IN_TRANS) != 0;
}

bool Link::quiet() const noexcept {
    const int socket = mysql_ ? mysql_get_socket(mysql_) : MARIADB_INVALID_SOCKET;
    if (socket == MARIADB_INVALID_SOCKET) return false;
    char byte = 0;
    const auto got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Link::close() noexcept {
    // Without a Watch the library gives up where it would have to wait.
    if (mysql_) mysql_close(std::exchange(mysql_, nullptr));
}

void Link::drop() noexcept {
    if (!mysql_) return;
    const int socket = mysql_get_socket(mysql_);
    if (socket != MARIADB_INVALID_SOCKET) (void)::shutdown(socket, SHUT_RDWR);
    close();
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure
