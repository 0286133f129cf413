// SPDX-License-Identifier: Apache-2.0
//
// Which account is loaded, and with which key? What the URL says, and what the environment keeps:
// COSMOS_KEY, or COSMOS_CONNECTION_STRING with the account's address in it.
#pragma once

#include <map>
#include <string>

#include "load/target/cosmos_url.hpp"

namespace tool::load {

// One of the two is set: endpoint and key, or the connection string.
struct CosmosAccess {
    std::string endpoint{};
    std::string key{};
    std::string connection_string{};
};

using Variables = std::map<std::string, std::string>;
[[nodiscard]] Variables variables_of_process();

// Failure: invalid, with what to set; shows no key. A connection string is only used for the account
// it is of.
[[nodiscard]] perdure::Result<CosmosAccess> find_cosmos_access(const CosmosUrl& url,
                                                               const Variables& variables);

}  // namespace tool::load
