// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a container's agent and of the instance metadata service, and what is made of their
// answers? Both are played by a server on loopback.
#include <gtest/gtest.h>

#include <atomic>

#include "credentials_home.hpp"
#include "dynamodb/container_credentials.hpp"
#include "dynamodb/instance_credentials.hpp"
#include "http/server.hpp"
#include "perdure/dynamodb/credentials.hpp"
#include "refresh_stage.hpp"

namespace perdure::dynamodb {
namespace {

using http::Reply;
using http::Seen;
using http::Server;

const std::string good_body =
    R"({"Code":"Success","AccessKeyId":"FETCHED","SecretAccessKey":"HUSH","Token":"HUSH",)"
    R"("Expiration":"2999-01-01T00:00:00Z","AccountId":"42"})";

Result<Keys> fetch(KeySource& source) {
    const Attempt attempt{.deadline = Deadline::in(patience, system_clock().now()),
                          .clock = &system_clock()};
    return source.fetch(attempt);
}

// --- container

Result<Keys> from_container(const Home& home, std::string_view agent = "http://169.254.170.2") {
    auto source = container_source(home.surroundings, {}, agent);
    if (!source) return source.take_failure();
    return fetch(**source);
}

TEST(Container, is_asked_at_its_full_uri) {
    Server server{[](const Seen&) { return http::ok(good_body); }};
    Home home;
    home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url() + "/v1/keys?a=b");
    home.set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic HUSH-token");
    const auto keys = from_container(home);
    ASSERT_TRUE(keys) << to_string(keys.error());
    EXPECT_EQ(keys->id, "FETCHED");
    EXPECT_EQ(keys->token, "HUSH");
    EXPECT_EQ(keys->account, "42");
    EXPECT_TRUE(keys->expires);
    const Seen seen = server.seen().at(0);
    EXPECT_EQ(seen.method + " " + seen.target, "GET /v1/keys?a=b");
    EXPECT_EQ(seen.header("authorization"), "Basic HUSH-token");
    EXPECT_EQ(seen.header("accept"), "application/json");
    EXPECT_EQ(seen.header("perdure-timeout"), "");
}

TEST(Container, is_asked_at_the_agent_when_the_uri_is_relative) {
    Server server{[](const Seen&) { return http::ok(good_body); }};
    Home home;
    home.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/credentials/abc");
    home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:1/never");
    ASSERT_TRUE(from_container(home, server.url()));
    EXPECT_EQ(server.seen().at(0).target, "/v2/credentials/abc");
    EXPECT_EQ(server.seen().at(0).header("authorization"), "");
}

TEST(Container, has_its_token_read_from_the_file_each_time) {
    Server server{[](const Seen&) { return http::ok(good_body); }};
    Home home;
    home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url() + "/");
    home.set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "not this");
    home.set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", home.at("token"));
    const auto source = container_source(home.surroundings, {});
    ASSERT_TRUE(source);
    const auto missing = fetch(**source);
    ASSERT_FALSE(missing);
    EXPECT_TRUE(says(missing.error(), "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read"));
    home.file("token", "one\n");
    EXPECT_TRUE(fetch(**source));
    home.file("token", "two");
    EXPECT_TRUE(fetch(**source));
    home.file("token", "HUSH\nHUSH");
    const auto torn = fetch(**source);
    ASSERT_FALSE(torn);
    EXPECT_TRUE(tells_no_secret(torn.error())) << torn.error().message;
    ASSERT_EQ(server.requests(), 2);
    EXPECT_EQ(server.seen()[0].header("authorization"), "one");
    EXPECT_EQ(server.seen()[1].header("authorization"), "two");
}

TEST(Container, may_speak_plainly_only_on_this_machine_and_with_agents) {
    const std::pair<const char*, bool> rows[] = {
        {"http://127.0.0.1/a", true},
        {"http://127.9.9.9:8080/a", true},
        {"http://localhost/a", true},
        {"http://[::1]/a", true},
        {"http://169.254.170.2/a", true},
        {"http://169.254.170.23/a", true},
        {"http://[fd00:ec2::23]/a", true},
        {"https://agent.example/a", true},
        {"http://agent.example/a", false},
        {"http://169.254.169.254/a", false},
        {"http://10.0.0.1/a", false},
        {"http://localhost.example/a", false},
        {"http://[fd00:ec2::24]/a", false},
        {"http://HUSH:HUSH@127.0.0.1/a", false},
        {"file:///HUSH", false},
        {"HUSH", false},
    };
    for (const auto& [uri, allowed] : rows) {
        SCOPED_TRACE(uri);
        Home home;
        home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri);
        const auto source = container_source(home.surroundings, {});
        EXPECT_EQ(source.has_value(), allowed);
        if (source) continue;
        EXPECT_EQ(source.error().code, "invalid-setting");
        EXPECT_TRUE(source.error().message.starts_with("AWS_CONTAINER_CREDENTIALS_FULL_URI must"));
        EXPECT_TRUE(tells_no_secret(source.error()));
    }
    Home home;
    home.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "@HUSH.example/");
    EXPECT_TRUE(says(container_source(home.surroundings, {}).error(), "must begin with /"));
}

TEST(Container, that_answers_with_trouble_is_a_failure_without_secrets) {
    struct Row {
        Reply reply;
        Cause cause;
        const char* says;
    };
    const Row rows[] = {
        {http::status(404, "HUSH"), Cause::not_found, "HTTP 404"},
        {http::status(500, "HUSH"), Cause::internal, "HTTP 500"},
        {http::status(302, "", "Location: http://HUSH.example/\r\n"), Cause::unavailable,
         "HTTP 302"},
        {http::ok("<html>HUSH</html>"), Cause::corrupt, "not a JSON object"},
        {http::ok(R"({"AccessKeyId":"A"})"), Cause::corrupt, "SecretAccessKey"},
        {http::ok(std::string(70'000, ' ')), Cause::too_large, "asking for the keys"},
        {{"HUSH no http\r\n\r\n", http::Then::close}, Cause::corrupt, "asking for the keys"},
        {{"", http::Then::close}, Cause::unavailable, "asking for the keys"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.reply.bytes.substr(0, 60));
        Server server{[&](const Seen&) { return row.reply; }};
        Home home;
        home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url() + "/HUSH");
        home.set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "HUSH");
        const auto keys = from_container(home);
        ASSERT_FALSE(keys);
        EXPECT_EQ(keys.error().cause, row.cause) << to_string(keys.error());
        EXPECT_TRUE(says(keys.error(), row.says)) << keys.error().message;
        EXPECT_TRUE(tells_no_secret(keys.error())) << to_string(keys.error());
        EXPECT_EQ(server.requests(), 1);
    }
}

TEST(Container, is_found_by_the_chain_and_asked_through_its_failures) {
    std::atomic<int> asked = 0;
    Server server{
        [&](const Seen&) { return ++asked < 3 ? http::status(503) : http::ok(good_body); }};
    Home home;
    home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.url() + "/");
    const auto found = find_credentials(home.surroundings);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(server.requests(), 0);
    EXPECT_TRUE(becomes([&] { return (*found)->current(system_clock().wall()) != nullptr; }));
    EXPECT_FALSE((*found)->problem());
    EXPECT_EQ(server.requests(), 3);
}

// --- instance

// The service as it should be; what is to go wrong is replaced.
class Instance {
public:
    Reply operator()(const Seen& seen) const {
        if (seen.method == "PUT") return token_reply;
        if (needs_token && seen.header("x-aws-ec2-metadata-token") != "TOKEN==")
            return http::status(401);
        if (seen.target == "/latest/meta-data/iam/security-credentials/") return role_reply;
        if (seen.target == "/latest/meta-data/iam/security-credentials/my-role") return keys_reply;
        return http::status(400);
    }
    bool needs_token = true;
    Reply token_reply = http::ok("TOKEN==");
    Reply role_reply = http::ok("my-role\n");
    Reply keys_reply = http::ok(good_body);
};

// One fetch from it, with the settings of `home`.
Result<Keys> from_instance(Home& home, const std::string& url) {
    home.set("AWS_EC2_METADATA_DISABLED", "false").set("AWS_EC2_METADATA_SERVICE_ENDPOINT", url);
    const auto profile = chosen_profile(home.surroundings);
    auto source = instance_source(home.surroundings, *profile, {});
    if (!source) return source.take_failure();
    return fetch(**source);
}

TEST(Instance, is_asked_for_a_token_a_role_and_its_keys) {
    Server server{Instance{}};
    Home home;
    const auto keys = from_instance(home, server.url());
    ASSERT_TRUE(keys) << to_string(keys.error());
    EXPECT_EQ(keys->id, "FETCHED");
    const auto seen = server.seen();
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0].method + " " + seen[0].target, "PUT /latest/api/token");
    EXPECT_EQ(seen[0].header("x-aws-ec2-metadata-token-ttl-seconds"), "21600");
    EXPECT_EQ(seen[1].target, "/latest/meta-data/iam/security-credentials/");
    EXPECT_EQ(seen[2].target, "/latest/meta-data/iam/security-credentials/my-role");
    EXPECT_EQ(seen[2].header("x-aws-ec2-metadata-token"), "TOKEN==");
    EXPECT_EQ(server.connections(), 1);
}

TEST(Instance, that_knows_only_version_1_is_asked_without_a_token) {
    for (const int status : {403, 404, 405}) {
        SCOPED_TRACE(status);
        Instance instance;
        instance.needs_token = false;
        instance.token_reply = http::status(status);
        Server server{instance};
        Home home;
        EXPECT_TRUE(from_instance(home, server.url()));
        EXPECT_EQ(server.seen().at(1).header("x-aws-ec2-metadata-token"), "");
        home.set("AWS_EC2_METADATA_V1_DISABLED", "true");
        const auto refused = from_instance(home, server.url());
        ASSERT_FALSE(refused);
        EXPECT_TRUE(says(refused.error(), "version 1, which needs none, is disabled"));
    }
}

TEST(Instance, whose_token_gets_lost_on_the_way_is_asked_without_one) {
    Instance instance;
    instance.needs_token = false;
    instance.token_reply = http::held({"lost"});
    Server server{instance};
    Home home;
    home.config("[default]\nmetadata_service_timeout = 1\n");
    const auto keys = from_instance(home, server.url());
    EXPECT_TRUE(keys) << to_string(keys.error());
}

TEST(Instance, that_is_not_there_is_no_reason_to_try_the_older_version) {
    Home home;
    const auto keys = from_instance(home, "http://127.0.0.1:1");
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().cause, Cause::unavailable);
    EXPECT_TRUE(says(keys.error(), "asking for a token: ECONNREFUSED")) << keys.error().message;
}

TEST(Instance, that_answers_with_trouble_is_a_failure) {
    struct Row {
        const char* what;
        void (*change)(Instance&);
        Cause cause;
        const char* says;
    };
    const Row rows[] = {
        {"bad request", [](Instance& i) { i.token_reply = http::status(400); }, Cause::invalid,
         "asking for a token: HTTP 400"},
        {"no token", [](Instance& i) { i.token_reply = http::ok(""); }, Cause::corrupt, "no token"},
        {"a torn token", [](Instance& i) { i.token_reply = http::ok("HUSH\r\nX: y"); },
         Cause::corrupt, "no token"},
        {"no role", [](Instance& i) { i.role_reply = http::status(404); }, Cause::not_found,
         "attach an instance profile"},
        {"an empty role", [](Instance& i) { i.role_reply = http::ok("\n"); }, Cause::not_found,
         "attach an instance profile"},
        {"a page", [](Instance& i) { i.role_reply = http::ok("<html>"); }, Cause::corrupt,
         "no name of a role"},
        {"a path", [](Instance& i) { i.role_reply = http::ok("../../HUSH"); }, Cause::corrupt,
         "no name of a role"},
        {"no keys", [](Instance& i) { i.keys_reply = http::status(500, "HUSH"); }, Cause::internal,
         "asking for the keys of its role: HTTP 500"},
        {"not well", [](Instance& i) { i.keys_reply = http::ok(R"({"Code":"Failed"})"); },
         Cause::unavailable, "its Code is not Success"},
        {"half an answer", [](Instance& i) { i.keys_reply = http::ok("{\"Code\":\"Success\""); },
         Cause::corrupt, "not a JSON object"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        Instance instance;
        row.change(instance);
        Server server{instance};
        Home home;
        const auto keys = from_instance(home, server.url());
        ASSERT_FALSE(keys);
        EXPECT_EQ(keys.error().cause, row.cause) << to_string(keys.error());
        EXPECT_TRUE(says(keys.error(), row.says)) << keys.error().message;
        EXPECT_TRUE(tells_no_secret(keys.error()));
    }
}

TEST(Instance, can_be_switched_off) {
    Home home;
    const auto profile = chosen_profile(home.surroundings);
    const auto source = instance_source(home.surroundings, *profile, {});
    ASSERT_TRUE(source);
    EXPECT_EQ(*source, nullptr);
}

TEST(Instance, is_at_the_end_of_the_chain_and_its_absence_a_problem_at_once) {
    Home home;
    home.set("AWS_EC2_METADATA_DISABLED", "false");
    home.set("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1");
    const auto found = find_credentials(home.surroundings);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_FALSE((*found)->current(system_clock().wall()));
    ASSERT_TRUE(becomes([&] { return (*found)->problem().has_value(); }));
    EXPECT_TRUE(
        says(*(*found)->problem(), "from the instance metadata service: asking for a token"))
        << (*found)->problem()->message;
}

TEST(Instance, is_found_by_the_chain) {
    Server server{Instance{}};
    Home home;
    home.set("AWS_EC2_METADATA_DISABLED", "false");
    home.set("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url());
    const auto found = find_credentials(home.surroundings);
    ASSERT_TRUE(found);
    EXPECT_TRUE(becomes([&] { return (*found)->current(system_clock().wall()) != nullptr; }));
    const auto keys = (*found)->current(system_clock().wall());
    EXPECT_EQ(keys->id, "FETCHED");
}

TEST(Instance, that_does_not_answer_does_not_hold_the_end_up) {
    Server server{[](const Seen&) { return http::held(http::ok("x")); }};
    Home home;
    home.set("AWS_EC2_METADATA_DISABLED", "false").set("AWS_METADATA_SERVICE_TIMEOUT", "60");
    home.set("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url());
    const TimePoint began = system_clock().now();
    {
        const auto found = find_credentials(home.surroundings);
        ASSERT_TRUE(found);
        EXPECT_FALSE((*found)->current(system_clock().wall()));
        EXPECT_TRUE(server.becomes([&] { return server.requests() == 1; }));
    }
    EXPECT_LT(system_clock().now() - began, patience);
}

}  // namespace
}  // namespace perdure::dynamodb
