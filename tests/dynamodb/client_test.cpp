// SPDX-License-Identifier: Apache-2.0
//
// What does a client say to the service, and what does it make of the answers?
#include "dynamodb/talking.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

#include "perdure/dynamodb/delete_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/http/date.hpp"

namespace perdure::dynamodb {
namespace {

class Calls : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Calls, ::testing::Values(Way::blocking, Way::coroutine), name_of);

TEST_P(Calls, ask_and_are_answered) {
    Server server{[](const Seen&) {
        return said(R"({"Item":{"pk":{"S":"o#1"},"total":{"N":"1299"}},"ConsumedCapacity":)"
                    R"({"TableName":"orders","CapacityUnits":0.5}})");
    }};
    Client client{talking_to(server)};
    const auto got = ask(client, get_order);
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(*got->item->get<int>("total"), 1299);
    EXPECT_EQ(got->capacity, 0.5);
    const Seen seen = server.seen().front();
    EXPECT_EQ(seen.method + " " + seen.target, "POST /");
    EXPECT_EQ(seen.header("content-type"), "application/x-amz-json-1.0");
    EXPECT_EQ(seen.header("x-amz-target"), "DynamoDB_20120810.GetItem");
    EXPECT_EQ(seen.header("host"), "127.0.0.1:" + server.port());
    EXPECT_EQ(seen.header("amz-sdk-request"), "attempt=1; max=4");
    EXPECT_EQ(seen.header("amz-sdk-invocation-id").size(), 36u);
    EXPECT_TRUE(
        seen.header("authorization").starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"));
    EXPECT_EQ(seen.body, R"({"TableName":"orders","Key":{"pk":{"S":"o#1"}}})");
}

TEST_P(Calls, keep_their_id_and_count_their_attempts) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked < 3 ? http::status(500) : said("{}"); }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, get_order));
    ASSERT_TRUE(ask(client, get_order));
    std::set<std::string> ids;
    std::vector<std::string> attempts;
    for (const Seen& seen : server.seen()) {
        ids.insert(seen.header("amz-sdk-invocation-id"));
        attempts.push_back(seen.header("amz-sdk-request"));
    }
    EXPECT_EQ(ids.size(), 2u);
    EXPECT_EQ(attempts, (std::vector<std::string>{"attempt=1; max=4", "attempt=2; max=4",
                                                  "attempt=3; max=4", "attempt=1; max=4"}));
}

TEST_P(Calls, do_not_believe_an_answer_whose_checksum_is_wrong) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) {
        return said(R"({"Item":{"pk":{"S":"o#1"}}})",
                    ++asked % 2 ? "x-amz-crc32: 1\r\n" : "x-amz-crc32: 3928434108\r\n");
    }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, get_order));
    EXPECT_EQ(asked, 2);
    Client impatient{talking_to(server, quick(1))};
    const auto got = ask(impatient, get_order);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, "crc32-mismatch");
    EXPECT_EQ(got.error().cause, Cause::corrupt);
}

struct Unreadable {
    std::string_view name, body;
};
TEST_P(Calls, say_that_a_write_is_done_whose_answer_cannot_be_read) {
    for (const Unreadable& bad :
         {Unreadable{"empty", ""}, Unreadable{"cut", R"({"Attributes":{"n)"},
          Unreadable{"html", "<html>fine</html>"}, Unreadable{"list", "[]"},
          Unreadable{"deep", std::string_view{R"({"Attributes":{"n":{"X":"1"}}})"}}}) {
        SCOPED_TRACE(bad.name);
        Server server{[&](const Seen&) { return said(bad.body); }};
        Client client{talking_to(server)};
        const auto done =
            ask(client, UpdateItem{"orders", {{"pk", "a"}}}.update("ADD n :x").value(":x", 1));
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().cause, Cause::corrupt);
        EXPECT_EQ(done.error().effect, Effect::applied);
        EXPECT_EQ(server.requests(), 1);
    }
}

struct Repeated {
    std::string_view name;
    std::function<Result<Written>(Client&, Way)> send;
    bool repeated;
};
template <class R>
std::function<Result<Written>(Client&, Way)> sending(const R& request) {
    return [request](Client& client, Way way) -> Result<Written> {
        if (way == Way::blocking) return client.send(request);
        return block_on(net::default_reactor(), client.start(request));
    };
}
TEST_P(Calls, repeat_a_write_of_unknown_outcome_only_where_that_is_harmless) {
    const Item key{{"pk", "a"}};
    const std::vector<Repeated> table = {
        {"a whole item", sending(PutItem{"orders", key}), true},
        {"under a condition", sending(PutItem{"orders", key}.condition("attribute_exists(pk)")),
         false},
        {"with the old item back", sending(PutItem{"orders", key}.returns_old()), false},
        {"by its own word once", sending(PutItem{"orders", key}.safety(Safety::once)), false},
        {"deleted", sending(DeleteItem{"orders", key}), true},
        {"deleted under a condition",
         sending(DeleteItem{"orders", key}.condition("attribute_exists(pk)")), false},
        {"an update", sending(UpdateItem{"orders", key}.update("REMOVE b")), false},
        {"an update that is idempotent",
         sending(UpdateItem{"orders", key}.update("REMOVE b").safety(Safety::idempotent)), true},
    };
    for (const Repeated& row : table) {
        SCOPED_TRACE(row.name);
        std::atomic<int> asked = 0;
        Server server{[&](const Seen&) { return ++asked == 1 ? lost() : said("{}"); }};
        Client client{talking_to(server)};
        const auto done = row.send(client, GetParam());
        EXPECT_EQ(done.has_value(), row.repeated);
        EXPECT_EQ(asked, row.repeated ? 2 : 1);
        if (!done) {
            EXPECT_EQ(done.error().effect, Effect::unknown);
            EXPECT_EQ(done.error().stop, Stop::unsafe);
        }
    }
}

TEST_P(Calls, repeat_what_was_surely_not_done_whatever_it_is) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) {
        return ++asked == 1 ? refused_reply("ProvisionedThroughputExceededException") : said("{}");
    }};
    Client client{talking_to(server)};
    EXPECT_TRUE(ask(client, UpdateItem{"orders", {{"pk", "a"}}}.update("REMOVE b")));
}

// The wall clock of a service that is ahead of ours.
TEST_P(Calls, set_their_clock_right_within_one_call_and_keep_it_right) {
    std::mutex mutex;
    std::vector<std::string> dates;
    constexpr auto ahead = 1h;
    Server server{[&](const Seen& seen) {
        const std::lock_guard held{mutex};
        dates.push_back(seen.header("x-amz-date"));
        const std::string date = "Date: " + http::http_date(system_clock().wall() + ahead) + "\r\n";
        const std::string body =
            R"({"__type":"com.amazon.coral.service#InvalidSignatureException","message":"Signature expired"})";
        return dates.size() == 1 ? http::status(400, body, date) : said("{}", date);
    }};
    Client client{talking_to(server)};
    ASSERT_TRUE(ask(client, get_order));
    ASSERT_TRUE(ask(client, get_order));
    ASSERT_EQ(dates.size(), 3u);
    EXPECT_GT(dates[1], dates[0]);
    EXPECT_GE(dates[2], dates[1]);
    EXPECT_NEAR(static_cast<double>(client.clock_skew().count()), 3600e9, 5e9);
}

TEST_P(Calls, are_not_signed_for_another_day_and_name_both_times) {
    for (const char* const theirs :
         {"Mon, 01 Jan 0001 00:00:00 GMT", "Sat, 17 Nov 2085 00:00:00 GMT",
          "Fri, 31 Dec 9999 23:59:59 GMT"}) {
        Server server{[&](const Seen&) {
            return http::status(400,
                                R"({"__type":"x#InvalidSignatureException","message":"expired"})",
                                "Date: " + std::string{theirs} + "\r\n");
        }};
        Client client{talking_to(server)};
        const auto got = ask(client, get_order);
        ASSERT_FALSE(got);
        EXPECT_EQ(server.requests(), 1);
        EXPECT_EQ(client.clock_skew(), 0s);
        EXPECT_NE(got.error().message.find(theirs), std::string::npos) << got.error().message;
        EXPECT_NE(got.error().message.find("this machine's"), std::string::npos);
    }
}

TEST_P(Calls, do_not_blame_the_clock_for_a_wrong_secret) {
    Server server{[&](const Seen&) { return refused_reply("InvalidSignatureException"); }};
    Client client{talking_to(server)};
    const auto got = ask(client, get_order);
    ASSERT_FALSE(got);
    EXPECT_EQ(server.requests(), 1);
    EXPECT_EQ(to_string(got.error()).find("the-secret"), std::string::npos);
}

TEST_P(Calls, tell_more_about_a_refusal_to_those_who_ask) {
    Server server{[&](const Seen&) {
        return refused_reply("ConditionalCheckFailedException", R"(,"Item":{"pk":{"S":"theirs"}})");
    }};
    Client client{talking_to(server)};
    ServiceError said;
    const auto done =
        ask(client, PutItem{"orders", {{"pk", "a"}}}.condition("attribute_not_exists(pk)"),
            {.error = &said});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::conflict);
    ASSERT_TRUE(said.item);
    EXPECT_EQ(*said.item->get<std::string>("pk"), "theirs");
}

struct Bad {
    std::string_view name;
    Item item;
};
TEST_P(Calls, refuse_what_the_service_would_before_anything_is_sent) {
    Server server;
    Client client{talking_to(server)};
    Item deep{{"a", 1}};
    for (int level = 0; level < 40; ++level) deep = Item{{"a", Value{deep}}};
    const Bad table[] = {{"too large", {{"pk", std::string(500'000, 'x')}}},
                         {"an empty set", {{"pk", "a"}, {"s", StringSet{}}}},
                         {"no text", {{"pk", "a\xff"}}},
                         {"too deep", deep},
                         {"a name of nothing", {{"", "a"}}}};
    for (const Bad& bad : table) {
        SCOPED_TRACE(bad.name);
        const auto done = ask(client, PutItem{"orders", bad.item});
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().effect, Effect::none);
        EXPECT_EQ(done.error().origin, Origin::application);
    }
    EXPECT_FALSE(ask(client, GetItem{"", {{"pk", "a"}}}));
    EXPECT_FALSE(ask(client, GetItem{"or ders", {{"pk", "a"}}}));
    EXPECT_FALSE(ask(client, GetItem{"orders", {}}));
    EXPECT_FALSE(ask(client, GetItem{"orders", {{"pk", true}}}));
    EXPECT_EQ(server.requests(), 0);
}

TEST(Clients, that_cannot_be_furnished_say_why_in_every_call) {
    Client lost{{.credentials = fixed_credentials({"A", "B"}), .surroundings = {}}};
    ASSERT_NE(lost.problem(), nullptr);
    EXPECT_NE(lost.problem()->message.find("AWS_REGION"), std::string::npos);
    EXPECT_EQ(lost.send(get_order).error(), *lost.problem());
    EXPECT_EQ(block_on(net::default_reactor(), lost.start(get_order)).error(), *lost.problem());
    for (const char* url : {"ftp://x", "nonsense", "http://127.0.0.1:1/path"}) {
        Client bad{{.region = "eu-west-1",
                    .endpoint = url,
                    .credentials = fixed_credentials({"A", "B"}),
                    .surroundings = {}}};
        EXPECT_NE(bad.problem(), nullptr) << url;
    }
}

TEST(Clients, find_region_endpoint_and_attempts_where_other_programs_of_aws_do) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked, http::status(500); }};
    Client client{{.surroundings = {.variables = {{"AWS_REGION", "eu-north-1"},
                                                  {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"},
                                                  {"AWS_SECRET_ACCESS_KEY", "the-secret"},
                                                  {"AWS_MAX_ATTEMPTS", "2"},
                                                  {"AWS_ENDPOINT_URL_DYNAMODB", server.url()}}}}};
    ASSERT_EQ(client.problem(), nullptr);
    EXPECT_EQ(client.region(), "eu-north-1");
    EXPECT_FALSE(client.send(get_order));
    EXPECT_EQ(asked, 2);
    EXPECT_NE(server.seen()[0].header("authorization").find("/eu-north-1/dynamodb/"),
              std::string::npos);
}

TEST(Clients, slow_down_for_a_table_that_throttles_and_for_no_other) {
    Server server{[](const Seen& seen) {
        return seen.body.find("busy") != std::string::npos ? refused_reply("ThrottlingException")
                                                           : said("{}");
    }};
    ClientOptions options = talking_to(server, quick(1));
    options.adapt = Adapt::per_table;
    options.plan->deadline = 300ms;
    Client client{options};
    EXPECT_FALSE(client.send(GetItem{"busy", {{"pk", "a"}}}));
    const int before = server.requests();
    const auto throttled = client.send(GetItem{"busy", {{"pk", "a"}}});
    ASSERT_FALSE(throttled);
    EXPECT_EQ(throttled.error().stop, Stop::limited);
    EXPECT_EQ(server.requests(), before);
    EXPECT_TRUE(client.send(GetItem{"idle", {{"pk", "a"}}}));
}

}  // namespace
}  // namespace perdure::dynamodb
