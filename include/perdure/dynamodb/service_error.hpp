// SPDX-License-Identifier: Apache-2.0
//
// What did the service say when it said no? The body of an answer that is not 200, as values.
//
//     const ServiceError said = parse_error(response.body);
//     said.code                       "TransactionCanceledException"; empty: it was not DynamoDB speaking
//     said.cancellation[2].code       "ConditionalCheckFailed": the third action
//     said.throttling[0].reason       "TableWriteKeyRangeThroughputExceeded": a hot key
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/dynamodb/item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Why one action of a transaction stood in its way. "None": it did not.
struct CancellationReason {
    std::string code{};
    std::string message{};
    std::optional<Item> item{};  // what was there, where the action asked for it
};

struct ThrottlingReason {
    std::string reason{};    // Table|Index + Read|Write + which limit
    std::string resource{};  // the table's or index's ARN
};

// A plain value.
struct ServiceError {
    std::string code{};  // without its namespace
    std::string message{};
    std::vector<CancellationReason> cancellation{};  // one for each action, in their order
    std::vector<ThrottlingReason> throttling{};
    std::optional<Item> item{};  // of a failed condition that asked for the old item
};

inline constexpr std::size_t longest_error_message = 1024;
inline constexpr std::size_t most_error_reasons = 100;  // as many as a transaction has actions

// Never fails: what is no JSON object (an empty body, a proxy's page) has no code and no message.
// Texts are made printable, cut at their limits, and end where the service begins to repeat the
// signature or the token it was sent. Any thread.
ServiceError parse_error(std::string_view body);

// The same for a reader of logs: the message, then throttling and cancellation reasons, cut short.
std::string describe(const ServiceError& error);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
