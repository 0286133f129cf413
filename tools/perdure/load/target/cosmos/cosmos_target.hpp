// SPDX-License-Identifier: Apache-2.0
//
// How is a container of Cosmos DB loaded? Record by record, each created under an id and with a token of
// its own, and with the ledger in a container `perdure_load` beside it.
#pragma once

#include <memory>

#include "load/target/cosmos/cosmos_access.hpp"
#include "load/target/cosmos_url.hpp"
#include "load/target/target.hpp"
#include "perdure/call/observer.hpp"
#include "perdure/duration.hpp"

namespace tool::load {

struct CosmosTargetOptions {
    CosmosUrl url{};
    CosmosAccess access{};
    std::string key{};  // the column of --key
    int workers = 0;    // batches at once; 0: as suits the target
    perdure::Duration patience = perdure::Duration{std::chrono::seconds{60}};  // of one request
    perdure::Observer* observer = nullptr;
};

// Connects to nothing yet.
[[nodiscard]] Result<std::unique_ptr<Target>>
open_cosmos_target(const CosmosTargetOptions& options);

}  // namespace tool::load
