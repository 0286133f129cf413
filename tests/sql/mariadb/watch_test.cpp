// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perdure/net/socket.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "sql/mariadb/watch.hpp"

namespace perdure::sql::mariadb_inside {
namespace {

constexpr my_bool to_read = 1;
constexpr my_bool to_write = 0;

// Two ends of a connection: ours takes no more bytes, and has some to read.
class MariadbWatch : public ::testing::Test {
protected:
    MariadbWatch() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
        ours = net::Socket{ends[0]};
        theirs = net::Socket{ends[1]};
        EXPECT_EQ(theirs.write("answer").bytes, 6u);
        const std::string much(4096, '.');
        while (ours.write(much).kind == net::IoKind::done) {}
    }
    testing::VirtualClock clock;
    const Bounds bounds{.deadline = Deadline::in(10s, clock.now())};
    net::Socket ours, theirs;
};

TEST_F(MariadbWatch, of_a_command_that_could_not_be_written_in_time_says_unsent) {
    const Watch watch{clock, bounds};
    Watch::begin_command();
    clock.advance(11s);
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_write, 0), 0);
    EXPECT_EQ(watch.cut(), Cut::deadline_unsent);
}

// TLS may have to write while the library reads: a key update on a full socket.
TEST_F(MariadbWatch, of_a_read_that_waits_to_write_says_sent) {
    const Watch watch{clock, bounds};
    Watch::begin_command();
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_read, 0), 1);
    clock.advance(11s);
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_write, 0), 0);
    EXPECT_EQ(watch.cut(), Cut::deadline_sent);
}

TEST_F(MariadbWatch, of_the_next_command_says_unsent_again) {
    const Watch watch{clock, bounds};
    Watch::begin_command();
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_read, 0), 1);
    Watch::begin_command();
    clock.advance(11s);
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_write, 0), 0);
    EXPECT_EQ(watch.cut(), Cut::deadline_unsent);
}

TEST_F(MariadbWatch, believes_that_nothing_was_sent_only_of_a_broken_pipe_before_any_read) {
    const auto nothing_sent = [&](unsigned number, int error) {
        errno = error;
        return Watch::nothing_sent(number);
    };
    const Watch watch{clock, bounds};
    Watch::begin_command();
    EXPECT_EQ(errno, 0) << "an older error must not be believed";
    EXPECT_TRUE(nothing_sent(2006, EPIPE));
    EXPECT_FALSE(nothing_sent(2006, ECONNRESET));
    EXPECT_FALSE(nothing_sent(2006, 0));
    EXPECT_FALSE(nothing_sent(2013, EPIPE));
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_read, 0), 1);
    EXPECT_FALSE(nothing_sent(2006, EPIPE));
}

TEST_F(MariadbWatch, closes_a_socket_on_exec_while_it_connects) {
    {
        const Watch watch{clock, bounds};
        EXPECT_EQ(Watch::on_wait(ours.fd(), to_read, 0), 1);
        EXPECT_EQ(::fcntl(ours.fd(), F_GETFD) & FD_CLOEXEC, 0);
    }
    const Watch watch{clock, bounds, Purpose::connecting};
    EXPECT_EQ(Watch::on_wait(ours.fd(), to_read, 0), 1);
    EXPECT_NE(::fcntl(ours.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

}  // namespace
}  // namespace perdure::sql::mariadb_inside
