// SPDX-License-Identifier: Apache-2.0
//
// What does an error of DynamoDB mean for the call? One table, row by row, with what AWS's own SDKs and
// its older documentation make of it where that differs.
//
//     const ServiceError said = parse_error(response.body);
//     return fail(classify({.status = response.status, .headers = &response.headers, .error = &said,
//                           .operation = "PutItem", .now = clock.wall()}));
//
// The code decides first, then the status; what has no row here is judged by http's table.
// `perdure explain dynamodb` prints the table, and docs/reference/dynamodb-errors.md is printed from it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "perdure/dynamodb/service_error.hpp"
#include "perdure/failure.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct ErrorRow {
    std::string_view code{};
    int status = 400;  // what it comes with; 0: no answer of its own
    Cause cause = Cause::invalid;
    Effect effect = default_effect(cause);
    RemedySet remedies = default_remedies(cause);
    std::string_view rule{};  // the plan's rule; empty: the one named after the cause
    std::string_view why{};
    std::string_view hint{};     // what a person can do about it
    std::string_view differs{};  // where the SDKs or AWS's older documentation see it otherwise
    std::string_view source{};
};

// Every code that has a row, by subject. All of the table is constant; any thread.
std::span<const ErrorRow> error_rows() noexcept;
// With or without "Exception" at its end, as cancellation and statement codes have it. Null: no row.
const ErrorRow* row_of(std::string_view code) noexcept;

// Tables and their neighbours are changed by the control plane, items by the data plane.
enum class Plane : std::uint8_t { data, control };
Plane plane_of(std::string_view operation) noexcept;

// By how much the clock was set right for this attempt, and what its answer says it should have been.
struct SkewEvidence {
    Duration used{};
    Duration measured{};
};

struct Answered {
    int status = 0;
    const http::Headers* headers = nullptr;
    const ServiceError* error = nullptr;
    std::string_view operation{};
    std::optional<SkewEvidence> skew{};
    WallTime now{};
};

// The failure an answer means. A status below 400 is `invalid`: it was no answer to what was asked.
Failure classify(const Answered& answered);

// The failure of an answer whose checksum is wrong. One that said 2xx has been applied.
Failure checksum_mismatch(const Answered& answered);

// What a cancelled transaction means: `throttled` or `contended` if every reason against it passes by
// itself, else the reason that does not. One final reason makes it final, whatever stands beside it.
Cause judge_cancellation(std::span<const CancellationReason> reasons) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
