// SPDX-License-Identifier: Apache-2.0
//
// How does a single request become one action of a transaction? What it can say is nearly the same; what
// it asks back is not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/result.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

inline constexpr std::size_t most_actions = 100;  // of a transaction

// {"Put":{…}}. A failure names the action by its number, from 0, as cancellation reasons are counted.
template <class R>
Result<void> append_action(JsonWriter& json, std::string_view kind, const R& request,
                           std::size_t number) {
    std::string entry;
    if (auto done = request.append_entry(entry); !done) {
        Failure failure = std::move(done).error();
        failure.message = "action " + std::to_string(number) + ": " + failure.message;
        return fail(std::move(failure));
    }
    json.begin_object();
    json.key(kind);
    json.raw(entry);
    json.end_object();
    return {};
}

Result<void> check_actions(std::size_t count);
// The units of all tables: [{"TableName":…, "CapacityUnits":…}, …]
Result<double> read_capacities(JsonNode& node);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
