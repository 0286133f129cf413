// SPDX-License-Identifier: Apache-2.0
//
// Where does an account live, and what has it switched on? The answer to GET /.
//
//     const auto account = parse_account(response.body);
//     account->writable[0].endpoint.host      "acct-eastus.documents.azure.com"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/consistency.hpp"
#include "perdure/http/url.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Location {
    std::string name{};  // "East US"
    http::Url endpoint{};

    friend bool operator==(const Location&, const Location&) = default;
};

// A plain value. What the document does not say is no information, which is not the same as no.
struct AccountDocument {
    std::string id{};
    std::vector<Location> writable{};  // the first one is where the account writes
    std::vector<Location> readable{};
    std::optional<bool> multi_write{};
    std::optional<bool> hedging_disabled{};
    std::optional<bool> per_partition_failover{};
    std::optional<Consistency> consistency{};

    friend bool operator==(const AccountDocument&, const AccountDocument&) = default;
};

inline constexpr std::size_t most_locations = 64;  // of either kind

// The failure is `corrupt`, "unreadable-answer": no JSON object, no location at all, a location without
// a name or with an endpoint that is no URL, more than 64 of them.
Result<AccountDocument> parse_account(std::string_view json);

// "East US" and "eastus" are one region: spaces and case do not count.
bool same_region(std::string_view a, std::string_view b) noexcept;
// "eastus": what stands in a host name.
std::string region_key(std::string_view name);
// https://acct.documents.azure.com:443/ and "East US" make https://acct-eastus.documents.azure.com:443/;
// for when the account cannot be asked. Nothing for addresses that have no first label to extend.
std::optional<http::Url> regional_endpoint(const http::Url& global, std::string_view region);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
