// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/endpoint.hpp"

#include <gtest/gtest.h>

namespace perdure::dynamodb {
namespace {

constexpr auto fips = Fips::on;
constexpr auto dual = DualStack::on;

// The hosts are those that AWS's own SDK for JavaScript 3.1162.0 gives.
TEST(Endpoint, is_the_one_of_the_region) {
    const struct {
        EndpointChoice choice;
        const char* url;
    } cases[] = {
        {{"us-east-1"}, "https://dynamodb.us-east-1.amazonaws.com"},
        {{"eu-west-1"}, "https://dynamodb.eu-west-1.amazonaws.com"},
        {{"eu-west-1", "", Fips::off, dual}, "https://dynamodb.eu-west-1.api.aws"},
        {{"eu-west-1", "", fips}, "https://dynamodb-fips.eu-west-1.amazonaws.com"},
        {{"eu-west-1", "", fips, dual}, "https://dynamodb-fips.eu-west-1.api.aws"},
        {{"cn-north-1"}, "https://dynamodb.cn-north-1.amazonaws.com.cn"},
        {{"cn-north-1", "", fips}, "https://dynamodb-fips.cn-north-1.amazonaws.com.cn"},
        {{"cn-north-1", "", Fips::off, dual},
         "https://dynamodb.cn-north-1.api.amazonwebservices.com.cn"},
        {{"us-gov-west-1"}, "https://dynamodb.us-gov-west-1.amazonaws.com"},
        {{"us-gov-west-1", "", fips}, "https://dynamodb.us-gov-west-1.amazonaws.com"},
        {{"us-gov-west-1", "", Fips::off, dual}, "https://dynamodb.us-gov-west-1.api.aws"},
        {{"us-gov-west-1", "", fips, dual}, "https://dynamodb-fips.us-gov-west-1.api.aws"},
        {{"eusc-de-east-1"}, "https://dynamodb.eusc-de-east-1.amazonaws.eu"},
        {{"us-iso-east-1"}, "https://dynamodb.us-iso-east-1.c2s.ic.gov"},
        {{"us-isob-east-1"}, "https://dynamodb.us-isob-east-1.sc2s.sgov.gov"},
        {{"eu-isoe-west-1"}, "https://dynamodb.eu-isoe-west-1.cloud.adc-e.uk"},
        {{"us-isof-south-1", "", fips, dual},
         "https://dynamodb-fips.us-isof-south-1.api.aws.hci.ic.gov"},
        {{"xx-tomorrow-9"}, "https://dynamodb.xx-tomorrow-9.amazonaws.com"},
    };
    for (const auto& [choice, url] : cases) {
        const auto endpoint = endpoint_of(choice);
        ASSERT_TRUE(endpoint) << url;
        EXPECT_EQ(endpoint->url, url);
        EXPECT_EQ(endpoint->signing_region, choice.region);
    }
}

TEST(Endpoint, of_the_region_local_is_on_this_machine) {
    const auto endpoint = endpoint_of({.region = "local"});
    ASSERT_TRUE(endpoint);
    EXPECT_EQ(endpoint->url, "http://localhost:8000");
    EXPECT_EQ(endpoint->signing_region, "us-east-1");
}

TEST(Endpoint, is_what_the_user_says_and_signed_for_the_region) {
    const struct {
        const char* override_url;
        const char* url;
    } cases[] = {
        {"http://localhost:4567", "http://localhost:4567"},
        {"http://localhost:4567/", "http://localhost:4567"},
        {"https://db.example.com", "https://db.example.com"},
        {"https://DB.example.com:443/", "https://db.example.com"},
        {"http://[::1]:8000", "http://[::1]:8000"},
    };
    for (const auto& [override_url, url] : cases)
        for (const char* const region : {"eu-west-1", "local"}) {
            const auto endpoint = endpoint_of({.region = region, .override_url = override_url});
            ASSERT_TRUE(endpoint) << override_url;
            EXPECT_EQ(*endpoint, (Endpoint{url, region}));
        }
}

TEST(Endpoint, is_refused_with_a_word_about_what_is_wrong) {
    const struct {
        EndpointChoice choice;
        const char* word;
    } cases[] = {
        {{}, "AWS_REGION"},
        {{"", "http://localhost:8000"}, "AWS_REGION"},
        {{"eu west"}, "letters, digits"},
        {{"eu-west-1.evil.example"}, "letters, digits"},
        {{"eu-west-1/"}, "letters, digits"},
        {{"eu-west-1\r\nX: y"}, "letters, digits"},
        {{"-eu"}, "letters, digits"},
        {{"eu-"}, "letters, digits"},
        {{std::string(64, 'a')}, "letters, digits"},
        {{"\xc3\xa9u-west-1"}, "letters, digits"},
        {{"local", "", fips}, "local"},
        {{"local", "", Fips::off, dual}, "local"},
        {{"eu-west-1", "http://localhost:8000", fips}, "FIPS"},
        {{"eu-west-1", "http://localhost:8000", Fips::off, dual}, "dual stack"},
        {{"eu-west-1", "localhost:8000"}, "URL"},
        {{"eu-west-1", "ftp://localhost"}, "URL"},
        {{"eu-west-1", "http://localhost:99999"}, "port"},
        {{"eu-west-1", "http://localhost:8000/path"}, "path"},
        {{"eu-west-1", "http://localhost:8000?a=b"}, "query"},
        {{"eu-west-1", "http://me:hush@localhost:8000"}, "password"},
    };
    for (const auto& [choice, word] : cases) {
        const auto endpoint = endpoint_of(choice);
        ASSERT_FALSE(endpoint) << choice.region << ' ' << choice.override_url;
        EXPECT_EQ(endpoint.error().cause, Cause::invalid);
        EXPECT_EQ(endpoint.error().code, "invalid-endpoint");
        EXPECT_EQ(endpoint.error().origin, Origin::application);
        const std::string said = to_string(endpoint.error());
        EXPECT_NE(said.find(word), std::string::npos) << said;
        EXPECT_EQ(said.find("hush"), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace perdure::dynamodb
