// SPDX-License-Identifier: Apache-2.0
//
// Which keys does a program get, from where, and what is it told when it gets none?
#include "perdure/dynamodb/credentials.hpp"

#include <gtest/gtest.h>

#include "credentials_home.hpp"
#include "dynamodb/credentials_checks.hpp"
#include "dynamodb/credentials_json.hpp"
#include "refresh_stage.hpp"

namespace perdure::dynamodb {
namespace {

std::shared_ptr<const Keys> keys_from(const Home& home, const CredentialOptions& options = {}) {
    const auto found = find_credentials(home.surroundings, options);
    EXPECT_TRUE(found) << to_string(found.error());
    return found ? (*found)->current(noon) : nullptr;
}

Failure refusal_of(const Home& home, const CredentialOptions& options = {}) {
    const auto found = find_credentials(home.surroundings, options);
    EXPECT_FALSE(found);
    if (found) return {};
    EXPECT_EQ(found.error().cause, Cause::invalid);
    EXPECT_EQ(found.error().origin, Origin::application);
    EXPECT_EQ(found.error().effect, Effect::none);
    EXPECT_TRUE(tells_no_secret(found.error())) << found.error().message;
    return found.error();
}

TEST(FixedCredentials, are_always_the_same) {
    const auto fixed = fixed_credentials({"AKID", "HUSH"});
    EXPECT_EQ(*fixed->current(noon), (Keys{"AKID", "HUSH"}));
    EXPECT_EQ(fixed->current(noon), fixed->current(noon + 9000h));
    fixed->renew(*fixed->current(noon));
    EXPECT_TRUE(fixed->current(noon));
    EXPECT_FALSE(fixed->problem());
}

TEST(FixedCredentials, end_with_their_expiry_and_say_so) {
    Keys keys{"AKID", "HUSH", "HUSH"};
    keys.expires = noon;
    const auto fixed = fixed_credentials(keys);
    EXPECT_TRUE(fixed->current(noon - 1s));
    EXPECT_FALSE(fixed->problem());
    EXPECT_FALSE(fixed->current(noon));
    ASSERT_TRUE(fixed->problem());
    EXPECT_TRUE(says(*fixed->problem(), "expired at Mon, 16 Nov 2026 12:00:00 GMT"));
    EXPECT_TRUE(tells_no_secret(*fixed->problem()));
}

TEST(FixedCredentials, that_can_be_no_keys_are_none) {
    const std::pair<Keys, const char*> rows[] = {
        {{}, "the access key id and the secret access key are empty"},
        {{"AKID", ""}, "the secret access key is not; set both"},
        {{"AKID\r\nX: HUSH", "HUSH"}, "the access key id holds white space"},
        {{"AKID", "HUSH\n"}, "the secret access key holds white space"},
        {{"AKID", "HUSH", "HUSH HUSH"}, "the session token holds white space"},
    };
    for (const auto& [keys, words] : rows) {
        SCOPED_TRACE(words);
        const auto fixed = fixed_credentials(keys);
        EXPECT_FALSE(fixed->current(noon));
        ASSERT_TRUE(fixed->problem());
        EXPECT_TRUE(says(*fixed->problem(), words)) << fixed->problem()->message;
        EXPECT_TRUE(tells_no_secret(*fixed->problem()));
    }
}

TEST(Chain, begins_with_the_environment) {
    Home home;
    home.credentials("[default]\naws_access_key_id = FILE\naws_secret_access_key = HUSH\n");
    EXPECT_EQ(keys_from(home)->id, "FILE");
    home.set("AWS_ACCESS_KEY_ID", "ENV").set("AWS_SECRET_ACCESS_KEY", "HUSH-env");
    EXPECT_EQ(*keys_from(home), (Keys{"ENV", "HUSH-env"}));
    home.set("AWS_SESSION_TOKEN", "HUSH-token").set("AWS_ACCOUNT_ID", "123456789012");
    home.set("AWS_CREDENTIAL_EXPIRATION", "2026-11-16T13:00:00Z");
    const auto keys = keys_from(home);
    EXPECT_EQ(keys->token, "HUSH-token");
    EXPECT_EQ(keys->account, "123456789012");
    EXPECT_EQ(keys->expires, noon + 1h);
    // A profile that the program names is meant.
    EXPECT_EQ(keys_from(home, {.profile = "default"})->id, "FILE");
}

TEST(Chain, knows_the_old_name_of_the_token) {
    Home home;
    home.set("AWS_ACCESS_KEY_ID", "ENV").set("AWS_SECRET_ACCESS_KEY", "HUSH");
    home.set("AWS_SECURITY_TOKEN", "HUSH-old");
    EXPECT_EQ(keys_from(home)->token, "HUSH-old");
}

TEST(Chain, refuses_what_can_be_no_keys_in_the_environment) {
    struct Row {
        const char *id, *secret, *token, *expires, *says;
    };
    const Row rows[] = {
        {"ENV", "", "", "", "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not"},
        {"", "HUSH", "", "", "AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not"},
        {"ENV", "HUSH\n", "", "", "AWS_SECRET_ACCESS_KEY holds white space"},
        {"HUSH ID", "HUSH", "", "", "AWS_ACCESS_KEY_ID holds white space"},
        {"ENV", "HUSH", "HUSH\r\nX: y", "", "AWS_SESSION_TOKEN holds white space"},
        {"ENV", "HUSH\xC3\xBC", "", "", "AWS_SECRET_ACCESS_KEY holds white space or what is not"},
        {"ENV", "HUSH", "HUSH", "tomorrow", "AWS_CREDENTIAL_EXPIRATION must be a time"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.says);
        Home home;
        home.set("AWS_ACCESS_KEY_ID", row.id).set("AWS_SECRET_ACCESS_KEY", row.secret);
        home.set("AWS_SESSION_TOKEN", row.token).set("AWS_CREDENTIAL_EXPIRATION", row.expires);
        const Failure failure = refusal_of(home);
        EXPECT_TRUE(says(failure, row.says)) << failure.message;
    }
}

TEST(Chain, takes_the_keys_of_the_profile_all_from_one_file) {
    Home home;
    home.config("[default]\naws_access_key_id = CONFIG\naws_secret_access_key = HUSH-config\n"
                "aws_session_token = HUSH-token\naws_account_id = 1\n");
    EXPECT_EQ(keys_from(home)->id, "CONFIG");
    EXPECT_EQ(keys_from(home)->token, "HUSH-token");
    home.credentials("[default]\naws_access_key_id = CREDENTIALS\naws_secret_access_key = HUSH\n");
    EXPECT_EQ(*keys_from(home), (Keys{"CREDENTIALS", "HUSH"}));
    home.credentials("[default]\naws_access_key_id = HALF\n");
    EXPECT_TRUE(says(refusal_of(home), "aws_access_key_id of the profile default in "
                                       "~/.aws/credentials is set and aws_secret_access_key"));
}

TEST(Chain, reads_the_file_again_when_the_service_refuses_its_keys) {
    Home home;
    home.credentials("[default]\naws_access_key_id = OLD\naws_secret_access_key = HUSH\n");
    HandClock clock;
    const auto found = find_credentials(home.surroundings, {.environment = {.clock = clock}});
    ASSERT_TRUE(found);
    const auto old = (*found)->current(clock.wall());
    EXPECT_EQ(old->id, "OLD");
    home.credentials("[default]\naws_access_key_id = NEW\naws_secret_access_key = HUSH\n");
    clock.jump(1min);
    (*found)->renew(*old);
    EXPECT_TRUE(becomes([&] {
        const auto keys = (*found)->current(clock.wall());
        return keys && keys->id == "NEW";
    }));
}

TEST(Chain, refuses_in_words_what_it_cannot_do) {
    struct Row {
        const char *lines, *says;
    };
    const Row rows[] = {
        {"role_arn = arn:aws:iam::1:role/x\nsource_profile = default\n", "a role to assume"},
        {"role_arn = arn\ncredential_source = Ec2InstanceMetadata\n", "(role_arn)"},
        {"role_arn = arn\nweb_identity_token_file = /token\n", "a role to assume"},
        {"web_identity_token_file = /token\n", "web identity"},
        {"sso_session = corp\nsso_account_id = 1\n", "SSO"},
        {"sso_start_url = https://x.awsapps.com/start\n", "SSO"},
        {"sso_region = us-east-1\nsso_role_name = reader\n", "SSO"},
        {"login_session = arn:aws:iam::1:user/ada\n", "a session of aws login"},
        {"login_session = arn\naws_access_key_id = A\naws_secret_access_key = HUSH\n",
         "(login_session) wants a session of aws login"},
        {"source_profile = default\n", "(source_profile) wants another way to sign in"},
        {"credential_source = Ec2InstanceMetadata\n", "another way to sign in"},
        {"corporate_login_url = https://HUSH.example\n", "(corporate_login_url)"},
        {"saml_idp = HUSH\n", "(saml_idp) wants another way to sign in"},
        {"aws_access_key_id = A\naws_secret_access_key = HUSH\nrole_arn = arn\n",
         "a role to assume"},
        {"credential_process = echo HUSH\nrole_arn = arn\n", "a role to assume"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.lines);
        Home home;
        home.config(std::string{"[profile dev]\n"} + row.lines).set("AWS_PROFILE", "dev");
        const Failure failure = refusal_of(home);
        EXPECT_EQ(failure.code, "unsupported-credentials");
        EXPECT_TRUE(says(failure, row.says)) << failure.message;
        EXPECT_TRUE(says(failure, "~/.aws/config:"));
        EXPECT_TRUE(
            says(failure, "aws configure export-credentials --format process --profile dev"));
    }
    Home home;
    home.set("AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/token").set("AWS_ROLE_ARN", "arn");
    EXPECT_TRUE(says(refusal_of(home), "AWS_WEB_IDENTITY_TOKEN_FILE wants web identity"));
}

// In AWS's own tools too keys come before what they do not know.
TEST(Chain, takes_keys_and_commands_whatever_unknown_properties_stand_beside_them) {
    for (const char* const lines :
         {"aws_access_key_id = A\naws_secret_access_key = HUSH\nsource_profile = other\n",
          "aws_access_key_id = A\naws_secret_access_key = HUSH\nother_tool_login = yes\n",
          "credential_process = echo\nother_tool_sso_start_url = https://x\n"}) {
        Home home;
        home.config(std::string{"[default]\n"} + lines);
        EXPECT_TRUE(find_credentials(home.surroundings)) << lines;
    }
}

// A container would sign for it: the profile must not get that far.
TEST(Chain, does_not_go_on_to_the_machine_from_a_profile_that_signs_in_otherwise) {
    for (const char* const line : {"login_session = arn\n", "login_session2 = arn\n"}) {
        Home home;
        home.config(std::string{"[default]\nregion = eu-west-1\n"} + line);
        home.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/keys");
        EXPECT_EQ(refusal_of(home).code, "unsupported-credentials") << line;
    }
    Home plain;
    plain.config("[default]\nregion = eu-west-1\nretry_mode = standard\nmfa_serial = arn\n");
    plain.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://127.0.0.1:9/keys");
    EXPECT_TRUE(find_credentials(plain.surroundings));
}

TEST(Chain, that_finds_nothing_says_where_it_looked) {
    Home home;
    const Failure failure = refusal_of(home);
    EXPECT_EQ(failure.code, "no-credentials");
    for (const char* place :
         {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "profile default", "~/.aws/credentials",
          "~/.aws/config", "container", "AWS_EC2_METADATA_DISABLED"})
        EXPECT_TRUE(says(failure, place)) << place;
}

TEST(Chain, passes_on_what_is_wrong_with_the_files) {
    Home home;
    home.credentials("[default]\naws_secret_access_key HUSH\n");
    EXPECT_EQ(refusal_of(home).code, "malformed-profile");
    home.credentials("");
    EXPECT_EQ(refusal_of(home, {.profile = "nobody"}).code, "no-such-profile");
}

TEST(Chain, refuses_settings_of_the_instance_service_that_make_no_sense) {
    struct Row {
        const char *variable, *value;
    };
    const Row rows[] = {
        {"AWS_EC2_METADATA_DISABLED", "maybe"},
        {"AWS_EC2_METADATA_V1_DISABLED", "1"},
        {"AWS_EC2_METADATA_SERVICE_ENDPOINT", "HUSH"},
        {"AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "IPv5"},
        {"AWS_METADATA_SERVICE_TIMEOUT", "0"},
        {"AWS_METADATA_SERVICE_TIMEOUT", "soon"},
        {"AWS_METADATA_SERVICE_NUM_ATTEMPTS", "0"},
    };
    for (const Row& row : rows) {
        Home home;
        home.set("AWS_EC2_METADATA_DISABLED", "false").set(row.variable, row.value);
        const Failure failure = refusal_of(home);
        EXPECT_EQ(failure.code, "invalid-setting");
        EXPECT_TRUE(failure.message.starts_with(row.variable)) << failure.message;
    }
}

TEST(KeysFromJson, speak_the_dialect_of_each_source) {
    const auto process = keys_from_json(
        R"({"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "HUSH", "SessionToken": "HUSHt",
            "Expiration": "2026-11-16T13:00:00+01:00", "AccountId": "1", "Other": [{}]})",
        KeysFrom::process);
    ASSERT_TRUE(process) << to_string(process.error());
    EXPECT_EQ(process->token, "HUSHt");
    EXPECT_EQ(process->account, "1");
    EXPECT_EQ(process->expires, noon);
    const auto container = keys_from_json(
        R"({"AccessKeyId": "A", "SecretAccessKey": "HUSH", "Token": "HUSHt", "SessionToken": "no"})",
        KeysFrom::container);
    ASSERT_TRUE(container);
    EXPECT_EQ(container->token, "HUSHt");
    EXPECT_FALSE(container->expires);
    const auto instance = keys_from_json(
        R"({"Code": "Success", "AccessKeyId": "A", "SecretAccessKey": "HUSH", "Token": null})",
        KeysFrom::instance);
    ASSERT_TRUE(instance);
    EXPECT_EQ(instance->token, "");
}

TEST(KeysFromJson, refuse_what_they_cannot_understand_without_showing_it) {
    const std::tuple<const char*, KeysFrom, const char*> rows[] = {
        {"", KeysFrom::process, "not a JSON object"},
        {"HUSH", KeysFrom::process, "not a JSON object"},
        {"[\"HUSH\"]", KeysFrom::process, "not a JSON object"},
        {R"({"AccessKeyId": "HUSH")", KeysFrom::container, "not a JSON object"},
        {R"({"AccessKeyId": "A"} HUSH)", KeysFrom::container, "not a JSON object"},
        {"{\"AccessKeyId\": \"\xff\"}", KeysFrom::container, "not a JSON object"},
        {"<html>HUSH</html>", KeysFrom::container, "not a JSON object"},
        {R"({"AccessKeyId": "A", "SecretAccessKey": "HUSH"})", KeysFrom::process, "\"Version\": 1"},
        {R"({"Version": "1", "AccessKeyId": "A"})", KeysFrom::process, "\"Version\": 1"},
        {R"({"Version": 2, "AccessKeyId": "A"})", KeysFrom::process, "\"Version\": 1"},
        {R"({"Version": 1})", KeysFrom::process, "no AccessKeyId"},
        {R"({"AccessKeyId": "A"})", KeysFrom::container, "SecretAccessKey is not; set both"},
        {R"({"AccessKeyId": 7, "SecretAccessKey": "HUSH"})", KeysFrom::container,
         "its AccessKeyId is not a text"},
        {R"({"AccessKeyId": "A", "SecretAccessKey": ["HUSH"]})", KeysFrom::container,
         "its SecretAccessKey is not a text"},
        {R"({"AccessKeyId": "A", "SecretAccessKey": "HUSH\r\n"})", KeysFrom::container,
         "SecretAccessKey holds white space"},
        {R"({"AccessKeyId": "A", "SecretAccessKey": "HUSH", "Expiration": "HUSH"})",
         KeysFrom::container, "its Expiration is not a time"},
        {R"({"AccessKeyId": "A", "SecretAccessKey": "HUSH"})", KeysFrom::instance,
         "its Code is not Success"},
        {R"({"Code": "AssumeRoleUnauthorizedAccess"})", KeysFrom::instance, "its Code"},
    };
    for (const auto& [json, from, words] : rows) {
        SCOPED_TRACE(json);
        const auto keys = keys_from_json(json, from);
        ASSERT_FALSE(keys);
        EXPECT_EQ(keys.error().effect, Effect::none);
        EXPECT_TRUE(says(keys.error(), words)) << keys.error().message;
        EXPECT_TRUE(tells_no_secret(keys.error()));
    }
    const std::string deep(5000, '[');
    EXPECT_FALSE(keys_from_json(deep, KeysFrom::process));
}

TEST(Timestamps, are_read_in_the_forms_that_sources_use) {
    for (const char* same :
         {"2026-11-16T12:00:00Z", "2026-11-16t12:00:00z", "2026-11-16 12:00:00Z",
          "2026-11-16T12:00:00.000Z", "2026-11-16T12:00:00.123456789Z", "2026-11-16T12:00:00+00:00",
          "2026-11-16T12:00:00+0000", "2026-11-16T13:30:00+01:30", "2026-11-16T04:00:00-08:00"})
        EXPECT_EQ(parse_timestamp(same), noon) << same;
    for (const char* none :
         {"", "tomorrow", "2026-11-16", "2026-11-16T12:00:00", "2026-11-16T12:00Z",
          "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-11-16T24:00:00Z",
          "2026-11-16T12:00:00.Z", "2026-11-16T12:00:00ZZ", "2026-11-16T12:00:00+1:00",
          "-026-11-16T12:00:00Z", "1794830400"})
        EXPECT_EQ(parse_timestamp(none), std::nullopt) << none;
    EXPECT_GT(parse_timestamp("9999-12-31T23:59:59Z"), noon + 100'000h);
}

}  // namespace
}  // namespace perdure::dynamodb
