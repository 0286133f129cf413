// SPDX-License-Identifier: Apache-2.0
//
// How did each operation of a transactional batch end? The answer's list, and whose fault it was.
//
//     const auto results = parse_batch_reply(response.body);
//     if (const BatchResult* const who = culprit(*results)) …     // who made the batch fail
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
struct BatchResult {
    int status = 0;  // 424: it would have worked, but another one failed
    int substatus = 0;
    double charge = 0;  // in request units
    std::string etag{};
    std::string body{};  // JSON as it came; empty: none
    std::string message{};
    std::optional<Duration> retry_after{};

    friend bool operator==(const BatchResult&, const BatchResult&) = default;
};

// In the order of the operations; at most 100. The failure is `corrupt`, "unreadable-answer": also for
// an entry without a status.
Result<std::vector<BatchResult>> parse_batch_reply(std::string_view json);

// The first that failed by itself; its status is the batch's. Null: none did.
const BatchResult* culprit(std::span<const BatchResult> results) noexcept;

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
