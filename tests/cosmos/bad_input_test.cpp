// SPDX-License-Identifier: Apache-2.0
//
// What does a caller hear who asks for what cannot be, has the wrong key or the wrong clock, or meets
// somebody on the way who is not Cosmos DB? And is a key ever shown?
#include "cosmos/staged.hpp"

#include <atomic>
#include <mutex>

namespace perdure::cosmos {
namespace {

class CosmosInput : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, CosmosInput, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(CosmosInput, that_cannot_be_sent_is_refused_before_anybody_is_asked) {
    Stage stage;
    Client client{stage.options_for()};
    const std::string large(3'000'000, 'x');
    const auto refused = [&](const auto& request, std::string_view what) {
        const auto done = ask(client, request);
        ASSERT_FALSE(done) << what;
        EXPECT_EQ(done.error().effect, Effect::none) << what;
        EXPECT_EQ(done.error().origin, Origin::application) << what;
        EXPECT_EQ(done.error().stop, Stop::permanent) << what;
        EXPECT_FALSE(done.error().message.empty()) << what;
        EXPECT_LT(done.error().message.size(), 1000u) << what;
    };
    for (const std::string id : {"a/b", "a\\b", "a#b", "", "a\r\nx-evil: 1"}) {
        refused(read_of(id), "read of " + id);
        refused(DeleteItem{orders, id, PartitionKey{"A"}}, "delete of " + id);
    }
    refused(read_of(std::string(1024, 'i')), "long id");
    refused(CreateItem{orders, item_json("1", R"(,"x":")" + large + '"'), PartitionKey{"A"}},
            "oversize");
    refused(CreateItem{orders, "[1,2]", PartitionKey{"A"}}, "no object");
    refused(CreateItem{orders, R"({"id":"1")", PartitionKey{"A"}}, "half an object");
    refused(CreateItem{orders, R"({"id":"a/b"})", PartitionKey{"A"}}, "bad id");
    refused(ReadItem{orders, "1", PartitionKey{}}, "no key");
    refused(ReadItem{orders, "1", PartitionKey{std::string(3000, 'k')}}, "long key");
    refused(ReplaceItem{orders, "1", PartitionKey{"A"}, item_json("1")}.if_match("e\r\nx: 1"),
            "etag with a line end");
    EXPECT_EQ(stage.told(), "");
}

TEST_P(CosmosInput, may_have_further_headers_but_none_of_the_clients_own) {
    chaos::GatewayOptions account = account_of(1);
    account.record_headers = {"x-ms-cosmos-priority-level", "x-app"};
    Stage stage{account};
    Client client{stage.options_for()};
    using Headers = std::vector<std::pair<std::string, std::string>>;
    const Headers low{{"x-ms-cosmos-priority-level", "Low"}, {"x-app", "a \t b"}};
    ASSERT_TRUE(ask(client, read_of("known"), {.headers = low}));
    EXPECT_EQ(stage.told(), "East US 200");
    EXPECT_EQ(stage.items().back().headers, low);
    for (const auto& [name, value] : Headers{{"x-a", "1\r\nx-evil: 1"},
                                             {"x-a\r\nx-evil", "1"},
                                             {"x-a", std::string{"1\0", 2}},
                                             {"", "1"},
                                             {"x a", "1"},
                                             {"X-MS-Date", "now"},
                                             {"authorization", "type=master"},
                                             {"Content-Length", "0"},
                                             {"x-ms-documentdb-is-upsert", "True"},
                                             {"x-ms-documentdb-partitionkey", "[\"B\"]"},
                                             {"x-ms-version", "2018-12-31"}}) {
        const auto refused = ask(client, create_of("1"), {.headers = {{name, value}}});
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().code, "invalid-header") << name;
        EXPECT_EQ(refused.error().effect, Effect::none);
        EXPECT_EQ(refused.error().stop, Stop::permanent);
    }
    EXPECT_FALSE(ask(client, read_of("known"), {.headers = {{"x-a", "1"}, {"X-A", "2"}}}));
    EXPECT_EQ(stage.told(), "");
}

TEST_P(CosmosInput, with_line_ends_in_what_becomes_a_header_never_reaches_the_wire) {
    Stage stage;
    Client client{stage.options_for()};
    const auto read = ask(client, read_of("known"), {.session = "0:-1#1\r\nx-evil: 1"});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "invalid-session-token");
    // A key is JSON in a header: escaped, not refused.
    const PartitionKey odd{"a\r\nb"};
    const auto made = ask(client, CreateItem{orders, R"({"id":"1","pk":"a\r\nb"})", odd});
    ASSERT_TRUE(made) << to_string(made.error());
    ASSERT_TRUE(ask(client, ReadItem{orders, "1", odd}));
    ClientOptions options = stage.options_for();
    options.user_agent = "a\r\nx-evil: 1";
    Client evil{options};
    ASSERT_NE(evil.problem(), nullptr);
    EXPECT_FALSE(ask(evil, read_of("known")));
}

TEST_P(CosmosInput, whose_key_is_not_the_items_is_refused_once) {
    Stage stage;
    Client client{stage.options_for()};
    const auto made = ask(client, CreateItem{orders, item_json("1"), PartitionKey{"B"}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().cause, Cause::invalid) << to_string(made.error());
    EXPECT_EQ(made.error().effect, Effect::none);
    EXPECT_EQ(made.error().status, 400);
    EXPECT_LE(made.error().attempts, 2);
    EXPECT_NE(made.error().message.find("artition key"), std::string::npos);
}

TEST_P(CosmosInput, of_an_account_that_is_not_there_is_explained) {
    const struct {
        std::string endpoint, key;
    } cases[] = {{"", "a2V5"},
                 {"no url", "a2V5"},
                 {"http://x", "%%%"},
                 {"http://x", ""},
                 {"ftp://x", "a2V5"}};
    for (const auto& [endpoint, key] : cases) {
        Client client{{.endpoint = endpoint, .key = key}};
        ASSERT_NE(client.problem(), nullptr) << endpoint << ' ' << key;
        EXPECT_FALSE(client.problem()->message.empty());
        const auto read = ask(client, read_of("known"));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error(), *client.problem());
        EXPECT_TRUE(client.read_regions().empty());
    }
}

TEST_P(CosmosInput, with_a_session_token_that_is_too_large_is_named_as_such) {
    Stage stage;
    Client client{stage.options_for()};
    std::string token = "0:-1#1";
    for (int i = 1; token.size() < 50'000; ++i) token += "," + std::to_string(i) + ":-1#1";
    const auto read = ask(client, read_of("known"), {.session = token});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().status, 400);
    EXPECT_NE(to_string(read.error()).find("header"), std::string::npos) << to_string(read.error());
    EXPECT_EQ(read.error().attempts, 1);
}

TEST_P(CosmosInput, from_strangers_on_the_way_is_read_with_care) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    const std::string bell = "{\"code\":\"x\\u0007\",\"message\":\"\x1b[2J\"}";
    const struct {
        chaos::ErrorBody body;
        std::string text;
    } cases[] = {{chaos::ErrorBody::html, ""},
                 {chaos::ErrorBody::empty, ""},
                 {chaos::ErrorBody::json, "{"},
                 {chaos::ErrorBody::json, "null"},
                 {chaos::ErrorBody::json, "\xff\xfe"},
                 {chaos::ErrorBody::json, R"({"code":7,"message":{"a":[]}})"},
                 {chaos::ErrorBody::json, bell},
                 {chaos::ErrorBody::json, std::string(100'000, '[')},
                 {chaos::ErrorBody::json, R"({"message":")" + std::string(100'000, 'm') + "\"}"}};
    for (const auto& [body, text] : cases) {
        stage->plan({{.resource = "docs", .status = 400, .body = body, .text = text}});
        stage.told();
        const auto read = ask(client, read_of("known"));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().status, 400);
        EXPECT_EQ(read.error().cause, Cause::invalid);
        const std::string said = to_string(read.error());
        EXPECT_LT(said.size(), 4000u);
        for (const char c : said) EXPECT_GE(static_cast<unsigned char>(c), 0x20u) << said;
        EXPECT_EQ(stage.told(), "East US 400");
    }
}

TEST_P(CosmosInput, in_a_charge_that_is_no_sensible_number_charges_nothing_absurd) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    const struct {
        std::string said;
        double charge;
    } cases[] = {{"2.5", 2.5}, {"nan", 0},    {"-5", 0}, {"-inf", 0},
                 {"inf", 1e9}, {"1e18", 1e9}, {"", 0},   {"free", 0}};
    for (const auto& [said, charge] : cases) {
        stage->plan(
            {{.resource = "docs", .status = 400, .headers = {{"x-ms-request-charge", said}}}});
        Story story;
        ASSERT_FALSE(ask(client, read_of("known"), {.story = &story}));
        EXPECT_EQ(story.charge(), charge) << said;
        EXPECT_EQ(story.to_json().find("nan"), std::string::npos);
    }
}

TEST_P(CosmosInput, that_is_no_item_in_a_good_answer_is_corrupt_and_a_write_then_not_unknown) {
    Stage stage;
    Client client{stage.options_for()};
    ASSERT_TRUE(ask(client, read_of("known")));
    stage->plan({{.kind = RequestKind::write, .status = 201, .text = "<html>"}});
    const auto made = ask(client, create_of("1").returning_item());
    if (!made) {
        EXPECT_EQ(made.error().effect, Effect::applied) << to_string(made.error());
    }
}

// --- keys, tokens and clocks ---

const std::string wrong_key =
    "AAAAyDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

TEST_P(CosmosInput, with_a_wrong_key_is_refused_and_not_tried_again) {
    Stage stage;
    ClientOptions options = stage.options_for();
    options.key = wrong_key;
    Client client{options};
    const auto read = ask(client, read_of("known"), {.deadline = within(3s)});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().status, 401) << to_string(read.error());
    EXPECT_EQ(read.error().cause, Cause::forbidden);
    stage.told();
    EXPECT_EQ(stage.account_reads() + stage.items().size(), 1u);

    options.endpoint = stage->endpoint("East US");
    options.discovery = Discovery::endpoint_only;
    Client near{options};
    EXPECT_FALSE(ask(near, read_of("known")));
    EXPECT_EQ(stage.told(), "East US 401");
}

TEST_P(CosmosInput, signed_by_a_wrong_clock_is_signed_anew_by_the_services) {
    Stage stage;
    WrongWall wall{-1h};
    Client client{stage.options_for(quick(), {.clock = wall})};
    Story story;
    const auto read = ask(client, read_of("known"), {.story = &story});
    EXPECT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(stage.told(), "East US 200");
    EXPECT_EQ(stage.account_reads(), 2u);
    ASSERT_TRUE(ask(client, create_of("1")));
    EXPECT_EQ(stage.told(), "East US 201");
}

TEST_P(CosmosInput, signed_by_a_wrong_clock_that_cannot_be_mended_names_the_clock) {
    Stage stage;
    stage->plan({{.resource = "docs", .status = 403}});
    WrongWall wall{1h};
    ClientOptions options = stage.options_for(quick(), {.clock = wall});
    options.endpoint = stage->endpoint("East US");
    options.discovery = Discovery::endpoint_only;
    Client client{options};
    const auto read = ask(client, read_of("known"));
    ASSERT_FALSE(read);
    EXPECT_NE(to_string(read.error()).find("clock"), std::string::npos) << to_string(read.error());
    EXPECT_LE(read.error().attempts, 2);
}

// A signature is good at its own date, wherever it is sent to.
TEST_P(CosmosInput, is_not_signed_for_another_day_because_the_service_says_so) {
    for (const Duration off : {Duration{25h}, Duration{-25h}}) {
        Stage stage;
        WrongWall wall{off};
        Client client{stage.options_for(quick(), {.clock = wall})};
        const auto read = ask(client, read_of("known"));
        ASSERT_FALSE(read);
        const std::string text = to_string(read.error());
        EXPECT_NE(text.find("the service's clock says"), std::string::npos) << text;
        EXPECT_EQ(stage.told(), "");
        EXPECT_EQ(stage.account_reads(), 1u) << "not signed anew";
    }
}

// Gives another token once the first was refused.
class TwoTokens final : public TokenSource {
public:
    std::optional<Token> current(WallTime) override {
        return Token{.text = renewed == 0 ? "old-token" : second};
    }
    void renew(const Token& refused) override {
        EXPECT_EQ(refused.text, renewed == 0 ? "old-token" : second);
        ++renewed;
    }
    std::atomic<int> renewed = 0;
    std::string second = "good-token";
};

TEST_P(CosmosInput, with_an_expired_token_gets_another_once) {
    chaos::GatewayOptions account = account_of(2);
    account.entra_token = "good-token";
    Stage stage{account};
    const auto tokens = std::make_shared<TwoTokens>();
    ClientOptions options = stage.options_for();
    options.key.clear();
    options.tokens = tokens;
    Client client{options};
    const auto read = ask(client, read_of("known"));
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(tokens->renewed, 1);
}

TEST_P(CosmosInput, with_a_token_that_stays_refused_ends_soon) {
    chaos::GatewayOptions account = account_of(2);
    account.entra_token = "good-token";
    Stage stage{account};
    const auto tokens = std::make_shared<TwoTokens>();
    tokens->second = "other-bad-token";
    ClientOptions options = stage.options_for();
    options.key.clear();
    options.tokens = tokens;
    options.endpoint = stage->endpoint("East US");
    options.discovery = Discovery::endpoint_only;
    Client client{options};
    const auto read = ask(client, read_of("known"), {.deadline = within(3s)});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().status, 401) << to_string(read.error());
    EXPECT_EQ(stage.told(), "East US 401, East US 401");
}

// Whatever goes wrong, in whatever is shown.
TEST_P(CosmosInput, never_brings_a_key_or_token_to_light) {
    chaos::GatewayOptions account = account_of(2);
    account.entra_token = "other-token";
    Stage stage{account};
    std::mutex mutex;
    std::string shown;
    const auto note = [&](const std::string& text) {
        const std::lock_guard held{mutex};
        shown += text + '\n';
    };
    const auto all_of_it = [&](ClientOptions options) {
        options.notice = note;
        options.slow = {
            .point = 0ns, .other = 0ns, .show = [&](const Story& story) { note(story.to_json()); }};
        Client client{options};
        Client twin{options};
        if (client.problem()) note(to_string(*client.problem()));
        for (const int status : {0, 400, 401, 403, 404, 429, 503}) {
            stage->plan({{.resource = "docs", .status = status}});
            if (status == 0)
                stage->plan({{.resource = "docs", .to = 2, .ending = chaos::FaultEnding::reset}});
            Story story;
            const auto read =
                ask(client, read_of("known"), {.deadline = within(1s), .story = &story});
            if (!read) note(to_string(read.error()) + read.error().request_id);
            note(story.to_json());
            for (const auto& [name, value] : story.attributes()) note(name + value);
        }
    };
    ClientOptions options = stage.options_for();
    all_of_it(options);
    options.key = wrong_key;
    all_of_it(options);
    options.key = "not base64, but a secret all the same!";
    all_of_it(options);
    options.key.clear();
    options.endpoint.clear();
    options.connection_string = stage->connection_string();
    all_of_it(options);
    options.connection_string = "AccountKey=" + wrong_key + ";AccountEndpoint=;";
    all_of_it(options);
    ClientOptions signed_in = stage.options_for();
    signed_in.key.clear();
    signed_in.tokens = std::make_shared<TwoTokens>();
    all_of_it(signed_in);
    EXPECT_GT(shown.size(), 1000u);
    for (const std::string_view secret :
         {chaos::emulator_key.substr(8, 20), std::string_view{wrong_key}.substr(8, 20),
          std::string_view{"a secret all the same"}, std::string_view{"old-token"},
          std::string_view{"good-token"}, std::string_view{"sig="}, std::string_view{"sig%3"}})
        EXPECT_EQ(shown.find(secret), std::string::npos) << secret;
}

}  // namespace
}  // namespace perdure::cosmos
