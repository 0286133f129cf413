// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/socket.hpp"

#include <cerrno>

#include <fcntl.h>
#include <netinet/tcp.h>

#include "loopback.hpp"
#include "perdure/net/failures.hpp"

namespace perdure::net {
namespace {

int option_of(const Socket& socket, int level, int option) {
    int value = 0;
    socklen_t length = sizeof value;
    EXPECT_EQ(0, getsockopt(socket.fd(), level, option, &value, &length));
    return value;
}

TEST(Socket, never_blocks_is_closed_on_exec_and_notices_a_vanished_peer) {
    const auto socket = Socket::open(Family::v4);
    ASSERT_TRUE(socket);
    EXPECT_NE(0, fcntl(socket->fd(), F_GETFL) & O_NONBLOCK);
    EXPECT_NE(0, fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC);
    EXPECT_EQ(1, option_of(*socket, IPPROTO_TCP, TCP_NODELAY));
    EXPECT_EQ(1, option_of(*socket, SOL_SOCKET, SO_KEEPALIVE));
    EXPECT_EQ(30, option_of(*socket, IPPROTO_TCP, TCP_KEEPIDLE));
    EXPECT_EQ(10, option_of(*socket, IPPROTO_TCP, TCP_KEEPINTVL));
    EXPECT_EQ(3, option_of(*socket, IPPROTO_TCP, TCP_KEEPCNT));
}

TEST(Socket, carries_bytes_and_says_when_there_are_none) {
    const Listener listener{loopback_v4(1)};
    Socket ours = connected_to(listener);
    Socket theirs = listener.accept();
    std::array<char, 8> room{};

    EXPECT_EQ(ours.read(room).kind, IoKind::would_block);
    EXPECT_TRUE(ours.quiet());

    EXPECT_EQ(theirs.write("hello").bytes, 5U);
    ASSERT_TRUE(wait_for(ours, Ready::read));
    EXPECT_FALSE(ours.quiet()) << "bytes nobody asked for";
    const Io got = ours.read(room);
    EXPECT_EQ(got.kind, IoKind::done);
    EXPECT_EQ((std::string_view{room.data(), got.bytes}), "hello");
    EXPECT_TRUE(ours.quiet());

    theirs.close();
    ASSERT_TRUE(wait_for(ours, Ready::read));
    EXPECT_FALSE(ours.quiet()) << "the peer has gone";
    EXPECT_EQ(ours.read(room).kind, IoKind::closed);
}

TEST(Socket, would_block_when_the_peer_does_not_read) {
    const Listener listener{loopback_v4(1)};
    Socket ours = connected_to(listener);
    const Socket theirs = listener.accept();
    const std::string block(1 << 20, 'x');
    Io io;
    for (int i = 0; i < 1000 && io.kind == IoKind::done; ++i) io = ours.write(block);
    EXPECT_EQ(io.kind, IoKind::would_block);
}

TEST(Socket, resets_when_told_to_and_survives_writing_to_a_reset_one) {
    const Listener listener{loopback_v4(1)};
    Socket ours = connected_to(listener);
    Socket theirs = listener.accept();
    theirs.reset();
    EXPECT_FALSE(theirs);
    ASSERT_TRUE(wait_for(ours, Ready::read));
    std::array<char, 8> room{};
    const Io read = ours.read(room);
    EXPECT_EQ(read.kind, IoKind::failed);
    EXPECT_EQ(read.error, ECONNRESET);
    EXPECT_FALSE(ours.quiet());
    const Io write = ours.write("late");
    EXPECT_EQ(write.kind, IoKind::failed) << "and no SIGPIPE";
    EXPECT_EQ(write.error, EPIPE);
}

TEST(Socket, says_refused_when_nobody_listens) {
    std::uint16_t port = 0;
    { port = Listener{loopback_v4(1)}.port(); }
    auto socket = Socket::open(Family::v4);
    ASSERT_TRUE(socket);
    Io io = socket->connect(loopback_v4(1, port));
    if (io.kind == IoKind::would_block) {
        ASSERT_TRUE(wait_for(*socket, Ready::write));
        io = socket->finish_connect();
    }
    EXPECT_EQ(io.kind, IoKind::failed);
    EXPECT_EQ(io.error, ECONNREFUSED);
}

TEST(Socket, is_not_taken_in_by_its_own_echo) {
    auto socket = Socket::open(Family::v4);
    ASSERT_TRUE(socket);
    bind_to(socket->fd(), loopback_v4(1));
    Io io = socket->connect(loopback_v4(1, port_of(socket->fd())));
    if (io.kind == IoKind::would_block) {
        ASSERT_TRUE(wait_for(*socket, Ready::write));
        io = socket->finish_connect();
    }
    EXPECT_EQ(io.kind, IoKind::failed);
    EXPECT_EQ(io.error, ECONNREFUSED);
}

TEST(Failures, of_the_system_have_a_cause_an_effect_and_their_own_name) {
    struct Case {
        int error;
        Doing doing;
        Cause cause;
        Effect effect;
        const char* code;
    };
    const Case cases[] = {
        {EMFILE, Doing::opening, Cause::exhausted, Effect::none, "EMFILE"},
        {ENFILE, Doing::opening, Cause::exhausted, Effect::none, "ENFILE"},
        {ENOBUFS, Doing::connecting, Cause::exhausted, Effect::none, "ENOBUFS"},
        {ENOMEM, Doing::sending, Cause::exhausted, Effect::unknown, "ENOMEM"},
        {EAGAIN, Doing::opening, Cause::exhausted, Effect::none, "EAGAIN"},
        {EADDRNOTAVAIL, Doing::connecting, Cause::exhausted, Effect::none, "EADDRNOTAVAIL"},
        {ECONNREFUSED, Doing::connecting, Cause::unavailable, Effect::none, "ECONNREFUSED"},
        {ENETUNREACH, Doing::connecting, Cause::unavailable, Effect::none, "ENETUNREACH"},
        {ECONNRESET, Doing::handshaking, Cause::unavailable, Effect::none, "ECONNRESET"},
        {ECONNRESET, Doing::receiving, Cause::unavailable, Effect::unknown, "ECONNRESET"},
        {EPIPE, Doing::sending, Cause::unavailable, Effect::unknown, "EPIPE"},
        {99999, Doing::sending, Cause::unavailable, Effect::unknown, "errno-99999"},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.code);
        const Failure failure = failure_of(each.error, each.doing);
        EXPECT_EQ(failure.cause, each.cause);
        EXPECT_EQ(failure.effect, each.effect);
        EXPECT_EQ(failure.origin, Origin::network);
        EXPECT_EQ(failure.code, each.code);
        EXPECT_FALSE(failure.message.empty());
    }
    EXPECT_EQ(failure_of(ECONNREFUSED, Doing::connecting).message,
              "cannot connect: Connection refused");
}

}  // namespace
}  // namespace perdure::net
