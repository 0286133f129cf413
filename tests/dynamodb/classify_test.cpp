// SPDX-License-Identifier: Apache-2.0
//
// Does every error of DynamoDB lead to the right reaction, whatever comes with it?
#include "perdure/dynamodb/classify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "perdure/dynamodb/plans.hpp"
#include "perdure/dynamodb/skew.hpp"

namespace perdure::dynamodb {
namespace {

using enum Cause;

Failure judged(std::string_view code, int status = 400, std::string_view operation = "PutItem",
               std::optional<SkewEvidence> skew = {}) {
    const ServiceError error{.code = std::string{code}};
    return classify({.status = status, .error = &error, .operation = operation, .skew = skew});
}

http::Headers with(std::string_view name, std::string_view value) {
    http::Headers headers;
    headers.add(name, value);
    return headers;
}

const std::vector<std::string_view> throttling_names = {
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottledException",
    "TooManyRequestsException",
    "ProvisionedThroughputExceededException",
    "TransactionInProgressException",
    "RequestLimitExceeded",
    "BandwidthLimitExceeded",
    "LimitExceededException",
    "RequestThrottled",
    "SlowDown",
    "PriorRequestNotComplete",
    "EC2ThrottledException",
};

TEST(DynamoErrors, by_the_names_all_sdks_share_are_throttling_whatever_the_status) {
    for (const std::string_view name : throttling_names)
        for (const int status : {400, 403, 429, 500, 503, 509}) {
            const Failure failure = judged(name, status, "UpdateTable");
            EXPECT_EQ(failure.cause, throttled) << name << ' ' << status;
            const bool running = name == "TransactionInProgressException";  // and may yet be done
            EXPECT_EQ(failure.effect, running ? Effect::unknown : Effect::none)
                << name << ' ' << status;
            EXPECT_EQ(failure.code, name);
            EXPECT_EQ(failure.status, status);
        }
}

TEST(DynamoErrors, mean_what_their_row_says) {
    const struct {
        std::string_view code;
        int status;
        Cause cause;
        Effect effect = Effect::none;
        std::string_view rule = "";
    } cases[] = {
        {"ProvisionedThroughputExceededException", 400, throttled},
        {"ProvisionedThroughputExceeded", 400, throttled},
        {"ThrottlingError", 400, throttled},
        {"TransactionInProgressException", 400, throttled, Effect::unknown,
         "transaction-in-progress"},
        {"InternalServerError", 500, internal, Effect::unknown},
        {"InternalServerErrorException", 500, internal, Effect::unknown},
        {"InternalFailure", 500, internal, Effect::unknown},
        {"InternalError", 500, internal, Effect::unknown},
        {"RequestLimitExceeded", 400, throttled},
        {"ServiceUnavailable", 503, unavailable, Effect::unknown},
        {"ServiceUnavailableException", 503, unavailable, Effect::unknown},
        {"RequestTimeout", 400, timed_out},
        {"RequestTimeoutException", 408, timed_out},
        {"RequestTimeoutException", 504, timed_out, Effect::unknown},
        {"InvalidEndpointException", 421, invalid},
        {"InvalidSignatureException", 400, forbidden},
        {"SignatureDoesNotMatch", 403, forbidden},
        {"RequestExpired", 400, forbidden},
        {"AccessDeniedException", 400, forbidden},
        {"AccessDenied", 403, forbidden},
        {"ExpiredTokenException", 400, credentials},
        {"ExpiredToken", 403, credentials},
        {"UnrecognizedClientException", 400, forbidden},
        {"InvalidClientTokenId", 403, forbidden},
        {"MissingAuthenticationTokenException", 400, forbidden},
        {"MissingAuthenticationToken", 403, forbidden},
        {"IncompleteSignatureException", 400, forbidden},
        {"IncompleteSignature", 400, forbidden},
        {"SerializationException", 400, invalid},
        {"UnknownOperationException", 400, invalid},
        {"ValidationException", 400, invalid},
        {"ValidationError", 400, invalid},
        {"RequestEntityTooLargeException", 413, too_large},
        {"ConditionalCheckFailedException", 400, conflict},
        {"TransactionConflictException", 400, contended},
        {"ReplicatedWriteConflictException", 400, contended, Effect::none,
         "replicated-write-conflict"},
        {"ReplicatedWriteConflictException", 409, contended, Effect::none,
         "replicated-write-conflict"},
        {"ItemCollectionSizeLimitExceededException", 400, too_large},
        {"IdempotentParameterMismatchException", 400, invalid},
        {"DuplicateItemException", 400, conflict},
        {"ResourceNotFoundException", 400, not_found},
        {"ResourceInUseException", 400, conflict},
        {"TableAlreadyExistsException", 400, conflict},
        {"BackupNotFoundException", 400, not_found},
    };
    for (const auto& [code, status, cause, effect, rule] : cases) {
        const Failure failure = judged(code, status);
        EXPECT_EQ(failure.cause, cause) << code;
        EXPECT_EQ(failure.effect, effect) << code;
        EXPECT_EQ(failure.rule, rule) << code;
        EXPECT_EQ(failure.first_cause, cause) << code;
        EXPECT_EQ(failure.code, code);
        EXPECT_EQ(failure.remedies.has(Remedy::refresh_credentials), cause == credentials) << code;
    }
}

TEST(DynamoErrors, without_a_code_are_judged_by_their_status) {
    const struct {
        int status;
        bool repeated;
        Cause cause;
        Effect effect;
    } cases[] = {
        {400, false, invalid, Effect::none},       {403, false, forbidden, Effect::none},
        {404, false, not_found, Effect::none},     {413, false, too_large, Effect::none},
        {429, true, throttled, Effect::none},      {500, true, internal, Effect::unknown},
        {501, false, invalid, Effect::none},       {502, true, unavailable, Effect::unknown},
        {503, true, unavailable, Effect::unknown}, {504, true, timed_out, Effect::unknown},
        {505, false, invalid, Effect::none},       {509, true, throttled, Effect::none},
        {302, false, invalid, Effect::unknown},
    };
    for (const auto& [status, repeated, cause, effect] : cases)
        for (const std::string_view body : {"", "<html>", R"({"__type":"x#SomethingNew"})"}) {
            const ServiceError error = parse_error(body);
            const Failure failure = classify({.status = status, .error = &error});
            EXPECT_EQ(is_repeatable(failure.cause), repeated) << status << body;
            EXPECT_EQ(failure.cause, cause) << status << body;
            EXPECT_EQ(failure.effect, effect) << status << body;
            EXPECT_EQ(failure.code, error.code.empty() ? std::to_string(status) : "SomethingNew");
        }
}

TEST(DynamoErrors, behind_a_5xx_are_transient_whatever_their_code_and_leave_the_outcome_open) {
    for (const int status : {500, 502, 503, 504})
        for (const char* const code :
             {"ValidationException", "ConditionalCheckFailedException", "AccessDeniedException",
              "TransactionConflictException", "ResourceNotFoundException"}) {
            const Failure failure = judged(code, status);
            EXPECT_TRUE(is_repeatable(failure.cause)) << code << ' ' << status;
            EXPECT_EQ(failure.effect, Effect::unknown) << code << ' ' << status;
            EXPECT_EQ(failure.code, code);
        }
}

TEST(DynamoErrors, of_a_limit_are_repeated_for_tables_and_not_for_items) {
    for (const char* const operation :
         {"CreateTable", "UpdateTable", "ImportTable", "NewOperation"}) {
        const Failure failure = judged("LimitExceededException", 400, operation);
        EXPECT_EQ(failure.cause, throttled) << operation;
        EXPECT_EQ(failure.rule, "limit-exceeded") << operation;
    }
    for (const char* const operation : {"PutItem", "Query", "TransactWriteItems", "BatchWriteItem"})
        EXPECT_EQ(judged("LimitExceededException", 400, operation).cause, forbidden) << operation;
}

TEST(DynamoErrors, of_a_signature_are_the_clocks_only_with_evidence) {
    const SkewEvidence off{.used = 0s, .measured = 5min}, right{.used = 5min, .measured = 5min},
        just{.used = 0s, .measured = -4min};
    for (const char* const code : {"InvalidSignatureException", "SignatureDoesNotMatch",
                                   "AuthFailure", "RequestTimeTooSkewed", "AccessDeniedException",
                                   "RequestExpired", "RequestExpiredException"}) {
        const Failure skewed = judged(code, 400, "PutItem", off);
        EXPECT_EQ(skewed.cause, clock_skew) << code;
        EXPECT_EQ(skewed.effect, Effect::none) << code;
        EXPECT_TRUE(skewed.remedies.has(Remedy::adjust_clock)) << code;
        EXPECT_EQ(judged(code, 400, "PutItem", right).cause, forbidden) << code;
        EXPECT_EQ(judged(code, 400, "PutItem", just).cause, forbidden) << code;
        EXPECT_EQ(judged(code).cause, forbidden) << code;
    }
    EXPECT_EQ(judged("ValidationException", 400, "PutItem", off).cause, invalid);
    EXPECT_EQ(judged("ExpiredTokenException", 400, "PutItem", off).cause, credentials);
}

TEST(DynamoErrors, honour_the_delay_the_service_asks_for) {
    const struct {
        std::string_view text;
        std::optional<Duration> delay;
    } cases[] = {
        {"1500", 1500ms},
        {"0", 0ms},
        {"invalid", std::nullopt},
        {"-100", std::nullopt},
        {"1.5", std::nullopt},
        {"", std::nullopt},
        {"10s", std::nullopt},
        {"+5", std::nullopt},
        {"99999999999", 24h},
        {"99999999999999999999999", 24h},
        {"-99999999999999999999999", std::nullopt},
    };
    for (const auto& [text, delay] : cases) {
        const http::Headers headers = with("X-Amz-Retry-After", text);
        EXPECT_EQ(classify({.status = 500, .headers = &headers}).retry_after, delay) << text;
    }
    const http::Headers standard = with("Retry-After", "2");
    EXPECT_EQ(classify({.status = 503, .headers = &standard}).retry_after, 2s);
    http::Headers both = standard;
    both.add("x-amz-retry-after", "300");
    EXPECT_EQ(classify({.status = 503, .headers = &both}).retry_after, 300ms);
}

TEST(DynamoErrors, carry_request_id_message_and_reasons) {
    const http::Headers headers = with("x-amzn-RequestId", "ABCDEF123");
    const ServiceError error{.code = "ThrottlingException",
                             .message = "slow down",
                             .throttling = {{"TableReadAccountLimitExceeded", "arn:x"}, {"y", ""}}};
    const Failure failure = classify({.status = 400, .headers = &headers, .error = &error});
    EXPECT_EQ(failure.request_id, "ABCDEF123");
    EXPECT_EQ(failure.message, "slow down; throttled by TableReadAccountLimitExceeded (arn:x), y");
    EXPECT_EQ(classify({.status = 503}).message, "Service Unavailable");
}

TEST(DynamoErrors, of_a_checksum_were_applied_behind_a_success) {
    for (const auto& [status, effect] :
         {std::pair{200, Effect::applied}, {400, Effect::unknown}, {500, Effect::unknown}}) {
        const Failure failure = checksum_mismatch({.status = status});
        EXPECT_EQ(failure.cause, corrupt);
        EXPECT_EQ(failure.code, "crc32-mismatch");
        EXPECT_EQ(failure.effect, effect) << status;
        EXPECT_EQ(failure.status, status);
        EXPECT_TRUE(failure.remedies.has(Remedy::fresh_connection));
    }
}

TEST(DynamoErrors, that_only_the_client_can_find_are_not_believed_to_a_service) {
    for (const char* const code : {"crc32-mismatch", "unreadable-answer"})
        EXPECT_EQ(judged(code, 400).cause, invalid) << code;
}

TEST(DynamoTable, has_each_code_once_and_says_why_and_whence) {
    std::set<std::string_view> codes;
    for (const ErrorRow& row : error_rows()) {
        EXPECT_TRUE(codes.insert(row.code).second) << row.code;
        EXPECT_TRUE(row.why.ends_with(".")) << row.code;
        EXPECT_FALSE(row.source.empty()) << row.code;
        EXPECT_EQ(row_of(row.code), &row);
        for (const std::string_view text : {row.why, row.hint, row.differs})
            EXPECT_TRUE(text.empty() || text.ends_with(".")) << row.code;
    }
    for (const std::string_view name : throttling_names) EXPECT_TRUE(codes.contains(name)) << name;
    for (const std::string_view name : {"BackupInUseException",
                                        "ContinuousBackupsUnavailableException",
                                        "ExportConflictException",
                                        "ExportNotFoundException",
                                        "GlobalTableAlreadyExistsException",
                                        "GlobalTableNotFoundException",
                                        "ImportConflictException",
                                        "ImportNotFoundException",
                                        "IndexNotFoundException",
                                        "InvalidExportTimeException",
                                        "InvalidRestoreTimeException",
                                        "PointInTimeRecoveryUnavailableException",
                                        "PolicyNotFoundException",
                                        "ReplicaAlreadyExistsException",
                                        "ReplicaNotFoundException",
                                        "TableInUseException",
                                        "TableNotFoundException",
                                        "NotAuthorized",
                                        "OptInRequired",
                                        "IncompleteSignatureException"})
        EXPECT_TRUE(codes.contains(name)) << name;
    EXPECT_EQ(row_of(""), nullptr);
    EXPECT_EQ(row_of("Exception"), nullptr);
    EXPECT_EQ(row_of("SomethingNew"), nullptr);
}

TEST(DynamoTable, advises_to_stop_and_look_at_size_and_capacity_where_the_table_throttles) {
    for (const ErrorRow& row : error_rows()) {
        if (row.cause != throttled || !row.rule.empty()) continue;
        EXPECT_NE(row.hint.find("stop after about a minute"), row.hint.npos) << row.code;
        EXPECT_NE(row.hint.find("capacity"), row.hint.npos) << row.code;
    }
}

// The exceptions of the API's model (service-2.json of 2026). A row that cites it has to be among them.
TEST(DynamoTable, cites_the_api_only_for_what_the_api_has) {
    const std::set<std::string_view> model{"BackupInUseException",
                                           "BackupNotFoundException",
                                           "ConditionalCheckFailedException",
                                           "ContinuousBackupsUnavailableException",
                                           "DuplicateItemException",
                                           "ExportConflictException",
                                           "ExportNotFoundException",
                                           "GlobalTableAlreadyExistsException",
                                           "GlobalTableNotFoundException",
                                           "IdempotentParameterMismatchException",
                                           "ImportConflictException",
                                           "ImportNotFoundException",
                                           "IndexNotFoundException",
                                           "InternalServerError",
                                           "InvalidExportTimeException",
                                           "InvalidRestoreTimeException",
                                           "ItemCollectionSizeLimitExceededException",
                                           "LimitExceededException",
                                           "PointInTimeRecoveryUnavailableException",
                                           "PolicyNotFoundException",
                                           "ProvisionedThroughputExceededException",
                                           "ReplicaAlreadyExistsException",
                                           "ReplicaNotFoundException",
                                           "ReplicatedWriteConflictException",
                                           "RequestLimitExceeded",
                                           "ResourceInUseException",
                                           "ResourceNotFoundException",
                                           "TableAlreadyExistsException",
                                           "TableInUseException",
                                           "TableNotFoundException",
                                           "ThrottlingException",
                                           "TransactionCanceledException",
                                           "TransactionConflictException",
                                           "TransactionInProgressException"};
    const std::set<std::string_view> of_statements{"ThrottlingError", "ValidationError"};
    for (const ErrorRow& row : error_rows()) {
        if (row.source == "DynamoDB API 2012-08-10") {
            EXPECT_TRUE(model.contains(row.code)) << row.code;
        }
        EXPECT_EQ(row.source.ends_with("BatchStatementErrorCodeEnum"),
                  of_statements.contains(row.code))
            << row.code;
    }
    for (const std::string_view code : model) EXPECT_NE(row_of(code), nullptr) << code;
}

// What the guide says about these two is read in the guide: RequestLimitExceeded is among the errors to
// repeat, and after a 500 the state of the item is read before a write is repeated.
TEST(DynamoTable, says_of_the_guide_what_the_guide_says) {
    EXPECT_TRUE(row_of("RequestLimitExceeded")->differs.empty());
    const std::string_view differs = row_of("InternalServerError")->differs;
    EXPECT_NE(differs.find("developer guide says to read the item"), differs.npos) << differs;
}

TEST(DynamoTable, notes_where_the_older_guide_and_the_sdks_see_it_otherwise) {
    for (const char* const code :
         {"UnrecognizedClientException", "ItemCollectionSizeLimitExceededException",
          "TransactionConflictException", "TransactionCanceledException", "ResourceInUseException",
          "LimitExceededException", "RequestExpired", "TransactionInProgressException"}) {
        ASSERT_NE(row_of(code), nullptr) << code;
        EXPECT_FALSE(row_of(code)->differs.empty()) << code;
    }
}

}  // namespace
}  // namespace perdure::dynamodb
