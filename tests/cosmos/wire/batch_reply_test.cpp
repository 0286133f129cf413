// SPDX-License-Identifier: Apache-2.0
//
// Is it clear how each operation of a batch ended, and which one brought it down?
#include "perdure/cosmos/wire/batch_reply.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace perdure::cosmos {
namespace {

TEST(BatchReply, tells_of_every_operation) {
    const auto results = parse_batch_reply(
        R"([{"statusCode":201,"requestCharge":6.29,"eTag":"\"e1\"","resourceBody":{"id":"a", "n":12345678901234567890}},)"
        R"({"statusCode":204,"subStatusCode":0,"resourceBody":null,"requestCharge":1},{"statusCode":304}])");
    ASSERT_TRUE(results) << to_string(results.error());
    ASSERT_EQ(results->size(), 3U);
    const BatchResult& first = results->front();
    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(first.charge, 6.29);
    EXPECT_EQ(first.etag, "\"e1\"");
    EXPECT_EQ(first.body, R"({"id":"a", "n":12345678901234567890})");
    EXPECT_EQ((*results)[1], (BatchResult{.status = 204, .charge = 1}));
    EXPECT_EQ(culprit(*results), nullptr);
}

TEST(BatchReply, names_the_one_that_failed_by_itself) {
    const auto results = parse_batch_reply(
        R"([{"statusCode":424},{"statusCode":449,"subStatusCode":5352,"retryAfterMilliseconds":12.4,)"
        R"("message":"try\nagain"},{"statusCode":424}])");
    ASSERT_TRUE(results);
    const BatchResult* const who = culprit(*results);
    ASSERT_EQ(who, &(*results)[1]);
    EXPECT_EQ(who->status, 449);
    EXPECT_EQ(who->substatus, 5352);
    EXPECT_EQ(who->retry_after, 12ms);
    EXPECT_EQ(who->message, "try again");
}

TEST(BatchReply, has_waits_within_reason) {
    const auto wait = [](std::string_view number) {
        return parse_batch_reply(R"([{"statusCode":429,"retryAfterMilliseconds":)" +
                                 std::string{number} + "}]")
            .value()[0]
            .retry_after;
    };
    EXPECT_EQ(wait("-5"), 0ms);
    EXPECT_EQ(wait("1e300"), 24h);
    EXPECT_EQ(wait("null"), std::nullopt);
    EXPECT_EQ(wait("\"x\""), std::nullopt);
}

TEST(BatchReply, that_cannot_be_read_is_corrupt) {
    std::string many = "[{\"statusCode\":200}";
    for (int i = 0; i < 100; ++i) many += ",{\"statusCode\":200}";
    many += ']';
    for (const std::string_view json :
         {std::string_view{}, std::string_view{"{}"}, std::string_view{"[1]"},
          std::string_view{"[{}]"}, std::string_view{R"([{"statusCode":"200"}])"},
          std::string_view{R"([{"statusCode":99}])"}, std::string_view{R"([{"statusCode":200}]])"},
          std::string_view{R"([{"statusCode":200,}])"},
          std::string_view{R"([{"statusCode":200,"subStatusCode":-1}])"}, std::string_view{many}}) {
        const auto results = parse_batch_reply(json);
        ASSERT_FALSE(results) << json;
        EXPECT_EQ(results.error().cause, Cause::corrupt);
    }
    EXPECT_TRUE(parse_batch_reply("[]")->empty());
}

}  // namespace
}  // namespace perdure::cosmos
