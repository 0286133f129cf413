// SPDX-License-Identifier: Apache-2.0
//
// Which container of Cosmos DB is meant, and where is it?
//
//     cosmos://acct.documents.azure.com/shop/orders
//     cosmos+http://127.0.0.1:8081/shop/orders?partition=/customer      without TLS: on this machine only
//     cosmos:///shop/orders                                             the account of the connection string
//
// No keys: they are in the environment (cosmos_access.hpp).
#pragma once

#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace tool::load {

struct CosmosUrl {
    std::string endpoint{};  // "https://acct.documents.azure.com/"; empty: the connection string's
    std::string database{};
    std::string container{};  // may be empty: --table says it
    std::string partition{};  // of a container that is made: "/customer"; empty: "/id"
    std::string
        discovery{};  // "endpoint": everything goes to this address; empty: as the account says
};

// A host that needs no TLS: localhost, or an address of the loopback; brackets around IPv6 are allowed.
[[nodiscard]] bool is_this_machine(std::string_view host);

[[nodiscard]] bool is_cosmos_url(std::string_view url) noexcept;

// Failure: invalid, with what to write instead.
[[nodiscard]] perdure::Result<CosmosUrl> parse_cosmos_url(std::string_view url);

}  // namespace tool::load
