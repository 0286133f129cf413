// SPDX-License-Identifier: Apache-2.0
//
// What DynamoDB says about who asks and how: signature, keys, clock, form of the request. Nothing was
// done in any of these cases.
#include "error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {
namespace request_table {

using enum Cause;

constexpr std::string_view skew_rule = "AWS SDKs, clock skew rule of 2026";
constexpr std::string_view set_clock =
    "Set the machine's clock; check that the secret belongs to the key id.";

constexpr auto rows = std::to_array<ErrorRow>({
    {.code = "InvalidSignatureException",
     .cause = forbidden,
     .why =
         "The signature does not fit. If the answer's Date shows that the request was signed more "
         "than 4 minutes off, it is clock_skew and signed anew; else the secret is wrong.",
     .hint = set_clock,
     .differs = "The Python SDK does not correct the clock; the C++ SDK does for any error.",
     .source = skew_rule},
    {.code = "SignatureDoesNotMatch",
     .status = 403,
     .cause = forbidden,
     .why = "InvalidSignatureException in the words of other services.",
     .hint = set_clock,
     .source = skew_rule},
    {.code = "AuthFailure",
     .status = 403,
     .cause = forbidden,
     .why = "The keys could not be checked. With a measured skew it is clock_skew.",
     .hint = set_clock,
     .source = skew_rule},
    {.code = "RequestTimeTooSkewed",
     .status = 403,
     .cause = forbidden,
     .why = "The request was signed at another time than the service's. With a measured skew it is "
            "clock_skew and signed anew.",
     .hint = set_clock,
     .source = skew_rule},
    {.code = "RequestExpired",
     .cause = forbidden,
     .why =
         "The signature is too old. With a measured skew it is clock_skew and signed anew; without "
         "one the request had been on its way for too long.",
     .hint = set_clock,
     .differs =
         "Older SDKs (C++, Java) always repeat it; the rule of 2026 took it out of its list.",
     .source = "AWS SDKs before 2026"},
    {.code = "AccessDeniedException",
     .cause = forbidden,
     .why = "The keys are good and may not do this. With a measured skew it is clock_skew.",
     .hint = "Look at the IAM policy of the caller and of the table.",
     .differs = "The developer guide of 2022 words it as a wrong signature.",
     .source = developer_guide},
    {.code = "ExpiredTokenException",
     .cause = credentials,
     .why =
         "The session token has expired. The keys are fetched anew, and the call is repeated once.",
     .differs = "No SDK repeats it; they rely on fetching keys ahead of time.",
     .source = common_errors},
    {.code = "UnrecognizedClientException",
     .cause = forbidden,
     .why = "The key id or the session token is unknown.",
     .hint = "Check the keys and the region. Keys that were made a moment ago need some seconds.",
     .differs = "The developer guide of 2022 says to repeat it; all SDKs call it final.",
     .source = "AWS SDKs"},
    {.code = "InvalidClientTokenId",
     .status = 403,
     .cause = forbidden,
     .why = "The key id is unknown.",
     .source = common_errors},
    {.code = "NotAuthorized",
     .status = 401,
     .cause = forbidden,
     .why = "The keys may not do this.",
     .source = common_errors},
    {.code = "OptInRequired",
     .status = 403,
     .cause = forbidden,
     .why = "The account has no subscription for the service, or not in this region.",
     .source = common_errors},
    {.code = "MissingAuthenticationTokenException",
     .cause = forbidden,
     .why = "The request carries no signature.",
     .source = developer_guide},
    {.code = "IncompleteSignatureException",
     .cause = forbidden,
     .why = "The Authorization header is malformed.",
     .source = developer_guide},
    {.code = "SerializationException",
     .cause = invalid,
     .why = "The body is not the JSON the operation takes. May come without a message.",
     .source = "aws-sdk-js#44, an answer of the service"},
    {.code = "UnknownOperationException",
     .cause = invalid,
     .why = "No such operation, at least not at this endpoint.",
     .source = common_errors},
    {.code = "ValidationException",
     .cause = invalid,
     .why =
         "The request is wrong: an expression, a type, a batch over its limits, an item too large, "
         "duplicate keys.",
     .source = developer_guide},
    {.code = "ValidationError",
     .cause = invalid,
     .why = "ValidationException as the code of one action or statement.",
     .source = statement_codes},
    {.code = "RequestEntityTooLarge",
     .status = 413,
     .cause = too_large,
     .why = "The body is larger than 16 MB.",
     .source = common_errors},
});

}  // namespace request_table
}  // namespace

std::span<const ErrorRow> request_rows() noexcept { return request_table::rows; }

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
