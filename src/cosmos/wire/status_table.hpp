// SPDX-License-Identifier: Apache-2.0
//
// Which rows does the table of statuses consist of, and which reactions do they share? Four parts, one
// file each.
#pragma once

#include <array>
#include <span>

#include "perdure/cosmos/wire/classify.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Constant; any thread.
std::span<const StatusRow> load_rows() noexcept;     // throttling and contention
std::span<const StatusRow> place_rows() noexcept;    // the wrong region, partition or container
std::span<const StatusRow> server_rows() noexcept;   // the service, and what its gateway met
std::span<const StatusRow> request_rows() noexcept;  // who asks and what

inline constexpr std::string_view net = "Cosmos DB .NET SDK v3, Gateway mode";
inline constexpr std::string_view direct = "Cosmos DB .NET SDK v3, Direct mode";
inline constexpr std::string_view article = "Microsoft, Designing resilient applications";
inline constexpr std::string_view status_page = "Microsoft, HTTP status codes for Azure Cosmos DB";
inline constexpr std::string_view java = "Cosmos DB Java SDK v4";
inline constexpr std::string_view rust = "Cosmos DB Rust driver, error codes and retries";
inline constexpr std::string_view numbers = "Cosmos DB .NET SDK v3, StatusCodes";

inline constexpr RemedySet leave_region =
    Remedy::mark_endpoint | Remedy::refresh_routing_account | Remedy::next_endpoint;

// In the next region; where there is one only, here on a fresh connection. Three rules, because SDKs
// repeat 503, some of them what a broken region says (500, 410/1022), and none of them the rest.
inline constexpr Reaction elsewhere{Again::yes, "elsewhere", Remedy::next_endpoint};
inline constexpr Reaction elsewhere_broken{Again::yes, "elsewhere-broken", Remedy::next_endpoint};
inline constexpr Reaction elsewhere_other{Again::yes, "elsewhere-other", Remedy::next_endpoint};
inline constexpr Reaction in_region{Again::yes, "in-region", {}};

constexpr Reaction again(std::string_view rule, RemedySet remedies = {}) {
    return {Again::yes, rule, remedies};
}

// The row of a status for every substatus that has none of its own.
constexpr StatusCode any_of(StatusCode code) { return {code.status(), largest_substatus}; }

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
