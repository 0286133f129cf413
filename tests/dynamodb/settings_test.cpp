// SPDX-License-Identifier: Apache-2.0
//
// Do region, endpoint and retries come from where an AWS user has put them?
#include "perdure/dynamodb/settings.hpp"

#include <gtest/gtest.h>

#include "credentials_home.hpp"

namespace perdure::dynamodb {
namespace {

TEST(Settings, are_all_unset_where_nobody_said_anything) {
    Home home;
    const auto settings = settings_from(home.surroundings);
    ASSERT_TRUE(settings) << to_string(settings.error());
    EXPECT_EQ(settings->region, "");
    EXPECT_EQ(settings->profile, "default");
    EXPECT_FALSE(settings->endpoint_url || settings->retry_mode || settings->max_attempts ||
                 settings->defaults_mode);
    EXPECT_EQ(settings->fips, Fips::off);
    EXPECT_EQ(settings->dual_stack, DualStack::off);
    EXPECT_TRUE(settings->origins.empty());
}

TEST(Settings, come_from_the_environment) {
    Home home;
    home.set("AWS_REGION", "EU-west-1")
        .set("AWS_RETRY_MODE", "Adaptive")
        .set("AWS_MAX_ATTEMPTS", "7")
        .set("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:8000")
        .set("AWS_USE_FIPS_ENDPOINT", "TRUE")
        .set("AWS_USE_DUALSTACK_ENDPOINT", "true")
        .set("AWS_CA_BUNDLE", "/etc/ca.pem")
        .set("AWS_DEFAULTS_MODE", "in-region");
    const auto settings = settings_from(home.surroundings);
    ASSERT_TRUE(settings) << to_string(settings.error());
    EXPECT_EQ(settings->region, "eu-west-1");
    EXPECT_EQ(settings->retry_mode, RetryMode::adaptive);
    EXPECT_EQ(settings->max_attempts, 7);
    EXPECT_EQ(settings->endpoint_url, "http://127.0.0.1:8000");
    EXPECT_EQ(settings->fips, Fips::on);
    EXPECT_EQ(settings->dual_stack, DualStack::on);
    EXPECT_EQ(settings->ca_bundle, "/etc/ca.pem");
    EXPECT_EQ(settings->defaults_mode, DefaultsMode::in_region);
    EXPECT_EQ(settings->origins.at("region"), "AWS_REGION");
    EXPECT_EQ(settings->origins.at("max_attempts"), "AWS_MAX_ATTEMPTS");
}

TEST(Settings, come_from_the_profile_where_the_environment_is_silent) {
    Home home;
    home.config(R"([profile dev]
region = ap-south-1
retry_mode = legacy
max_attempts = 3
use_fips_endpoint = true
use_dualstack_endpoint = true
ca_bundle = /ca.pem
defaults_mode = auto
)")
        .set("AWS_PROFILE", "dev");
    const auto settings = settings_from(home.surroundings);
    ASSERT_TRUE(settings) << to_string(settings.error());
    EXPECT_EQ(settings->profile, "dev");
    EXPECT_EQ(settings->region, "ap-south-1");
    EXPECT_EQ(settings->retry_mode, RetryMode::legacy);
    EXPECT_EQ(settings->max_attempts, 3);
    EXPECT_EQ(settings->fips, Fips::on);
    EXPECT_EQ(settings->dual_stack, DualStack::on);
    EXPECT_EQ(settings->ca_bundle, "/ca.pem");
    EXPECT_EQ(settings->defaults_mode, DefaultsMode::automatic);
    EXPECT_EQ(settings->origins.at("region"), "~/.aws/config:2 (region)");
}

TEST(Settings, take_the_region_from_the_first_who_names_one) {
    Home home;
    home.config("[default]\nregion = us-east-2\n");
    EXPECT_EQ(settings_from(home.surroundings)->region, "us-east-2");
    home.set("AWS_DEFAULT_REGION", "us-west-1");
    EXPECT_EQ(settings_from(home.surroundings)->region, "us-west-1");
    home.set("AWS_REGION", "us-west-2");
    EXPECT_EQ(settings_from(home.surroundings)->region, "us-west-2");
    home.set("AWS_REGION", "");
    EXPECT_EQ(settings_from(home.surroundings)->region, "us-west-1");
}

TEST(Settings, take_the_endpoint_of_the_service_before_the_one_of_all) {
    Home home;
    home.config("[default]\nendpoint_url = http://profile\nservices = local\n"
                "[services local]\ns3 =\n  endpoint_url = http://wrong\n"
                "dynamodb =\n  endpoint_url = http://service\n");
    EXPECT_EQ(settings_from(home.surroundings)->endpoint_url, "http://service");
    EXPECT_EQ(settings_from(home.surroundings)->origins.at("endpoint_url"), "~/.aws/config:7");
    home.set("AWS_ENDPOINT_URL", "http://all");
    EXPECT_EQ(settings_from(home.surroundings)->endpoint_url, "http://all");
    home.set("AWS_ENDPOINT_URL_DYNAMODB", "http://dynamodb");
    EXPECT_EQ(settings_from(home.surroundings)->endpoint_url, "http://dynamodb");
    home.set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
    EXPECT_EQ(settings_from(home.surroundings)->endpoint_url, std::nullopt);

    home.config("[default]\nendpoint_url = http://profile\nservices = nobody\n")
        .set("AWS_ENDPOINT_URL_DYNAMODB", "")
        .set("AWS_ENDPOINT_URL", "")
        .set("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false");
    EXPECT_EQ(settings_from(home.surroundings)->endpoint_url, "http://profile");
}

TEST(Settings, that_make_no_sense_are_refused_with_their_name_and_the_fix) {
    struct Row {
        const char *variable, *value, *fix;
    };
    const Row rows[] = {
        {"AWS_MAX_ATTEMPTS", "0", "from 1 to 1000"},
        {"AWS_MAX_ATTEMPTS", "-3", "from 1 to 1000"},
        {"AWS_MAX_ATTEMPTS", "HUSH", "from 1 to 1000"},
        {"AWS_MAX_ATTEMPTS", "3x", "from 1 to 1000"},
        {"AWS_MAX_ATTEMPTS", "99999999999", "from 1 to 1000"},
        {"AWS_RETRY_MODE", "HUSH", "legacy, standard or adaptive"},
        {"AWS_REGION", "us east", "such as eu-central-1"},
        {"AWS_REGION", "\"us-east-1\"", "without quotes"},
        {"AWS_REGION", "evil.example/HUSH", "such as eu-central-1"},
        {"AWS_REGION", "-x", "such as eu-central-1"},
        {"AWS_ENDPOINT_URL_DYNAMODB", "localhost:8000/HUSH", "be a URL"},
        {"AWS_ENDPOINT_URL", "ftp://HUSH", "be a URL"},
        {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "HUSH", "be true or false"},
        {"AWS_USE_FIPS_ENDPOINT", "yes", "be true or false"},
        {"AWS_USE_DUALSTACK_ENDPOINT", "1", "be true or false"},
        {"AWS_DEFAULTS_MODE", "HUSH", "in-region"},
        {"AWS_ACCOUNT_ID_ENDPOINT_MODE", "required", "be preferred or disabled"},
        {"AWS_ACCOUNT_ID_ENDPOINT_MODE", "HUSH", "preferred, disabled or required"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(std::string{row.variable} + "=" + row.value);
        Home home;
        home.set(row.variable, row.value);
        const auto settings = settings_from(home.surroundings);
        ASSERT_FALSE(settings);
        EXPECT_EQ(settings.error().cause, Cause::invalid);
        EXPECT_EQ(settings.error().origin, Origin::application);
        EXPECT_EQ(settings.error().code, "invalid-setting");
        EXPECT_TRUE(settings.error().message.starts_with(row.variable)) << settings.error().message;
        EXPECT_TRUE(says(settings.error(), row.fix)) << settings.error().message;
        EXPECT_TRUE(tells_no_secret(settings.error()));
    }
}

TEST(Settings, that_make_no_sense_in_a_file_are_refused_by_line) {
    Home home;
    home.config("[default]\n\nmax_attempts = none\n");
    const auto settings = settings_from(home.surroundings);
    ASSERT_FALSE(settings);
    EXPECT_TRUE(settings.error().message.starts_with("~/.aws/config:3 (max_attempts) must be"))
        << settings.error().message;
}

TEST(Settings, that_require_the_endpoint_of_an_account_are_refused_where_the_region_has_one) {
    Home home;
    home.config("[default]\naccount_id_endpoint_mode = required\n");
    const auto settings = settings_from(home.surroundings);
    ASSERT_FALSE(settings);
    EXPECT_TRUE(settings.error().message.starts_with(
        "~/.aws/config:2 (account_id_endpoint_mode) must be preferred or disabled"))
        << settings.error().message;
    EXPECT_TRUE(settings_from(home.set("AWS_ENDPOINT_URL", "http://127.0.0.1:8000").surroundings));
    for (const char* const fine : {"preferred", "Disabled", ""}) {
        Home other;
        EXPECT_TRUE(settings_from(other.set("AWS_ACCOUNT_ID_ENDPOINT_MODE", fine).surroundings));
    }
}

TEST(Settings, of_a_malformed_file_or_an_unknown_profile_are_refused) {
    Home home;
    home.config("[default\n");
    EXPECT_EQ(settings_from(home.surroundings).error().code, "malformed-profile");
    home.config("").set("AWS_PROFILE", "who");
    EXPECT_EQ(settings_from(home.surroundings).error().code, "no-such-profile");
}

TEST(Settings, know_how_long_a_connection_may_take) {
    EXPECT_EQ(connect_timeout(DefaultsMode::in_region), 1100ms);
    EXPECT_EQ(connect_timeout(DefaultsMode::standard), 3100ms);
    EXPECT_EQ(connect_timeout(DefaultsMode::cross_region), 3100ms);
    EXPECT_EQ(connect_timeout(DefaultsMode::mobile), 30s);
    EXPECT_EQ(connect_timeout(DefaultsMode::automatic), std::nullopt);
}

TEST(Surroundings, are_those_of_the_process) {
    const Surroundings found = Surroundings::of_process();
    EXPECT_FALSE(found.home.empty());
    EXPECT_EQ(found.variable("PERDURE_NOBODY_SETS_THIS"), "");
}

}  // namespace
}  // namespace perdure::dynamodb
