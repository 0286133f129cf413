// SPDX-License-Identifier: Apache-2.0
//
// Can regions be killed, moved and set against each other, and controlled from outside?
#include <vector>

#include "wire.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

GatewayOptions three_regions() {
    GatewayOptions options;
    options.regions = {{"East US"}, {"West US"}, {"North Europe"}};
    return options;
}

TEST(Regions, that_refuse_reset_what_is_open_and_come_back_on_the_same_port) {
    const FakeAccount account{three_regions()};
    account.furnish();
    const std::string endpoint = account.gateway->endpoint("West US");
    Wire open{endpoint};
    open.send(bytes("GET / HTTP/1.1\n"));
    EXPECT_EQ(open.receive().status(), "200");
    ASSERT_TRUE(account.gateway->set("West US", RegionState::refusing));
    EXPECT_TRUE(open.receive().ended);
    EXPECT_FALSE(Wire{endpoint}.connected());
    EXPECT_TRUE(Wire{account.gateway->endpoint("East US")}.connected());
    ASSERT_TRUE(account.gateway->set("West US", RegionState::up));
    EXPECT_EQ(account.gateway->endpoint("West US"), endpoint);
    EXPECT_EQ(account.ask("West US", "GET / HTTP/1.1\n").status(), "200");
}

TEST(Regions, that_are_black_holes_read_and_never_answer) {
    const FakeAccount account{three_regions()};
    Wire open{account.gateway->endpoint("West US")};
    ASSERT_TRUE(account.gateway->set("West US", RegionState::black_hole));
    Wire fresh{account.gateway->endpoint("West US")};
    EXPECT_TRUE(fresh.connected());
    for (Wire* one : {&open, &fresh}) one->send(bytes("GET / HTTP/1.1\n"));
    account.gateway->look();
    EXPECT_TRUE(open.quiet());
    EXPECT_TRUE(fresh.quiet());
    ASSERT_TRUE(account.gateway->set("West US", RegionState::up));
    EXPECT_EQ(account.ask("West US", "GET / HTTP/1.1\n").status(), "200");
}

TEST(Regions, take_the_global_endpoint_with_them_except_for_the_account_document) {
    const FakeAccount account{three_regions()};
    account.furnish();
    ASSERT_TRUE(account.gateway->set("East US", RegionState::refusing));
    EXPECT_TRUE(account.ask("global", "GET /dbs/d HTTP/1.1\n").ended);
    EXPECT_EQ(account.ask("global", "GET / HTTP/1.1\n").status(), "200");
    ASSERT_TRUE(account.gateway->fail_over("West US", FailOver::caught_up));
    EXPECT_EQ(account.ask("global", "GET /dbs/d HTTP/1.1\n").status(), "200");
    EXPECT_EQ(account.create("global", "1").status(), "201");
}

TEST(Regions, that_lag_become_write_regions_without_what_they_lack) {
    GatewayOptions options = three_regions();
    options.regions[1].replication = 10s;
    FakeAccount account{options};
    account.furnish();
    const std::string token = account.create("East US", "1").header("x-ms-session-token");
    ASSERT_TRUE(account.gateway->fail_over("West US", FailOver::lagging));
    EXPECT_EQ(account.create("West US", "2").status(), "201");
    EXPECT_EQ(account.read("West US", "1").status(), "404");
    EXPECT_EQ(account.read("West US", "1", "x-ms-session-token: " + token + '\n').status(),
              "404/1002");
    account.pass(10s);
    EXPECT_EQ(account.read("West US", "1", "x-ms-session-token: " + token + '\n').status(), "200");
    EXPECT_EQ(account.read("East US", "2").status(), "200");
}

TEST(Regions, that_both_write_agree_on_the_last_writer) {
    GatewayOptions options = three_regions();
    options.writes = WriteMode::multiple;
    options.regions[0].replication = options.regions[1].replication = 1s;
    FakeAccount account{options};
    account.furnish();
    EXPECT_EQ(account.create("East US", "1", R"(,"by":"east")").status(), "201");
    account.pass(500ms);
    EXPECT_EQ(account.create("West US", "1", R"(,"by":"west")").status(), "201");
    EXPECT_EQ(account.read("East US", "1").member("by"), "east");
    EXPECT_EQ(account.read("West US", "1").member("by"), "west");
    account.pass(2s);
    // In the same second: the first region of the account.
    for (const char* region : {"East US", "West US", "North Europe"})
        EXPECT_EQ(account.read(region, "1").member("by"), "east") << region;
    EXPECT_EQ(account.create("East US", "2", R"(,"by":"east")").status(), "201");
    account.pass(1s);  // the next second: the later
    account.gateway->replicate("West US", never).value();
    EXPECT_EQ(account.create("West US", "2", R"(,"by":"west")").status(), "409");
    EXPECT_EQ(account.create("West US", "3", R"(,"by":"west")").status(), "201");
    account.pass(1s);
    EXPECT_EQ(account.read("East US", "3").member("by"), "west");
}

TEST(Regions, say_what_they_need_to_in_the_account_document) {
    GatewayOptions options = three_regions();
    options.hedging = HedgingSwitch::disabled;
    const FakeAccount account{options};
    const Reply document = account.ask("global", "GET / HTTP/1.1\n");
    EXPECT_NE(document.body.find(R"("disableCrossRegionalHedging":true)"), std::string::npos);
    EXPECT_NE(document.body.find(R"("enableMultipleWriteLocations":false)"), std::string::npos);
    EXPECT_NE(document.body.find(R"("defaultConsistencyLevel":"Session")"), std::string::npos);
    EXPECT_NE(document.body.find("\"writableLocations\":[{\"name\":\"East US\","
                                 "\"databaseAccountEndpoint\":\"" +
                                 account.gateway->endpoint("East US") + "\"}],"),
              std::string::npos);
    account.gateway->set_hedging(HedgingSwitch::silent);
    EXPECT_EQ(account.ask("global", "GET / HTTP/1.1\n").body.find("Hedging"), std::string::npos);
}

TEST(Regions, have_tokens_of_the_old_form_where_that_is_asked_for) {
    GatewayOptions options;
    options.session = SessionForm::plain;
    const FakeAccount account{options};
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").header("x-ms-session-token"), "0:-1#1");
    EXPECT_EQ(account.read("East US", "1", "x-ms-session-token: 0:-1#1\n").status(), "200");
    EXPECT_EQ(account.read("East US", "1", "x-ms-session-token: 0:-1#2\n").status(), "404/1002");
}

TEST(Regions, may_only_be_asked_for_less_consistency) {
    const FakeAccount account;
    account.furnish();
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(account.read("East US", "1", "x-ms-consistency-level: Strong\n").status(), "400");
    EXPECT_EQ(account
                  .read("East US", "1",
                        "x-ms-consistency-level: Eventual\nx-ms-session-token: 0:1#9#1=9\n")
                  .status(),
              "200");
}

TEST(Rules, delay_the_request_or_its_answer) {
    FakeAccount account;
    account.furnish();
    account.gateway->plan(
        {{.kind = RequestKind::write, .to = 1, .delay = 1s},
         {.kind = RequestKind::write, .strikes = Strikes::after_applying, .delay = 1s}});
    const std::size_t before = account.gateway->records().size();
    Wire wire{account.gateway->endpoint("East US")};
    const auto create = [](const char* id) {
        return bytes("POST /dbs/d/colls/c/docs HTTP/1.1\nx-ms-documentdb-partitionkey: [\"A\"]\n",
                     std::string{R"({"pk":"A","id":")"} + id + "\"}");
    };
    wire.send(create("1"));
    while (account.gateway->struck()[0] == 0) account.gateway->look();
    EXPECT_EQ(account.read("East US", "1").status(), "404");
    account.pass(1s);
    EXPECT_EQ(wire.receive().status(), "201");
    wire.send(create("2"));
    while (account.gateway->records().size() < before + 3) account.gateway->look();
    EXPECT_EQ(account.read("East US", "2").status(), "200");
    EXPECT_TRUE(wire.quiet());
    account.pass(1s);
    EXPECT_EQ(wire.receive().status(), "201");
}

TEST(Rules, choose_by_region_path_kind_and_count_and_say_what_they_like) {
    const FakeAccount account{three_regions()};
    account.furnish();
    account.gateway->plan({{.name = "html",
                            .region = "West US",
                            .path = "/dbs/*/docs/7",
                            .kind = RequestKind::read,
                            .from = 2,
                            .to = 2,
                            .status = 503,
                            .substatus = 20003,
                            .retry_after = 40ms,
                            .headers = {{"x-extra", "1"}},
                            .body = ErrorBody::html}});
    EXPECT_EQ(account.read("East US", "7").status(), "404");
    EXPECT_EQ(account.read("West US", "7").status(), "404");
    const Reply struck = account.read("West US", "7");
    EXPECT_EQ(struck.status(), "503/20003");
    EXPECT_EQ(struck.header("x-ms-retry-after-ms"), "40");
    EXPECT_EQ(struck.header("x-extra"), "1");
    EXPECT_EQ(struck.header("Content-Type"), "text/html");
    EXPECT_EQ(struck.body.substr(0, 6), "<html>");
    EXPECT_EQ(account.read("West US", "7").status(), "404");
    EXPECT_EQ(account.gateway->records()[4].fault, "html");
}

TEST(Control, does_over_http_what_the_object_does) {
    FakeAccount account{three_regions()};
    account.furnish();
    Wire control{account.gateway->control()};
    const auto post = [&](const char* path, const char* body) {
        control.send(bytes(std::string{"POST "} + path + " HTTP/1.1\n", body));
        const Reply reply = control.receive();
        return reply.status() + ' ' + reply.body;
    };
    EXPECT_EQ(post("/faults", R"([{"name":"busy","kind":"write","to":1,"status":449}])"), "200 {}");
    EXPECT_EQ(account.create("East US", "1").status(), "449");
    EXPECT_EQ(post("/faults", R"([{"kind":"wirte"}])"),
              R"(400 {"problem":"rule 1: kind: any, read, write"})");
    EXPECT_EQ(post("/region", R"({"name":"West US","state":"refusing"})"), "200 {}");
    EXPECT_FALSE(Wire{account.gateway->endpoint("West US")}.connected());
    EXPECT_EQ(post("/region", R"({"name":"West US","state":"up","replication_ms":null})"),
              "200 {}");
    EXPECT_EQ(account.create("East US", "1").status(), "201");
    EXPECT_EQ(account.read("West US", "1").status(), "404");
    EXPECT_EQ(post("/region", R"({"name":"Mars","listed":false})"),
              R"(400 {"problem":"there is no region 'Mars'"})");
    EXPECT_EQ(post("/fail_over", R"({"to":"West US"})"), "200 {}");
    EXPECT_EQ(account.create("East US", "2").status(), "403/3");
    EXPECT_EQ(post("/split", R"({"database":"d","container":"c","requests":1})"), "200 {}");
    EXPECT_EQ(account.read("West US", "1").status(), "410/1007");
    EXPECT_EQ(post("/account", R"({"writes":"multiple","request_units":1})"), "200 {}");
    control.send(bytes("GET /records HTTP/1.1\n"));
    EXPECT_NE(control.receive().body.find("\"fault\":\"busy\""), std::string::npos);
    control.send(bytes("GET /writes HTTP/1.1\n"));
    EXPECT_NE(control.receive().body.find("\"kind\":\"created\""), std::string::npos);
}

TEST(Control, refuses_what_it_cannot_mean_and_leaves_the_rules_in_force) {
    FakeAccount account{three_regions()};
    account.furnish();
    Wire control{account.gateway->control()};
    const auto post = [&](const char* path, const std::string& body) {
        control.send(bytes(std::string{"POST "} + path + " HTTP/1.1\n", body));
        return control.receive().status();
    };
    ASSERT_EQ(post("/faults", R"([{"kind":"write","status":449}])"), "200");
    for (const char* rules : {R"({"kind":"write"})", "7", "null", "[[]]", "[1]"})
        EXPECT_EQ(post("/faults", rules), "400") << rules;
    for (const char* number : {"-1", "1e300", "\"5\"", "null"}) {
        SCOPED_TRACE(number);
        for (const char* field :
             {"from", "to", "status", "substatus", "delay_ms", "retry_after_ms"})
            EXPECT_EQ(post("/faults", R"([{")" + std::string{field} + "\":" + number + "}]"), "400")
                << field;
        for (const char* field : {"flap_ms", "request_units", "empty_pages"})
            EXPECT_EQ(post("/account", "{\"" + std::string{field} + "\":" + number + '}'), "400")
                << field;
        for (const char* field : {"requests", "time_ms"})
            EXPECT_EQ(post("/split", R"({"database":"d","container":"c",")" + std::string{field} +
                                         "\":" + number + '}'),
                      "400")
                << field;
    }
    EXPECT_EQ(post("/region", R"({"name":"West US","replication_ms":-1})"), "400");
    EXPECT_EQ(account.create("East US", "1").status(), "449");
}

TEST(Heads, that_are_too_large_are_400_in_html) {
    const FakeAccount account;
    const Reply refused = account.ask(
        "global", "GET / HTTP/1.1\nx-ms-session-token: " + std::string(40'000, '1') + '\n');
    EXPECT_EQ(refused.line, "HTTP/1.1 400 Bad Request");
    EXPECT_EQ(refused.header("Content-Type"), "text/html");
}

TEST(Options, that_cannot_be_meant_are_refused) {
    GatewayOptions none;
    none.regions.clear();
    EXPECT_EQ(CosmosGateway::start(none).error().cause, Cause::invalid);
    GatewayOptions twice;
    twice.regions = {{"East US"}, {"East US"}};
    EXPECT_EQ(CosmosGateway::start(twice).error().cause, Cause::invalid);
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
