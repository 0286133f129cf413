// SPDX-License-Identifier: Apache-2.0
//
// Items of every type with their edges, each twice: as this library builds it, and as the service's
// JSON, written by hand.
#pragma once

#include <string>
#include <vector>

#include "perdure/dynamodb/item.hpp"

namespace perdure::live {

struct Specimen {
    std::string name{};  // also its key
    dynamodb::Item item{};
    std::string json{};
};

// All of them together fit into one batch.
std::vector<Specimen> corpus();
// [{…},{…}], for scripts.
std::string json_of(const std::vector<Specimen>& specimens);

// Equal, numbers by what they mean: a server may write 1E+2 for 100.
bool same_meaning(const dynamodb::Item& a, const dynamodb::Item& b);

}  // namespace perdure::live
