// SPDX-License-Identifier: Apache-2.0
//
// How is throughput asked for on the wire?
#pragma once

#include <optional>
#include <string>

#include "item_body.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline Result<void> add_throughput(Envelope& envelope, std::optional<int> fixed,
                                   std::optional<int> most) {
    if (fixed.value_or(1) < 1 || most.value_or(1) < 1)
        return fail(invalid_request("throughput is a number of request units a second"));
    if (fixed) add_number(envelope, "x-ms-offer-throughput", *fixed);
    if (most)
        envelope.add_field("x-ms-cosmos-offer-autopilot-settings",
                           R"({"maxThroughput":)" + std::to_string(*most) + "}");
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
