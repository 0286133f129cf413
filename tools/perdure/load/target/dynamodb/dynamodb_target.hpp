// SPDX-License-Identifier: Apache-2.0
//
// How is a table of DynamoDB loaded? In transactions of up to 98 records, each with the range it deals
// with in the ledger's table perdure_load, and with a token, so that none is done twice.
#pragma once

#include <memory>

#include "load/target/dynamodb_url.hpp"
#include "load/target/target.hpp"
#include "perdure/call/observer.hpp"
#include "perdure/duration.hpp"
#include "perdure/dynamodb/credentials.hpp"

namespace tool::load {

struct DynamoTargetOptions {
    DynamoUrl url{};
    int workers = 0;  // transactions at once; 0: as suits the target
    perdure::Duration patience = perdure::Duration{std::chrono::seconds{60}};  // of one transaction
    perdure::Observer* observer = nullptr;
    std::shared_ptr<perdure::dynamodb::Credentials>
        credentials{};  // null: as AWS's tools find them
};

// A transaction has 100 actions, of which two are the ledger's.
inline constexpr std::size_t most_records_of_dynamodb = 98;

// Connects to nothing yet.
[[nodiscard]] Result<std::unique_ptr<Target>>
open_dynamodb_target(const DynamoTargetOptions& options);

}  // namespace tool::load
