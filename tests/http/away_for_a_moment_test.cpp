// SPDX-License-Identifier: Apache-2.0
//
// What becomes of calls on the default plan when nobody listens for a moment, or one of two servers is
// sick? Nothing is configured here but the address, and that no proxy of the machine is used.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "http/asking.hpp"
#include "net/loopback.hpp"

namespace perdure::http {
namespace {

const ClientOptions defaults{.proxy_from = ProxyFrom::nowhere};

// A port at which nobody listens until it is asked to; it counts those who come.
class LateListener {
public:
    LateListener() { net::bind_to(socket_.fd(), net::loopback_v4(1)); }
    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(net::port_of(socket_.fd()));
    }
    void listen() {
        ASSERT_EQ(0, ::listen(socket_.fd(), 1024));
        thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
    }
    ~LateListener() {
        thread_.request_stop();
        ::shutdown(socket_.fd(), SHUT_RDWR);
    }

private:
    void serve(const std::stop_token& stop) {
        std::vector<std::jthread> each;
        while (!stop.stop_requested()) {
            const int fd = ::accept(socket_.fd(), nullptr, nullptr);
            if (fd < 0) return;
            each.emplace_back([fd] {
                char buffer[4096];
                const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                while (::read(fd, buffer, sizeof buffer) > 0)
                    if (::write(fd, answer.data(), answer.size()) < 0) break;
                ::close(fd);
            });
        }
    }
    net::Socket socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::jthread thread_;
};

class AwayForAMoment : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, AwayForAMoment, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(AwayForAMoment, a_server_is_waited_for_by_every_call_until_the_deadline) {
    LateListener server;
    Client client{server.url(), defaults};
    std::atomic<int> done = 0;
    std::vector<std::jthread> callers;
    for (int i = 0; i < 32; ++i)
        callers.emplace_back([&] { done += ask(client, Request::get("/")) ? 1 : 0; });
    EXPECT_TRUE(Server{}.becomes([&] { return client.caller().counts().retries_made >= 32 + 5; }))
        << "more than the four attempts of the default rule";
    server.listen();
    callers.clear();
    EXPECT_EQ(done, 32);
    EXPECT_EQ(client.caller().counts().retries_refused, 0u);
    EXPECT_LE(client.caller().counts().retries_made, 32u * 8) << "one dials for all";
}

TEST_P(AwayForAMoment, a_write_is_repeated_because_nothing_was_sent) {
    LateListener server;
    Client client{server.url(), defaults};
    std::jthread back{[&] {
        EXPECT_TRUE(Server{}.becomes([&] { return client.caller().counts().retries_made >= 5; }));
        server.listen();
    }};
    const auto got = ask(client, Request::post("/").body("x"));
    EXPECT_TRUE(got) << to_string(got.error());
}

TEST_P(AwayForAMoment, one_of_two_servers_costs_no_call_and_gets_few) {
    for (const char* how : {"503", "reset"}) {
        SCOPED_TRACE(how);
        const bool resets = how[0] == 'r';
        Server sick{[&](const Seen&) { return resets ? Reply{"", Then::reset} : status(503); }};
        Server healthy{[](const Seen&) { return ok("here"); }};
        Client client{{sick.url(), healthy.url()}, defaults};
        int done = 0;
        for (int i = 0; i < 300; ++i) done += ask(client, Request::get("/")) ? 1 : 0;
        EXPECT_EQ(done, 300);
        EXPECT_LE(sick.requests(), 10) << "three failures mark it for ten seconds";
    }
}

}  // namespace
}  // namespace perdure::http
