// SPDX-License-Identifier: Apache-2.0
//
// What DynamoDB says about load and about itself. An answer of class 4xx says that nothing was done; one
// of class 5xx leaves it open. Authentication and answers about items and tables have files of their own.
#include "error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {
namespace error_table {

using enum Cause;

constexpr std::string_view slow_down =
    "When it goes on, stop after about a minute and look at the size of the requests and at the "
    "table's capacity: more attempts do not make room.";
constexpr std::string_view shared_list =
    "DynamoDB does not send it today; it is one of the 14 names all AWS SDKs take for throttling.";
constexpr std::string_view sdk_list = "AWS SDKs, standard mode of 2026";

constexpr ErrorRow also_throttled(std::string_view code, int status = 400) {
    return {.code = code,
            .status = status,
            .cause = throttled,
            .why = shared_list,
            .hint = slow_down,
            .source = sdk_list};
}

constexpr auto throttling = std::to_array<ErrorRow>({
    {.code = "ProvisionedThroughputExceededException",
     .cause = throttled,
     .why = "A table, an index or one partition is asked for more than it has. Of a batch: nothing "
            "at all went through.",
     .hint = slow_down,
     .source = developer_guide},
    {.code = "ThrottlingException",
     .cause = throttled,
     .why =
         "An on-demand table grows more slowly than its traffic, or tables are being changed too "
         "fast.",
     .hint = slow_down,
     .source = developer_guide},
    {.code = "ThrottlingError",
     .cause = throttled,
     .why = "ThrottlingException as the code of one action or statement.",
     .hint = slow_down,
     .source = statement_codes},
    {.code = "RequestLimitExceeded",
     .cause = throttled,
     .why = "The account as a whole is asked for more than its quota in this region.",
     .hint = slow_down,
     .source = api_model},
    {.code = "LimitExceededException",
     .cause = throttled,
     .rule = "limit-exceeded",
     .why = "Too many tables, indexes or imports are changing at once; that passes. The same code "
            "stands for a hard quota of the account, which does not, so it is repeated only a few "
            "times, and only for operations on tables. Elsewhere it is forbidden.",
     .hint = "If it stays, the account is at its number of tables: ask for a higher quota.",
     .differs = "The SDKs of 2026 repeat it like any throttling, whatever the operation; the Java "
                "SDK did not repeat it before.",
     .source = sdk_list},
    {.code = "TransactionInProgressException",
     .cause = throttled,
     .effect = Effect::unknown,
     .rule = "transaction-in-progress",
     .why =
         "The transaction with this token is still running, and may yet be done. It is not load: "
         "only an attempt later than 5 s after the first makes the service take care of a stuck "
         "one, so attempts go on until there was one.",
     .differs =
         "The SDKs of 2026 repeat it like any throttling: their three waits reach those 5 s in "
         "about 15 % of the calls. The developer guide of 2022 does not know it.",
     .source = api_model},
    also_throttled("Throttling"),
    also_throttled("ThrottledException"),
    also_throttled("RequestThrottled"),
    also_throttled("RequestThrottledException"),
    also_throttled("TooManyRequestsException", 429),
    also_throttled("SlowDown", 503),
    also_throttled("BandwidthLimitExceeded", 509),
    also_throttled("PriorRequestNotComplete"),
    also_throttled("EC2ThrottledException", 503),
});

constexpr auto server = std::to_array<ErrorRow>({
    {.code = "InternalServerError",
     .status = 500,
     .cause = internal,
     .why = "The service broke. A write may have been applied before it did.",
     .differs = "The SDKs repeat writes too, without asking whether the first one was applied; the "
                "developer guide says to read the item before that, or to write under a condition.",
     .source = developer_guide},
    {.code = "InternalFailure",
     .status = 500,
     .cause = internal,
     .why = "InternalServerError in the words of a gateway.",
     .source = common_errors},
    {.code = "InternalError",
     .status = 500,
     .cause = internal,
     .why = "InternalServerError in the words of a gateway.",
     .source = "aws-sdk-cpp, CoreErrors"},
    {.code = "ServiceUnavailable",
     .status = 503,
     .cause = unavailable,
     .why = "Nobody there to serve it, or a proxy could not reach anybody. Whether a write had "
            "already "
            "been passed on is not said.",
     .source = developer_guide},
    {.code = "RequestTimeout",
     .status = 408,
     .cause = timed_out,
     .effect = Effect::none,
     .remedies = Remedy::fresh_connection,
     .why = "The service did not get the whole request, so it did nothing.",
     .source = sdk_list},
    {.code = "ReplicatedWriteConflictException",
     .cause = contended,
     .rule = "replicated-write-conflict",
     .why = "The item is just being written in another region of a global table with strong "
            "consistency. Nothing was written here.",
     .differs =
         "The SDKs take it for a transient error with its price; the developer guide of 2022 "
         "does not know it.",
     .source = api_model},
    {.code = "InvalidEndpointException",
     .status = 421,
     .cause = invalid,
     .why = "The host does not serve this account. Comes only with endpoint discovery, which this "
            "client does not use.",
     .source = "DynamoDB Smithy model"},
    {.code = "crc32-mismatch",
     .status = 0,
     .cause = corrupt,
     .remedies = Remedy::fresh_connection,
     .why =
         "The bytes of the answer are not the ones the service sent. An answer with 2xx says that "
         "the operation was applied; of any other nothing is known.",
     .hint = "If it stays, something on the way changes answers: a proxy, a bad memory.",
     .differs =
         "The C++ SDK does not look. Python's standard mode gives the damaged answer out as a "
         "success once its attempts are used up.",
     .source = "perdure"},
    {.code = "unreadable-answer",
     .status = 0,
     .cause = corrupt,
     .effect = Effect::applied,
     .remedies = Remedy::fresh_connection,
     .why = "An answer with 2xx is not the JSON that was to come. It says that the operation was "
            "applied.",
     .source = "perdure"},
});

}  // namespace error_table
}  // namespace

std::span<const ErrorRow> throttling_rows() noexcept { return error_table::throttling; }
std::span<const ErrorRow> server_rows() noexcept { return error_table::server; }

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
