// SPDX-License-Identifier: Apache-2.0
//
// What should an account that works answer all the same? A rule for the fake gateway.
//
//     gateway.plan({{.kind = RequestKind::write, .to = 3, .status = 449},
//                   {.region = "East US", .resource = "docs", .strikes = Strikes::after_applying,
//                    .ending = FaultEnding::reset},
//                   {.region = "East US", .range = "3", .status = 503}});
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// Queries and query plans are reads, whatever their method.
enum class RequestKind : std::uint8_t { any, read, write };
// Whether the request has done its work when the fault strikes.
enum class Strikes : std::uint8_t { before_applying, after_applying };
// half_answer: the head and half of the body, then a reset. silence: nothing, and the connection
// stays open.
enum class FaultEnding : std::uint8_t { answer, reset, half_answer, silence };
enum class ErrorBody : std::uint8_t { json, html, empty };

// A plain value. Rules are asked in their order until one strikes. What fits the words of a rule is
// counted; `from`, `to` and `every` choose among what was counted.
struct GatewayFault {
    std::string name{};    // for records
    std::string region{};  // words; empty fits everything. "global": by the global endpoint
    std::string method{};
    std::string path{};      // "/dbs/*/docs/7": a star is any text
    std::string resource{};  // "docs", "colls", "dbs", "pkranges", "account"
    // Id of a partition key range: only requests for items that go to this range, or to several of
    // which it is one. `path` chooses the container.
    std::string range{};
    RequestKind kind = RequestKind::any;
    std::uint64_t from = 1;
    std::uint64_t to = std::numeric_limits<std::uint64_t>::max();  // both included
    std::uint64_t every = 1;  // only each so many of those, the first included
    Strikes strikes = Strikes::before_applying;
    FaultEnding ending = FaultEnding::answer;
    Duration delay{};  // before applying: the request waits; afterwards: its answer
    int status = 0;    // 0: what would be answered anyway
    int substatus = 0;
    std::optional<Duration> retry_after{};  // x-ms-retry-after-ms
    std::vector<std::pair<std::string, std::string>> headers{};
    ErrorBody body = ErrorBody::json;
    std::string text{};  // the body, if it is to be another
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
