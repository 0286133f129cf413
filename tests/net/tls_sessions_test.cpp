// SPDX-License-Identifier: Apache-2.0
//
// Which handshakes are short ones?
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "net/tls_peer.hpp"
#include "perdure/net/tls.hpp"

namespace perdure::testing {
namespace {

using net::IoKind;
using net::TlsContext;

struct TlsSessions : ::testing::Test {
    const Identity identity = make_identity("DNS:db.internal,DNS:other.internal");
    const PemFile ca{identity};
    const ServerContext server = make_server(identity);

    [[nodiscard]] std::shared_ptr<TlsContext> remembering(std::size_t sessions) const {
        return TlsContext::make({.ca_file = ca.path(), .sessions = sessions}).value();
    }

    enum class End { goodbye, reset, their_goodbye, cut };
    // Whether one whole connection, from handshake to its end, began with a remembered session.
    static bool visit(TlsContext& client, SSL_CTX* server, std::string_view host = "db.internal",
                      std::uint16_t port = 443, End end = End::goodbye) {
        Link link{client, server, host, port};
        EXPECT_EQ(link.shake_hands().kind, IoKind::done) << link.client->trouble();
        link.say("answer");
        EXPECT_EQ(link.read(), "answer");
        const bool resumed = link.client->resumed();
        if (end == End::reset) link.client->reset();
        if (end == End::their_goodbye) SSL_shutdown(link.server.get());
        if (end == End::cut) link.close_far();
        if (end != End::goodbye) link.read();
        return resumed;
    }
};

TEST_F(TlsSessions, the_second_handshake_with_a_host_is_a_short_one) {
    const ServerContext old = make_server(identity, {.most_version = TLS1_2_VERSION});
    for (SSL_CTX* const far : {server.get(), old.get()}) {
        const auto client = remembering(100);
        EXPECT_FALSE(visit(*client, far));
        for (int again = 0; again < 4; ++again) EXPECT_TRUE(visit(*client, far));
    }
}

TEST_F(TlsSessions, belong_to_one_host_one_port_and_one_context) {
    const auto client = remembering(100);
    EXPECT_FALSE(visit(*client, server.get()));
    EXPECT_FALSE(visit(*client, server.get(), "other.internal"));
    EXPECT_FALSE(visit(*client, server.get(), "db.internal", 444));
    EXPECT_FALSE(visit(*remembering(100), server.get()));
    EXPECT_TRUE(visit(*client, server.get()));
}

TEST_F(TlsSessions, are_used_once_each) {
    const auto client = remembering(100);
    visit(*client, server.get());
    ASSERT_EQ(client->sessions(), 2u);
    // Three connections opened before any of them brings new tickets.
    std::vector<std::unique_ptr<Link>> links;
    std::vector<bool> resumed;
    for (int i = 0; i < 3; ++i) {
        links.push_back(std::make_unique<Link>(*client, server.get(), "db.internal"));
        EXPECT_EQ(links.back()->shake_hands().kind, IoKind::done);
        resumed.push_back(links.back()->client->resumed());
    }
    EXPECT_EQ(resumed, (std::vector{true, true, false}));
}

TEST_F(TlsSessions, survive_the_connection_however_it_ended) {
    const ServerContext old = make_server(identity, {.most_version = TLS1_2_VERSION});
    for (SSL_CTX* const far : {server.get(), old.get()}) {
        for (const End end : {End::goodbye, End::reset, End::their_goodbye, End::cut}) {
            const auto client = remembering(1);
            for (const bool resumed : {false, true, true})
                EXPECT_EQ(visit(*client, far, "db.internal", 443, end), resumed);
        }
    }
}

TEST_F(TlsSessions, are_bounded_and_the_oldest_go_first) {
    const auto client = remembering(3);
    for (const std::uint16_t port : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}})
        visit(*client, server.get(), "db.internal", port);
    EXPECT_EQ(client->sessions(), 3u);
    EXPECT_FALSE(visit(*client, server.get(), "db.internal", 1));

    const auto forgetful = remembering(0);
    visit(*forgetful, server.get());
    EXPECT_FALSE(visit(*forgetful, server.get()));
    EXPECT_EQ(forgetful->sessions(), 0u);
}

TEST_F(TlsSessions, one_host_does_not_push_out_the_others) {
    const auto client = remembering(12);
    visit(*client, server.get(), "other.internal");
    for (int i = 0; i < 10; ++i) {
        Link link{*client, server.get(), "db.internal"};
        EXPECT_EQ(link.shake_hands().kind, IoKind::done);
        EXPECT_TRUE(link.client->quiet());
    }
    EXPECT_TRUE(visit(*client, server.get(), "other.internal"));
}

TEST_F(TlsSessions, a_failed_check_leaves_nothing_to_resume) {
    const auto client = remembering(100);
    Link link{*client, server.get(), "elsewhere"};
    EXPECT_EQ(link.shake_hands().kind, IoKind::failed);
    EXPECT_EQ(client->sessions(), 0u);
}

using TlsSessionsShared = TlsSessions;

TEST_F(TlsSessionsShared, are_remembered_by_one_thread_for_the_others) {
    const auto client = remembering(100);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            const std::string host = thread % 2 ? "db.internal" : "other.internal";
            for (int i = 0; i < 10; ++i) visit(*client, server.get(), host);
        });
    for (std::thread& each : threads) each.join();
    EXPECT_GE(client->sessions(), 4u);
    EXPECT_LE(client->sessions(), 16u);
}

}  // namespace
}  // namespace perdure::testing
