// SPDX-License-Identifier: Apache-2.0
//
// Does each fault do to a TCP link what the reference page says, whatever the bytes mean?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Proxy> tcp(const Server& server, std::vector<Rule> rules) {
    return before(server, std::move(rules), Protocol::tcp);
}

// A database with one kind of statement: each ends with ";\n" and is answered with "ok\n".
Server::Answer database() {
    return [](std::string& received) {
        const std::size_t end = received.find(";\n");
        if (end == std::string::npos) return std::string{};
        received.erase(0, end + 2);
        return std::string{"ok\n"};
    };
}

TEST(TcpLinkThreads, passes_everything_on_both_ways_and_half_closes) {
    const Server server{Server::echo()};
    const auto proxy = tcp(server, {});
    std::string large(1'000'000, 'x');
    large += "end";
    Client client{proxy->port()};
    std::thread sender{[&] { client.send(large); }};
    {
        Client other{proxy->port()};
        EXPECT_EQ(other.ask("small", "small"), "small");
    }
    sender.join();
    EXPECT_EQ(client.until("end").size(), large.size());
    client.close();
    EXPECT_TRUE(becomes([&] { return proxy->counters().open_connections == 0; }));
    EXPECT_EQ(proxy->counters().connections, 2);
    EXPECT_EQ(proxy->counters().requests, 0);
    EXPECT_EQ(proxy->records().size(), 2);
}

TEST(TcpLinkThreads, loses_the_commit_or_only_its_answer_as_the_rule_says) {
    struct Row {
        When when;
        int commits;
        std::uint64_t before, after;
    };
    for (const Row& row : {Row{When::before, 0, 1, 0}, Row{When::after, 1, 0, 1}}) {
        const Server server{database()};
        const auto proxy =
            tcp(server, {{.fault = Fault::cut_at_marker, .marker = "COMMIT", .when = row.when}});
        Client client{proxy->port()};
        EXPECT_EQ(client.ask("insert;\n", "\n"), "ok\n");
        client.send("COM");
        client.send("MIT;\n");
        EXPECT_EQ(client.ending(), Ending::reset);
        EXPECT_EQ(client.rest(), "");
        EXPECT_TRUE(becomes([&] { return server.ended() == 1; }));
        EXPECT_EQ(server.times("COMMIT"), row.commits);
        EXPECT_EQ(server.times("insert;\n"), 1);
        EXPECT_EQ(proxy->counters().faults_before_forwarding, row.before);
        EXPECT_EQ(proxy->counters().faults_after_forwarding, row.after);
    }
}

TEST(TcpLinkThreads, counts_the_sightings_of_a_marker_over_all_connections) {
    const Server server{database()};
    const auto proxy = tcp(server, {{.fault = Fault::cut_at_marker,
                                     .match = {.from = 3, .to = 3},
                                     .marker = "COMMIT",
                                     .when = When::after}});
    for (int i = 1; i <= 4; ++i) {
        Client client{proxy->port()};
        client.send("COMMIT;\n");
        EXPECT_EQ(client.until("\n"), i == 3 ? "" : "ok\n") << i;
    }
    EXPECT_EQ(proxy->counters().rules.at(0).fitting, 4);
    EXPECT_EQ(proxy->counters().rules.at(0).struck, 1);
}

TEST(TcpLinkThreads, looks_for_the_markers_of_a_new_plan_on_open_connections_too) {
    const Server server{database()};
    const auto proxy = tcp(server, {});
    Client client{proxy->port()};
    EXPECT_EQ(client.ask("COMMIT;\n", "\n"), "ok\n");
    const Rule cut{.fault = Fault::cut_at_marker, .marker = "COMMIT"};
    ASSERT_TRUE(proxy->change({.rules = {cut}, .protocol = Protocol::tcp}));
    client.send("COMMIT;\n");
    EXPECT_EQ(client.ending(), Ending::reset);
    Client second{proxy->port()};
    EXPECT_EQ(second.ask("select;\n", "\n"), "ok\n");
    ASSERT_TRUE(proxy->change({.protocol = Protocol::tcp}));
    EXPECT_EQ(second.ask("COMMIT;\n", "\n"), "ok\n");
}

TEST(TcpLinkThreads, cuts_where_the_server_says_something) {
    const Server server{database()};
    const auto proxy =
        tcp(server, {{.fault = Fault::cut_at_marker, .marker = "ok", .toward = Toward::client}});
    Client client{proxy->port()};
    client.send("COMMIT;\n");
    EXPECT_EQ(client.ending(), Ending::reset);
    EXPECT_EQ(server.times("COMMIT"), 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
}

// A session that the server keeps although its client is gone.
TEST(TcpLinkThreads, leaves_the_servers_side_open_where_a_cut_says_so) {
    for (const When when : {When::before, When::after, When::answered}) {
        const Server server{database()};
        auto proxy = tcp(server, {{.fault = Fault::cut_at_marker,
                                   .marker = "COMMIT",
                                   .when = when,
                                   .then = Then::half_open}});
        Client client{proxy->port()};
        EXPECT_EQ(client.ask("insert;\n", "\n"), "ok\n");
        client.send("COMMIT;\n");
        EXPECT_EQ(client.ending(), Ending::reset);
        EXPECT_EQ(client.rest(), "");
        EXPECT_TRUE(
            becomes([&] { return server.times("COMMIT") == (when == When::before ? 0 : 1); }));
        EXPECT_EQ(server.ended(), 0);
        EXPECT_EQ(proxy->counters().open_connections, 1);
        proxy.reset();
        EXPECT_TRUE(becomes([&] { return server.ended() == 1; }));
    }
}

TEST(TcpLinkThreads, ends_the_servers_side_after_a_time) {
    const Server server{database()};
    const auto proxy = tcp(server, {{.fault = Fault::cut_at_marker,
                                     .marker = "COMMIT",
                                     .then = Then::half_open,
                                     .open_for = 30ms}});
    Client client{proxy->port()};
    client.send("COMMIT;\n");
    EXPECT_EQ(client.ending(), Ending::reset);
    const TimePoint cut = system_clock().now();
    EXPECT_TRUE(becomes([&] { return server.ended() == 1; }));
    EXPECT_GE(system_clock().now() - cut, 10ms);
    EXPECT_TRUE(becomes([&] { return proxy->counters().open_connections == 0; }));
}

TEST(TcpLinkThreads, cuts_the_client_off_before_the_marker_arrives) {
    for (const Then then : {Then::reset, Then::half_open}) {
        const Server server{database()};
        const auto proxy = tcp(server, {{.fault = Fault::cut_at_marker,
                                         .delay = 50ms,
                                         .marker = "COMMIT",
                                         .when = When::after,
                                         .then = then}});
        Client client{proxy->port()};
        EXPECT_EQ(client.ask("insert;\n", "\n"), "ok\n");
        const TimePoint sent = system_clock().now();
        client.send("COMMIT;\n");
        EXPECT_EQ(client.ending(), Ending::reset);
        EXPECT_TRUE(becomes([&] { return server.times("COMMIT") == 1; }));
        EXPECT_GE(system_clock().now() - sent, 50ms);
        EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
    }
}

TEST(TcpLinkThreads, cuts_when_the_marker_was_answered) {
    const Server server{database()};
    const auto proxy =
        tcp(server, {{.fault = Fault::cut_at_marker, .marker = "COMMIT", .when = When::answered}});
    Client client{proxy->port()};
    client.send("COMMIT");
    EXPECT_TRUE(client.hears_nothing());
    client.send(";\n");
    EXPECT_EQ(client.ending(), Ending::reset);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(server.times("COMMIT"), 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
}

TEST(TcpLinkThreads, swallows_everything_from_a_marker_on) {
    for (const When when : {When::before, When::after}) {
        const Server server{database()};
        const auto proxy = tcp(server, {{.fault = Fault::cut_at_marker,
                                         .marker = "COMMIT",
                                         .when = when,
                                         .then = Then::swallow}});
        Client client{proxy->port()};
        EXPECT_EQ(client.ask("insert;\n", "\n"), "ok\n");
        client.send("COMMIT;\n");
        ASSERT_TRUE(becomes([&] { return proxy->counters().of(Fault::cut_at_marker) == 1; }));
        client.send("select;\n");
        ASSERT_TRUE(
            becomes([&] { return server.times("COMMIT") == (when == When::before ? 0 : 1); }));
        EXPECT_TRUE(client.hears_nothing());
        EXPECT_EQ(proxy->counters().open_connections, 1);
        client.close();
        EXPECT_TRUE(becomes([&] { return server.ended() == 1; }));
        EXPECT_EQ(server.times("select"), 0);
    }
}

TEST(TcpLinkThreads, resets_before_or_after_what_the_client_said_first) {
    const Server server{database()};
    {
        const auto proxy = tcp(server, {{.fault = Fault::reset_before}});
        Client client{proxy->port()};
        client.send("one;\n");
        EXPECT_EQ(client.ending(), Ending::reset);
        EXPECT_EQ(server.times("one"), 0);
        EXPECT_EQ(proxy->counters().faults_before_forwarding, 1);
    }
    const auto proxy = tcp(server, {{.fault = Fault::reset_after}});
    Client client{proxy->port()};
    client.send("two;\n");
    EXPECT_EQ(client.ending(), Ending::reset);
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(server.times("two"), 1);
    EXPECT_EQ(proxy->counters().faults_after_forwarding, 1);
}

TEST(TcpLinkThreads, stays_silent_when_it_swallows_or_leaves_half_open_or_is_a_black_hole) {
    struct Row {
        Fault fault;
        int heard;
    };
    for (const Row& row :
         {Row{Fault::swallow_reply, 1}, Row{Fault::half_open, 1}, Row{Fault::black_hole, 0}}) {
        const Server server{database()};
        const auto proxy = tcp(server, {{.fault = row.fault}});
        Client client{proxy->port()};
        client.send("one;\n");
        ASSERT_TRUE(becomes([&] { return proxy->counters().of(row.fault) == 1; }));
        ASSERT_TRUE(becomes([&] { return server.times("one") == row.heard; }));
        EXPECT_TRUE(client.hears_nothing()) << to_string(row.fault);
        EXPECT_EQ(proxy->counters().open_connections, 1);
        client.close();
        EXPECT_TRUE(becomes([&] { return proxy->counters().open_connections == 0; }))
            << to_string(row.fault);
    }
}

TEST(TcpLinkThreads, closes_after_so_many_bytes_and_injects_bytes_of_its_own) {
    const Server server{database()};
    {
        const auto proxy = tcp(server, {{.fault = Fault::close_after, .bytes = 2}});
        Client client{proxy->port()};
        client.send("one;\n");
        EXPECT_EQ(client.ending(), Ending::orderly);
        EXPECT_EQ(client.rest(), "ok");
    }
    const auto proxy = tcp(server, {{.fault = Fault::inject, .body = "too many connections\n"}});
    Client client{proxy->port()};
    EXPECT_EQ(client.ending(), Ending::orderly);
    EXPECT_EQ(client.rest(), "too many connections\n");
}

TEST(TcpLinkThreads, delays_and_drips_both_ways) {
    const Server server{database()};
    const auto proxy =
        tcp(server, {{.fault = Fault::delay, .delay = 10ms},
                     {.fault = Fault::delay, .delay = 10ms, .toward = Toward::client},
                     {.fault = Fault::drip, .delay = 5ms, .bytes = 1}});
    const TimePoint asked = system_clock().now();
    Client client{proxy->port()};
    EXPECT_EQ(client.ask("one;\n", "\n"), "ok\n");
    EXPECT_GE(system_clock().now() - asked, 10ms + 10ms + 2 * 5ms);
}

TEST(TcpLinkThreads, resets_every_second_connection_at_the_door) {
    const Server server{Server::echo()};
    const auto proxy =
        tcp(server, {{.fault = Fault::refuse, .match = {.from = 2, .every_nth = 2}}});
    for (int i = 1; i <= 6; ++i) {
        Client client{proxy->port()};
        client.send("hello");
        EXPECT_EQ(client.until("hello"), i % 2 == 0 ? "" : "hello") << i;
    }
    EXPECT_EQ(proxy->counters().of(Fault::refuse), 3);
}

}  // namespace
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
