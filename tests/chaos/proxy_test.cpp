// SPDX-License-Identifier: Apache-2.0
//
// Does the proxy keep account, change its plan, stay at home and stop at once?
#include "perdure/chaos/proxy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "chaos/wire.hpp"
#include "perdure/testing/thread_limit.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ProxyThreads, refuses_options_and_plans_that_cannot_be_meant_and_names_the_fix) {
    struct Row {
        ProxyOptions options;
        Plan plan;
        const char* word;
    };
    const std::vector<Row> rows{
        {{}, {}, "where to"},
        {{.to = "127.0.0.1"}, {}, "to: '127.0.0.1' is no address"},
        {{.to = "example.org:80"}, {}, "is no address"},
        {{.to = "http://user:CANARY@h:80/"}, {}, "to: this is no address"},
        {{.to = "127.0.0.1:70000"}, {}, "is no address"},
        {{.to = "::1:80"}, {}, "[::1]:8080"},
        {{.listen = "0.0.0.0:0", .to = "127.0.0.1:1"}, {}, "other machines"},
        {{.listen = "[::]:0", .to = "127.0.0.1:1"}, {}, "other machines"},
        {{.listen = "192.0.2.1:0", .to = "127.0.0.1:1", .allow = Listening::anywhere},
         {},
         "cannot listen on 192.0.2.1:0"},
        {{.to = "127.0.0.1:1"}, {.rules = {{.fault = Fault::drip}}}, "rule 1 (drip): "},
    };
    for (const Row& row : rows) {
        const auto proxy = Proxy::start(row.plan, row.options);
        ASSERT_FALSE(proxy) << row.word;
        EXPECT_THAT(proxy.error().message, HasSubstr(row.word));
    }
}

TEST(ProxyThreads, does_not_lead_to_itself) {
    std::string free;
    {
        const Server server;
        free = server.address();
    }
    const auto proxy = Proxy::start({}, {.listen = free, .to = free});
    ASSERT_FALSE(proxy);
    EXPECT_THAT(proxy.error().message, HasSubstr("listens itself"));
}

TEST(ProxyThreads, says_which_port_is_taken) {
    const Server server;
    const auto proxy = Proxy::start({}, {.listen = server.address(), .to = server.address()});
    ASSERT_FALSE(proxy);
    EXPECT_THAT(proxy.error().message, HasSubstr("take another port"));
}

TEST(ProxyThreads, changes_its_plan_from_one_request_to_the_next) {
    const Server server;
    const auto proxy = before(server, {{.fault = Fault::inject, .status = 500}});
    Client client{proxy->port()};
    EXPECT_THAT(client.ask(get("/a"), "\r\n\r\n"), StartsWith("HTTP/1.1 500 "));
    ASSERT_TRUE(proxy->change({}));
    EXPECT_EQ(client.ask(get("/a"), "/a"), ok("/a"));
    EXPECT_TRUE(proxy->counters().rules.empty());
    EXPECT_EQ(proxy->counters().of(Fault::inject), 1);
    EXPECT_FALSE(proxy->change({.rules = {{.fault = Fault::delay}}}));
    EXPECT_EQ(client.ask(get("/a"), "/a"), ok("/a"));
}

TEST(ProxyThreads, closes_the_door_while_the_plan_says_so) {
    const Server server;
    const auto proxy = before(server, {});
    EXPECT_TRUE(Client{proxy->port()}.connected());
    ASSERT_TRUE(proxy->change({.rules = {{.fault = Fault::refuse, .closed_for = never}}}));
    EXPECT_FALSE(Client{proxy->port()}.connected());
    ASSERT_TRUE(proxy->change({}));
    ASSERT_TRUE(becomes([&] { return Client{proxy->port()}.connected(); }));
    Client client{proxy->port()};
    EXPECT_EQ(client.ask(get("/a"), "/a"), ok("/a"));
}

TEST(ProxyThreads, closes_the_door_for_a_time_when_a_connection_strikes_it) {
    const Server server;
    const auto proxy = before(
        server, {{.fault = Fault::refuse, .match = {.to = 1, .every_nth = 5}, .closed_for = 20ms}});
    Client first{proxy->port()};
    first.send(get("/a"));
    EXPECT_EQ(first.ending(), Ending::reset);
    EXPECT_TRUE(becomes([&] { return Client{proxy->port()}.connected(); }));
    EXPECT_EQ(proxy->counters().of(Fault::refuse), 1);
}

TEST(ProxyThreads, resets_the_client_when_the_server_is_not_there) {
    const Nobody nowhere;
    for (const Protocol protocol : {Protocol::http, Protocol::tcp}) {
        const auto proxy = started({.protocol = protocol}, {.to = nowhere.address()});
        Client client{proxy->port()};
        client.send(get("/a"));
        EXPECT_EQ(client.ending(), Ending::reset);
        EXPECT_EQ(proxy->counters().upstream_failed, 1);
        EXPECT_EQ(proxy->counters().forwarded, 0);
    }
}

TEST(ProxyThreads, strikes_the_same_requests_on_every_run_with_the_same_seed) {
    const auto struck = [](std::uint64_t seed) {
        const Server server;
        const auto proxy = started(
            {.rules = {{.fault = Fault::reset_after, .match = {.probability = 0.3}}}, .seed = seed},
            {.to = server.address()});
        std::set<int> numbers;
        for (int i = 1; i <= 60; ++i) {
            Client client{proxy->port()};
            if (client.ask(get("/a"), "/a").empty()) numbers.insert(i);
        }
        return numbers;
    };
    const std::set<int> first = struck(7);
    EXPECT_GT(first.size(), 5);
    EXPECT_LT(first.size(), 35);
    EXPECT_EQ(first, struck(7));
    EXPECT_NE(first, struck(8));
}

TEST(ProxyThreads, accounts_for_every_request_of_200_connections_at_once) {
    const Server server;
    const auto proxy =
        started({.rules = {{.fault = Fault::reset_before, .match = {.probability = 0.1}},
                           {.fault = Fault::reset_after, .match = {.probability = 0.1}}},
                 .seed = 3},
                {.to = server.address(), .id_header = "x-request-id"});
    std::vector<Client> clients;
    for (int i = 0; i < 200; ++i) clients.emplace_back(proxy->port());
    const auto id = [](std::size_t i) { return "<" + std::to_string(i) + ">"; };
    for (std::size_t i = 0; i < clients.size(); ++i)
        clients[i].send(get("/a", "x-request-id: " + id(i) + "\r\n"));
    for (Client& client : clients) client.until("/a");
    const Counters counters = proxy->counters();
    EXPECT_EQ(counters.connections, 200);
    EXPECT_EQ(counters.requests, 200);
    EXPECT_EQ(counters.forwarded + counters.of(Fault::reset_before), 200);
    EXPECT_EQ(counters.faults_before_forwarding, counters.of(Fault::reset_before));
    EXPECT_EQ(counters.faults_after_forwarding, counters.of(Fault::reset_after));
    EXPECT_GT(counters.faults_after_forwarding, 0);
    std::set<std::string> forwarded;
    for (const Record& record : proxy->records())
        if (record.forwarded) forwarded.insert(record.id);
    for (std::size_t i = 0; i < clients.size(); ++i)
        EXPECT_EQ(server.times(id(i)), forwarded.contains(id(i)) ? 1 : 0) << i;
}

TEST(ProxyThreads, stops_at_once_with_connections_open_in_every_state) {
    const Server server;
    auto proxy = before(server, {{.fault = Fault::black_hole, .match = {.path = "/hole"}},
                                 {.fault = Fault::delay, .match = {.path = "/late"}, .delay = 1h},
                                 {.fault = Fault::half_open, .match = {.path = "/half"}}});
    std::vector<Client> clients;
    for (const char* path : {"/hole", "/late", "/half", "/ok"}) {
        clients.emplace_back(proxy->port());
        clients.back().send(get(path));
    }
    clients.emplace_back(proxy->port());
    ASSERT_TRUE(becomes([&] { return proxy->counters().requests == 4; }));
    const TimePoint asked = system_clock().now();
    proxy.reset();
    EXPECT_LT(system_clock().now() - asked, 1s);
    for (Client& client : clients) EXPECT_NE(client.ending(), Ending::none);
    EXPECT_EQ(clients.front().ending(), Ending::reset);
}

TEST(ProxyThreads, keeps_the_latest_records_and_says_how_many_were_lost) {
    const Server server;
    const auto proxy = started({}, {.to = server.address(), .records = 3});
    Client client{proxy->port()};
    for (const char* path : {"/1a", "/2a", "/3a", "/4a", "/5a"}) client.ask(get(path), path);
    std::vector<std::string> paths;
    for (const Record& record : proxy->records()) paths.push_back(record.path);
    EXPECT_THAT(paths, ElementsAre("/3a", "/4a", "/5a"));
    EXPECT_EQ(proxy->counters().records_lost, 2);
    EXPECT_EQ(proxy->take_records().size(), 3);
    EXPECT_EQ(proxy->records().size(), 0);
}

TEST(ProxyThreads, takes_no_more_connections_than_it_may_and_the_others_wait) {
    const Server server;
    const auto proxy = started({}, {.to = server.address(), .connections = 2});
    Client first{proxy->port()}, second{proxy->port()}, third{proxy->port()};
    EXPECT_EQ(first.ask(get("/a"), "/a"), ok("/a"));
    EXPECT_EQ(second.ask(get("/a"), "/a"), ok("/a"));
    third.send(get("/third"));
    EXPECT_EQ(proxy->counters().open_connections, 2);
    first.close();
    EXPECT_EQ(third.until("/third"), ok("/third"));
}

TEST(ProxyRecords, become_lines_of_json_that_parse_whatever_the_bytes) {
    const TimePoint since{5s};
    const Record record{.connection = 1,
                        .request = 2,
                        .method = "GET",
                        .path = "/\"\\\x01\xff",
                        .status = 200,
                        .accepted = since + 1500ms,
                        .read = since + 1501ms,
                        .ended = since + 2s,
                        .bytes_to_client = 7,
                        .fault = Fault::drip,
                        .rule = "slow"};
    EXPECT_EQ(to_json(record, since),
              R"({"connection":1,"request":2,"method":"GET","path":"/\"\\\u0001\u00ff","id":"",)"
              R"("status":200,"accepted":1.500000,"read":1.501000,"forwarded":null,)"
              R"("answered":null,"ended":2.000000,"bytes_to_server":0,"bytes_to_client":7,)"
              R"("fault":"drip","rule":"slow"})");
    EXPECT_THAT(to_json(Record{.ended = since}, since), HasSubstr(R"("fault":null,"rule":null})"));
    Counters counters;
    counters.rules = {{.name = "a", .fault = Fault::inject, .fitting = 3, .struck = 2}};
    EXPECT_THAT(to_json(counters), HasSubstr(R"("faults":{"delay":0,"drip":0,)"));
    EXPECT_THAT(to_json(counters),
                HasSubstr(R"("rules":[{"name":"a","fault":"inject","fitting":3,"struck":2}]})"));
}

TEST(ProxyStart, without_a_thread_is_an_error) {
    const testing::ThreadLimit none{0};
    const auto proxy = Proxy::start({}, {.to = "127.0.0.1:9"});
    ASSERT_FALSE(proxy);
    EXPECT_EQ(proxy.error().code, "no-thread");
}

}  // namespace
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
