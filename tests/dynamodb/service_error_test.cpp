// SPDX-License-Identifier: Apache-2.0
//
// Is an error read from whatever comes back, and is what it leaves behind fit for a log?
#include "perdure/dynamodb/service_error.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "perdure/dynamodb/classify.hpp"

namespace perdure::dynamodb {
namespace {

std::string body_of(std::string_view type, std::string_view rest = "") {
    return R"({"__type":")" + std::string{type} + "\"" + std::string{rest} + "}";
}

TEST(ServiceError, is_named_by_what_stands_between_the_last_hash_and_the_first_colon) {
    const struct {
        std::string_view type, code;
    } cases[] = {
        {"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "ResourceNotFoundException"},
        {"com.amazon.coral.validate#ValidationException", "ValidationException"},
        {"ThrottlingException", "ThrottlingException"},
        {"a#b#SlowDown", "SlowDown"},
        {"x#SlowDown:http://internal.amazon.com/coral/", "SlowDown"},
        {"SlowDown:http://x/#Other", "SlowDown"},
        {"", ""},
        {"x#", ""},
        {":x", ""},
    };
    for (const auto& [type, code] : cases) EXPECT_EQ(parse_error(body_of(type)).code, code) << type;
}

// The answer that the developer guide shows, with the line break that it has there.
TEST(ServiceError, is_read_from_the_sample_of_the_developer_guide) {
    const ServiceError error =
        parse_error("{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\",\n"
                    "\"message\":\"Requested resource not found: Table: tablename not found\"}");
    EXPECT_EQ(error.code, "ResourceNotFoundException");
    EXPECT_EQ(error.message, "Requested resource not found: Table: tablename not found");
    const Failure failure = classify({.status = 400, .error = &error, .operation = "GetItem"});
    EXPECT_EQ(failure.cause, Cause::not_found);
    EXPECT_EQ(failure.effect, Effect::none);
}

TEST(ServiceError, has_its_text_from_message_with_a_small_or_a_capital_letter) {
    EXPECT_EQ(parse_error(body_of("A", R"(,"message":"no such table")")).message, "no such table");
    EXPECT_EQ(parse_error(body_of("A", R"(,"Message":"cancelled")")).message, "cancelled");
    EXPECT_EQ(parse_error(body_of("A")).message, "") << "SerializationException may have none";
}

TEST(ServiceError, is_empty_for_what_dynamodb_did_not_write) {
    for (const std::string_view body :
         {"", " ", "<html><body><h1>503 Service Unavailable</h1></body></html>", "null", "[]", "7",
          "\"text\"", "{", R"({"__type":"A)", R"({"__type":"A"} and more)", "\xff\xfe", "{}}",
          R"({"__type":"A","message":"\ud800"})"}) {
        const ServiceError error = parse_error(body);
        EXPECT_EQ(error.code, "") << body;
        EXPECT_EQ(error.message, "") << body;
    }
}

TEST(ServiceError, passes_over_members_of_an_unexpected_kind) {
    const ServiceError error =
        parse_error(R"({"message":{"a":[1,2]},"extra":[[[{"x":1}]]],"CancellationReasons":"none",)"
                    R"("ThrottlingReasons":[5,"x",{"reason":7}],"__type":"x#SlowDown","Item":[]})");
    EXPECT_EQ(error.code, "SlowDown");
    EXPECT_EQ(error.message, "");
    EXPECT_TRUE(error.cancellation.empty());
    ASSERT_EQ(error.throttling.size(), 1u);
    EXPECT_EQ(error.throttling[0].reason, "");
    EXPECT_FALSE(error.item);
    EXPECT_EQ(parse_error(R"({"__type":5})").code, "");
}

TEST(ServiceError, keeps_the_reasons_of_a_cancelled_transaction_in_their_order_with_their_items) {
    const ServiceError error = parse_error(
        R"({"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",)"
        R"("CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed",)"
        R"("Item":{"pk":{"S":"o#1"},"n":{"N":"7"}},"Message":"The conditional request failed"},)"
        R"({"Code":"TransactionConflict","Message":"busy"}],)"
        R"("Message":"Transaction cancelled, please refer cancellation reasons for specific reasons )"
        R"([None, ConditionalCheckFailed, TransactionConflict]"})");
    ASSERT_EQ(error.cancellation.size(), 3u);
    EXPECT_EQ(error.cancellation[0].code, "None");
    EXPECT_EQ(error.cancellation[1].code, "ConditionalCheckFailed");
    EXPECT_EQ(error.cancellation[1].message, "The conditional request failed");
    ASSERT_TRUE(error.cancellation[1].item);
    EXPECT_EQ(error.cancellation[1].item->get<std::int64_t>("n").value_or(0), 7);
    EXPECT_FALSE(error.cancellation[2].item);
    EXPECT_FALSE(error.item);
}

TEST(ServiceError, finds_the_reasons_in_the_text_where_there_is_no_list) {
    const ServiceError error = parse_error(
        body_of("TransactionCanceledException",
                R"(,"Message":"… for specific reasons [None, TransactionConflict,Other ]")"));
    ASSERT_EQ(error.cancellation.size(), 3u);
    EXPECT_EQ(error.cancellation[1].code, "TransactionConflict");
    EXPECT_EQ(error.cancellation[2].code, "Other");
    EXPECT_TRUE(parse_error(body_of("Other", R"(,"message":"specific reasons [None]")"))
                    .cancellation.empty());
}

TEST(ServiceError, keeps_throttling_reasons_in_both_spellings) {
    for (const char* const name : {"ThrottlingReasons", "throttlingReasons"}) {
        const ServiceError error = parse_error(
            body_of("x#ThrottlingException",
                    std::string{",\""} + name +
                        R"(":[{"reason":"TableWriteKeyRangeThroughputExceeded",)"
                        R"("resource":"arn:aws:dynamodb:eu-west-1:123456789012:table/orders"}])"));
        ASSERT_EQ(error.throttling.size(), 1u);
        EXPECT_EQ(error.throttling[0].reason, "TableWriteKeyRangeThroughputExceeded");
        EXPECT_EQ(error.throttling[0].resource,
                  "arn:aws:dynamodb:eu-west-1:123456789012:table/orders");
        EXPECT_EQ(describe(error), "throttled by TableWriteKeyRangeThroughputExceeded "
                                   "(arn:aws:dynamodb:eu-west-1:123456789012:table/orders)");
    }
}

TEST(ServiceError, keeps_the_item_of_a_failed_condition) {
    const ServiceError error = parse_error(
        body_of("x#ConditionalCheckFailedException",
                R"(,"Item":{"pk":{"S":"a"},"w":{"S":"me"}},"message":"The conditional …")"));
    ASSERT_TRUE(error.item);
    EXPECT_EQ(error.item->get<std::string>("w").value_or(""), "me");
}

TEST(ServiceError, does_without_an_item_that_cannot_be_read_but_not_without_the_code) {
    const ServiceError error = parse_error(
        body_of("x#ConditionalCheckFailedException",
                R"(,"Item":{"pk":{"Z":"a"}},"message":"The conditional request failed")"));
    EXPECT_EQ(error.code, "ConditionalCheckFailedException");
    EXPECT_EQ(error.message, "The conditional request failed");
    EXPECT_FALSE(error.item);
}

TEST(ServiceErrorLimits, cut_texts_between_characters) {
    std::string longish;
    for (int i = 0; i < 1000; ++i) longish += "ä€";
    const ServiceError error =
        parse_error(body_of(std::string(5000, 'A'), ",\"message\":\"" + longish +
                                                        "\",\"ThrottlingReasons\":[{\"reason\":\"" +
                                                        std::string(9000, 'r') + "\"}]"));
    EXPECT_EQ(error.code.size(), 128u);
    EXPECT_LE(error.message.size(), longest_error_message);
    EXPECT_GT(error.message.size(), longest_error_message - 4);
    EXPECT_TRUE(longish.starts_with(error.message));
    EXPECT_EQ(error.throttling[0].reason.size(), 128u);
}

TEST(ServiceErrorLimits, keep_a_hundred_reasons) {
    std::string reasons = "{\"Code\":\"None\"}";
    for (int i = 0; i < 500; ++i) reasons += ",{\"Code\":\"ConditionalCheckFailed\"}";
    const ServiceError error = parse_error(
        body_of("TransactionCanceledException", ",\"CancellationReasons\":[" + reasons + "]"));
    EXPECT_EQ(error.cancellation.size(), most_error_reasons);
    EXPECT_LT(describe(error).size(), 700u);
    EXPECT_TRUE(describe(error).ends_with("…"));
}

TEST(ServiceErrorLimits, let_nothing_into_a_log_that_does_harm_there) {
    const ServiceError error = parse_error(
        "{\"__type\":\"x#Bad\\nCode\",\"message\":\"a\\u0000b\\n\\u001b[31mc\\u007f\\u0085\\u202e"
        "\\u2028d €\"}");
    EXPECT_EQ(error.code, "Bad Code");
    EXPECT_EQ(error.message, "a b  [31mc    d €");
}

TEST(ServiceErrorSecrets, end_where_the_service_repeats_what_it_was_sent) {
    const ServiceError mismatch = parse_error(body_of(
        "com.amazon.coral.service#InvalidSignatureException",
        R"(,"message":"The request signature we calculated does not match the signature you provided. )"
        R"(Check your AWS Secret Access Key.\n\nThe Canonical String for this request should have been)"
        R"(\n'POST\n/\n\nx-amz-security-token:SESSIONTOKEN\n'")"));
    EXPECT_EQ(mismatch.message,
              "The request signature we calculated does not match the signature you provided. "
              "Check your AWS Secret Access Key.");
    const ServiceError incomplete = parse_error(body_of(
        "x#IncompleteSignatureException",
        R"(,"message":"Authorization header requires 'Signature' parameter. Authorization=AWS4 SECRET")"));
    EXPECT_EQ(incomplete.message, "Authorization header requires 'Signature' parameter.");
    const ServiceError token =
        parse_error(body_of("x#A", R"(,"message":"bad header X-Amz-Security-Token: SECRET")"));
    EXPECT_EQ(token.message, "bad header");
}

TEST(ServiceError, survives_damaged_bodies) {
    const std::string whole =
        R"({"__type":"x#TransactionCanceledException","Message":"[None]","CancellationReasons":)"
        R"([{"Code":"None","Item":{"a":{"L":[{"M":{"b":{"SS":["x"]}}}]}}}],)"
        R"("ThrottlingReasons":[{"reason":"r","resource":"s"}],"Item":{"k":{"N":"1"}}})";
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
        EXPECT_EQ(parse_error(std::string_view{whole}.substr(0, cut)).code, "") << cut;
    std::mt19937 random{7};
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 3; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const ServiceError error = parse_error(damaged);
        ASSERT_LE(error.message.size(), longest_error_message);
        ASSERT_LE(describe(error).size(), 4096u);
    }
    std::string deep = R"({"__type":"x#A","message":)";
    for (int i = 0; i < 100'000; ++i) deep += '[';
    EXPECT_EQ(parse_error(deep).code, "");
}

}  // namespace
}  // namespace perdure::dynamodb
