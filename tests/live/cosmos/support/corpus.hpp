// SPDX-License-Identifier: Apache-2.0
//
// Items of every JSON type with their edges, and with ids and partition keys that are hard to write
// into a path or a header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/partition_key.hpp"

namespace perdure::live {

struct CosmosSpecimen {
    std::string id{};
    cosmos::PartitionKey key{};
    std::string json{};  // with both in it, as "id" and "pk"
};

std::vector<CosmosSpecimen> cosmos_corpus();
// [{"key":…,"item":{…}},…], for scripts.
std::string json_of(const std::vector<CosmosSpecimen>& specimens);

// Equal for items that mean the same: names in order, numbers as doubles, without what the service adds.
std::string meaning_of(std::string_view json);

}  // namespace perdure::live
