// SPDX-License-Identifier: Apache-2.0
//
// Does the fake gateway do each thing that a client has to survive? One transcript each: bytes sent,
// bytes that came back. What a whole answer looks like is in the first.
#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

GatewayOptions two_regions(Duration lag = 0s) {
    GatewayOptions options;
    options.regions = {{"East US"}, {"West US", lag}};
    return options;
}

constexpr const char* at_d = "x-ms-date: Fri, 02 Jan 2026 03:04:05 GMT\n";

std::string authorization(const char* escaped_signature) {
    return std::string{"authorization: type%3dmaster%26ver%3d1.0%26sig%3d"} + escaped_signature +
           '\n';
}

TEST(Transcripts, a_created_item_is_answered_with_these_bytes) {
    const FakeAccount account;
    account.furnish();
    const Reply reply = account.ask("East US",
                                    "POST /dbs/d/colls/c/docs HTTP/1.1\n"
                                    "x-ms-documentdb-partitionkey: [\"A\"]\n"
                                    "x-ms-activity-id: 6ba7b810-9dad-41d1-80b4-00c04fd430c8\n",
                                    R"({"id":"1","pk":"A","n":12345678901234567890123})");
    EXPECT_EQ(reply.raw,
              "HTTP/1.1 201 Created\r\n"
              "Date: Fri, 02 Jan 2026 03:04:05 GMT\r\n"
              "etag: \"00000003-0000-0700-0000-695735a50000\"\r\n"
              "x-ms-content-path: cGUAAYAAAAE=\r\n"
              "x-ms-alt-content-path: dbs/d/colls/c\r\n"
              "x-ms-session-token: 0:1#1#1=1\r\n"
              "x-ms-documentdb-partitionkeyrangeid: 0\r\n"
              "lsn: 1\r\n"
              "x-ms-global-Committed-lsn: 1\r\n"
              "x-ms-number-of-read-regions: 0\r\n"
              "x-ms-activity-id: 6ba7b810-9dad-41d1-80b4-00c04fd430c8\r\n"
              "x-ms-request-charge: 5.00\r\n"
              "x-ms-serviceversion: version=2.14.0.0\r\n"
              "x-ms-gatewayversion: version=2.14.0\r\n"
              "x-ms-request-duration-ms: 0.2\r\n"
              "Content-Type: application/json\r\n"
              "Content-Length: 252\r\n"
              "\r\n"
              R"({"id":"1","pk":"A","n":12345678901234567890123,"_rid":"cGUAAYAAAAEAAAAAAAAAAQ==",)"
              R"("_self":"dbs/cGUAAQ==/colls/cGUAAYAAAAE=/docs/cGUAAYAAAAEAAAAAAAAAAQ==/",)"
              R"("_etag":"\"00000003-0000-0700-0000-695735a50000\"",)"
              R"("_attachments":"attachments/","_ts":1767323045})");
}

TEST(Transcripts, writes_outside_the_write_region_are_403_3) {
    const FakeAccount account{two_regions()};
    account.furnish();
    const Reply refused = account.create("West US", "1");
    EXPECT_EQ(refused.line, "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(refused.header("x-ms-substatus"), "3");
    EXPECT_EQ(refused.body.substr(0, 19), R"({"code":"Forbidden")");
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(account.read("West US", "1").status(), "200");
    // Its own way to say that a read was meant for the hub.
    EXPECT_EQ(
        account.read("West US", "1", "x-ms-cosmos-hub-region-processing-only: True\n").status(),
        "403/3");
}

TEST(Transcripts, a_write_to_another_region_of_a_multi_write_account_needs_its_header) {
    GatewayOptions options = two_regions();
    options.writes = WriteMode::multiple;
    const FakeAccount account{options};
    account.furnish();
    const std::string head =
        "POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n";
    EXPECT_EQ(account.ask("West US", head, R"({"id":"1","pk":"A"})").status(), "403/3");
    EXPECT_EQ(account.create("West US", "1").status(), "201");
    EXPECT_EQ(account.ask("West US", "POST /dbs HTTP/1.1\n", R"({"id":"e"})").status(), "403/3");
}

TEST(Transcripts, a_retired_region_is_403_1008_while_the_document_lists_it) {
    const FakeAccount account{two_regions()};
    account.furnish();
    ASSERT_TRUE(account.gateway->set("West US", RegionState::retired));
    const Reply refused = account.read("West US", "1");
    EXPECT_EQ(refused.line, "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(refused.header("x-ms-substatus"), "1008");
    EXPECT_EQ(account.ask("West US", "GET / HTTP/1.1\n").status(), "403/1008");
    EXPECT_NE(account.ask("global", "GET / HTTP/1.1\n").body.find("West US"), std::string::npos);
    ASSERT_TRUE(account.gateway->list("West US", Listed::no));
    EXPECT_EQ(account.ask("global", "GET / HTTP/1.1\n").body.find("West US"), std::string::npos);
}

TEST(Transcripts, a_token_ahead_of_the_region_is_404_1002_until_replication_has_caught_up) {
    FakeAccount account{two_regions(100ms)};
    account.furnish();
    const std::string token = account.create("East US", "1").header("x-ms-session-token");
    EXPECT_EQ(token, "0:1#1#1=1");
    const std::string with = "x-ms-session-token: " + token + '\n';
    const Reply early = account.read("West US", "1", with);
    EXPECT_EQ(early.line, "HTTP/1.1 404 Not Found");
    EXPECT_EQ(early.header("x-ms-substatus"), "1002");
    EXPECT_EQ(account.read("West US", "1").status(), "404");  // without a token: not there yet
    account.pass(99ms);
    EXPECT_EQ(account.read("West US", "1", with).status(), "404/1002");
    account.pass(1ms);
    const Reply late = account.read("West US", "1", with);
    EXPECT_EQ(late.line, "HTTP/1.1 200 Ok");
    EXPECT_EQ(late.header("x-ms-session-token"), token);
}

TEST(Transcripts, replication_can_be_held_and_released) {
    FakeAccount account{two_regions()};
    account.furnish();
    ASSERT_TRUE(account.gateway->replicate("West US", never));
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    account.pass(24h);
    EXPECT_EQ(account.read("West US", "1").status(), "404");
    ASSERT_TRUE(account.gateway->replicate("West US", 0s));
    EXPECT_EQ(account.read("West US", "1").status(), "200");
}

TEST(Transcripts, a_split_is_410_1007_then_410_1002_and_children_name_their_parent) {
    const FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    const std::string ranges = "GET /dbs/d/colls/c/pkranges HTTP/1.1\nA-IM: Incremental Feed\n"
                               "x-ms-max-item-count: -1\n";
    const Reply before = account.ask("East US", ranges);
    EXPECT_EQ(before.header("etag"), "\"1\"");
    EXPECT_EQ(before.member("minInclusive") + "-" + before.member("maxExclusive"), "-FF");
    ASSERT_TRUE(account.gateway->split({.database = "d", .container = "c", .requests = 2}));
    for (int i = 0; i < 2; ++i) {
        const Reply during = account.read("East US", "1");
        EXPECT_EQ(during.line, "HTTP/1.1 410 Gone");
        EXPECT_EQ(during.header("x-ms-substatus"), "1007");
    }
    const Reply after = account.read("East US", "1");
    EXPECT_EQ(after.line, "HTTP/1.1 200 Ok");
    EXPECT_EQ(after.header("x-ms-documentdb-partitionkeyrangeid"), "1");
    EXPECT_EQ(after.header("x-ms-session-token"), "1:1#1#1=1");
    const std::string feed = "GET /dbs/d/colls/c/docs HTTP/1.1\n";
    EXPECT_EQ(account.ask("East US", feed + "x-ms-documentdb-partitionkeyrangeid: 0\n").status(),
              "410/1002");
    EXPECT_EQ(account.ask("East US", feed + "x-ms-documentdb-partitionkeyrangeid: 2\n").status(),
              "200");
    const Reply children = account.ask("East US", ranges + "If-None-Match: \"1\"\n");
    EXPECT_EQ(children.header("etag"), "\"2\"");
    EXPECT_NE(children.body.find(R"("id":"1")"), std::string::npos);
    EXPECT_NE(children.body.find(R"("minInclusive":"","maxExclusive":"20000000")"),
              std::string::npos);
    EXPECT_NE(children.body.find(R"("minInclusive":"20000000","maxExclusive":"FF")"),
              std::string::npos);
    EXPECT_NE(children.body.find(R"("parents":["0"])"), std::string::npos);
    EXPECT_EQ(children.body.find(R"("id":"0")"), std::string::npos);
}

TEST(Transcripts, a_split_can_also_take_its_time) {
    FakeAccount account;
    account.furnish();
    ASSERT_TRUE(account.gateway->split({.database = "d", .container = "c", .time = 2s}));
    EXPECT_EQ(account.read("East US", "1").status(), "410/1007");
    account.pass(2s);
    EXPECT_EQ(account.read("East US", "1").status(), "404");
}

TEST(Transcripts, pkranges_that_are_known_are_304) {
    const FakeAccount account;
    account.furnish();
    const Reply known = account.ask("East US", "GET /dbs/d/colls/c/pkranges HTTP/1.1\n"
                                               "A-IM: Incremental Feed\nIf-None-Match: \"1\"\n");
    EXPECT_EQ(known.line, "HTTP/1.1 304 Not Modified");
    EXPECT_EQ(known.header("etag"), "\"1\"");
    EXPECT_EQ(known.body, "");
}

TEST(Transcripts, more_than_the_budget_is_429_3200_until_the_second_is_over) {
    GatewayOptions options;
    options.request_units = 10;
    FakeAccount account{options};
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(account.create("East US", "2").status(), "201");
    account.pass(300ms);
    const Reply throttled = account.create("East US", "3");
    EXPECT_EQ(throttled.line, "HTTP/1.1 429 Too Many Requests");
    EXPECT_EQ(throttled.header("x-ms-substatus"), "3200");
    EXPECT_EQ(throttled.header("x-ms-retry-after-ms"), "700");
    account.pass(700ms);
    EXPECT_EQ(account.create("East US", "3").status(), "201");
}

TEST(Transcripts, a_rule_answers_449_503_408_500_410_and_429_without_a_hint) {
    const FakeAccount account;
    account.furnish();
    const std::pair<int, std::string> table[] = {{449, "HTTP/1.1 449 Retry With"},
                                                 {503, "HTTP/1.1 503 Service Unavailable"},
                                                 {408, "HTTP/1.1 408 Request Timeout"},
                                                 {500, "HTTP/1.1 500 Internal Server Error"},
                                                 {410, "HTTP/1.1 410 Gone"},
                                                 {429, "HTTP/1.1 429 Too Many Requests"}};
    for (const auto& [status, line] : table) {
        account.gateway->plan({{.kind = RequestKind::write, .to = 1, .status = status}});
        const Reply refused = account.create("East US", std::to_string(status));
        EXPECT_EQ(refused.line, line);
        EXPECT_EQ(refused.header("x-ms-retry-after-ms"), "");
        EXPECT_EQ(account.read("East US", std::to_string(status)).status(), "404");
        EXPECT_EQ(account.create("East US", std::to_string(status)).status(), "201");
        EXPECT_EQ(account.gateway->struck(), (std::vector<std::uint64_t>{1}));
    }
}

TEST(Transcripts, a_reset_before_applying_leaves_nothing_and_after_applying_everything) {
    const FakeAccount account;
    account.furnish();
    account.gateway->plan({{.resource = "docs", .to = 1, .ending = FaultEnding::reset},
                           {.resource = "docs",
                            .to = 1,
                            .strikes = Strikes::after_applying,
                            .ending = FaultEnding::reset}});
    const Reply before = account.create("East US", "1");
    EXPECT_TRUE(before.ended);
    EXPECT_EQ(before.raw, "");
    const Reply after = account.create("East US", "2");
    EXPECT_TRUE(after.ended);
    EXPECT_EQ(after.raw, "");
    EXPECT_EQ(account.read("East US", "1").status(), "404");
    EXPECT_EQ(account.read("East US", "2").status(), "200");
}

TEST(Transcripts, half_an_answer_ends_in_a_reset) {
    const FakeAccount account;
    account.furnish();
    account.gateway->plan({{.kind = RequestKind::write,
                            .strikes = Strikes::after_applying,
                            .ending = FaultEnding::half_answer}});
    const Reply half = account.create("East US", "1");
    EXPECT_TRUE(half.ended);
    EXPECT_EQ(half.raw.substr(0, 20), "HTTP/1.1 201 Created");
    EXPECT_NE(half.raw.find("\r\n\r\n{\"id\":\"1\""), std::string::npos);
    EXPECT_EQ(account.read("East US", "1").status(), "200");
}

TEST(Transcripts, an_account_document_flaps_between_old_and_new) {
    FakeAccount account{two_regions()};
    const auto writer = [&] {
        const std::string body = account.ask("global", "GET / HTTP/1.1\n").body;
        const std::size_t at = body.find("writableLocations\":[{\"name\":\"");
        return body.substr(at + 29, 7);
    };
    EXPECT_EQ(writer(), "East US");
    ASSERT_TRUE(account.gateway->fail_over("West US", FailOver::caught_up));
    account.gateway->flap(2s);
    EXPECT_EQ(writer(), "East US");
    EXPECT_EQ(writer(), "West US");
    EXPECT_EQ(writer(), "East US");
    account.pass(2s);
    EXPECT_EQ(writer(), "West US");
    EXPECT_EQ(writer(), "West US");
}

TEST(Transcripts, a_change_of_topology_bumps_the_version_of_tokens) {
    const FakeAccount account{two_regions()};
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").header("x-ms-session-token"), "0:1#1#1=1");
    ASSERT_TRUE(account.gateway->fail_over("West US", FailOver::caught_up));
    EXPECT_EQ(account.create("East US", "2").status(), "403/3");
    EXPECT_EQ(account.create("West US", "2").header("x-ms-session-token"), "0:2#2#2=2");
    account.gateway->set_writes(WriteMode::multiple);
    EXPECT_EQ(account.create("East US", "3").header("x-ms-session-token"), "0:3#3#1=3#2=2");
    // A token of before is still understood.
    EXPECT_EQ(account.read("East US", "3", "x-ms-session-token: 0:1#1#1=1\n").status(), "200");
}

TEST(Transcripts, a_wrong_signature_is_401_and_a_stale_date_403) {
    FakeAccount account{{}, Signatures::checked};
    const std::string good = authorization("5BsL%2FY%2Fl1wHfqOcOUk43rmUgQB%2BQn8NwdUwtq3nHdAQ%3D");
    EXPECT_EQ(account.ask("global", "GET / HTTP/1.1\n" + good + at_d).line, "HTTP/1.1 200 Ok");
    EXPECT_EQ(account.ask("global", std::string{"GET / HTTP/1.1\n"} + at_d).line,
              "HTTP/1.1 401 Unauthorized");
    const std::string bad = authorization("6BsL%2FY%2Fl1wHfqOcOUk43rmUgQB%2BQn8NwdUwtq3nHdAQ%3D");
    const Reply refused = account.ask("global", "GET / HTTP/1.1\n" + bad + at_d);
    EXPECT_EQ(refused.line, "HTTP/1.1 401 Unauthorized");
    EXPECT_EQ(refused.body.substr(0, 22), R"({"code":"Unauthorized")");
    account.pass(15min + 1s);
    const Reply stale = account.ask("global", "GET / HTTP/1.1\n" + good + at_d);
    EXPECT_EQ(stale.line, "HTTP/1.1 403 Forbidden");
    EXPECT_EQ(stale.header("x-ms-substatus"), "");
}

// The sheet's vectors: names are encoded in the URL and not in what is signed.
TEST(Transcripts, known_signatures_are_accepted) {
    const FakeAccount account{{}, Signatures::checked};
    const std::string known[][3] = {
        {"POST /dbs", "ReXa6reK2sk%2BzgiXqi7uKAQBb1EqRuGL75vecLhCKFo%3D", R"({"id":"d1"})"},
        {"GET /dbs/d1/colls/c1", "sE2aCpeyDEqP2J5Q3c9YArH6riIOQWe0vGgNsKi387g%3D", ""},
        {"POST /dbs/d1/colls/c1/docs", "inEanK6HSmjP9OSGQIQMJjbaXCZEHOy1V9n6r6eXxoo%3D", "{}"},
        {"GET /dbs/d1/colls/c1/docs/Item%201%C3%A4",
         "SI5AZ4hyUiz/NVyZgU91adkTyjoY/UejcxAUNHWYIng%3d", ""}};
    const std::string answers[] = {"201", "404", "404/1003", "404/1003"};
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(account
                      .ask("global",
                           known[i][0] + " HTTP/1.1\n" + authorization(known[i][1].c_str()) + at_d,
                           known[i][2])
                      .status(),
                  answers[i])
            << known[i][0];
}

// HMACs of the strings that clients sign: a question mark is sent as it is or escaped, and what is
// deleted is a partition key or a part of its container.
TEST(Transcripts, signatures_of_other_clients_are_accepted_too) {
    const FakeAccount account{{}, Signatures::checked};
    const std::string item = "GET /dbs/d1/colls/c1/docs/a";
    const std::string partition = "POST /dbs/d1/colls/c1/operations/partitionkeydelete";
    const std::string known[][3] = {
        {item + "?b", "pNhibutg07fUqki4cbQg6JA%2BuAi0YIlqYlNaUyoTXiI%3D", "404/1003"},
        {item + "%3Fb", "pNhibutg07fUqki4cbQg6JA%2BuAi0YIlqYlNaUyoTXiI%3D", "404/1003"},
        {partition, "G4toOVBMmUrB1YLSs6ngEh9SQ0r6x4dNr969N7icD6w%3D", "400"},   // partitionkey
        {partition, "gw/MHvfT8aPpPWgIWJkteCuCJqzLW/HiW5gsR5XgrIs%3D", "400"}};  // colls
    for (const auto& [request, signature, status] : known)
        EXPECT_EQ(
            account.ask("global", request + " HTTP/1.1\n" + authorization(signature.c_str()) + at_d)
                .status(),
            status)
            << request << signature;
}

TEST(Transcripts, a_query_may_begin_with_empty_pages_that_go_on) {
    const FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    account.gateway->empty_pages(1);
    const std::string head =
        "POST /dbs/d/colls/c/docs HTTP/1.1\nContent-Type: application/query+json\n"
        "x-ms-documentdb-isquery: True\nx-ms-documentdb-partitionkey: [\"A\"]\n";
    const std::string query = R"({"query":"SELECT c.id FROM c","parameters":[]})";
    const Reply empty = account.ask("East US", head, query);
    EXPECT_EQ(empty.line, "HTTP/1.1 200 Ok");
    EXPECT_EQ(empty.body, R"({"_rid":"cGUAAYAAAAE=","Documents":[],"_count":0})");
    const std::string on = empty.header("x-ms-continuation");
    ASSERT_NE(on, "");
    const Reply full = account.ask("East US", head + "x-ms-continuation: " + on + '\n', query);
    EXPECT_EQ(full.body, R"({"_rid":"cGUAAYAAAAE=","Documents":[{"id":"1"}],"_count":1})");
    EXPECT_EQ(full.header("x-ms-item-count"), "1");
    EXPECT_EQ(full.header("x-ms-continuation"), "");
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
