// SPDX-License-Identifier: Apache-2.0
//
// What does an answer of Cosmos DB mean for the call, for a read and for a write? One table, row by row,
// with what Microsoft's SDKs and its documentation make of it where that differs.
//
//     return fail(classify({.status = response.status, .headers = &response.headers,
//                           .body = response.body, .now = clock.wall(),
//                           .asked = {.does = Does::read, .regions = 3, .after = attempt.remedies}}));
//
// The pair of status and substatus decides. What has no row is judged by http's table, and leaves a write
// unknown.
// `perdure explain cosmos` prints the table, and docs/reference/cosmos-status.md is printed from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/service_error.hpp"
#include "perdure/cosmos/wire/status_code.hpp"
#include "perdure/failure.hpp"
#include "perdure/http/headers.hpp"
#include "perdure/http/service_clock.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

enum class Does : std::uint8_t { read, write };
enum class Again : std::uint8_t { no, yes };

// What follows for one kind of call. The rule is the plan's; empty: the one named after the cause.
struct Reaction {
    Again again = Again::no;
    std::string_view rule{};
    RemedySet remedies{};
    friend constexpr bool operator==(const Reaction&, const Reaction&) noexcept = default;
};

struct StatusRow {
    StatusCode code{};
    StatusCode last = code;   // the row serves all from `code` to here
    std::string_view word{};  // set: found by this side, never said as a substatus
    std::string_view name{};
    Cause cause = Cause::invalid;
    // The source which says that the service refuses such a write before it writes. Empty: no source.
    std::string_view refusal{};
    Reaction read{};
    Reaction write{};            // of an account with one write region
    Reaction multi_read = read;  // of an account where several regions take writes
    Reaction multi_write = write;
    bool final_in_race = false;  // as good an answer as a success for a hedged read
    std::string_view why{};
    std::string_view hint{};     // what a person can do about it
    std::string_view differs{};  // where the SDKs or Microsoft's documentation see it otherwise
    std::string_view source{};
};

// Every row, by subject. All of the table is constant; any thread.
std::span<const StatusRow> status_rows() noexcept;
// The row that says most about this pair. Null: no row.
const StatusRow* row_of(StatusCode code) noexcept;
const StatusRow* row_of(std::string_view word) noexcept;
// The effect of a write that Cosmos DB answered with `code`, which `row` serves. `none` is a white list: the row
// has to name a source for its refusal, and under 410 and 503 the substatus has to be in the list of
// effect_on_write.cpp too. Everything else is `unknown`.
Effect effect_on_write(const StatusRow& row, StatusCode code) noexcept;
// What a row is called: "403/3", "403/5300-5306", "403" for every other substatus ("404/*"
// if that without one has a row of its own), or its word.
std::string label_of(const StatusRow& row);

// What the client knows about the call at the moment of the answer. A plain value.
struct Asked {
    Does does = Does::write;
    int regions = 1;              // that may serve the call: in the account, not excluded
    int regions_left = 1;         // of these, that the call has not been to yet
    bool multi_write = false;     // the account has several write regions and the client uses them
    bool renewable_keys = false;  // a token that can be fetched anew, no master key
    RemedySet after{};            // what was mended before this attempt: Attempt::remedies
};

struct Answered {
    int status = 0;  // of a failed batch that of its culprit (batch_reply.hpp)
    const http::Headers* headers = nullptr;
    const ServiceError* error = nullptr;  // null: read from the body
    std::string_view body{};
    WallTime now{};  // by the clock that the request was dated with
    Asked asked{};
    int substatus = -1;  // -1: what the header says; of a batch the culprit's
    Duration skew{};     // by which `now` is ahead of this machine's clock
    http::Dates dates = http::Dates::trusted;
};

// The failure an answer means. Its code is "403/3", its request id the activity id, its message begins
// with the row's name. A clock that may not be followed (http/service_clock.hpp) is named in the message, and
// is no clock_skew. A failure that is not repeated although its cause would be has `retry_after` never.
Failure classify(const Answered& answered);

// The failure of an attempt without an answer, as http judged it, with the rule and the remedies it has
// here: first the same region on a fresh connection, after that, and at once after a timeout, the next.
Failure without_answer(Failure failure, const Asked& asked);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
