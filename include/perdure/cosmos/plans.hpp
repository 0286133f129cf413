// SPDX-License-Identifier: Apache-2.0
//
// How does a Cosmos DB client repeat? By Perdure's own rules, or as one of Microsoft's SDKs does it.
//
//     Plan orders = plan_for(Retries::perdure, "orders");
//
// The classifier names rules, the plan has them: throttled, contended, write-forbidden, region-gone,
// session, session-elsewhere, gone, recreated, elsewhere, elsewhere-broken, elsewhere-other.
// docs/reference/cosmos-plans.md has them as a table, with what a plan cannot say of the SDKs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/call/plan.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

enum class Retries : std::uint8_t {
    perdure,    // bounded by seconds and a budget; writes only when surely not processed
    dotnet,     // the .NET SDK v3 in Gateway mode; to compare with
    java,       // the Java SDK v4
    js,         // @azure/cosmos 4.9
    fail_fast,  // one attempt
};

std::string_view to_string(Retries retries) noexcept;

// Pure; any thread. What an answer means (wire/classify.hpp) is the same in all of them, and so is what
// is safe to repeat: only how often and how long differs.
Plan plan_for(Retries retries = Retries::perdure, std::string name = "cosmos");

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
