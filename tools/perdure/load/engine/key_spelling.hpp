// SPDX-License-Identifier: Apache-2.0
//
// In CSV a key is a text: the articles 1.10 and 1.1 are two, and so are the answers "yes" and "Y". As
// numbers or booleans both have one value, and the second record would count as already there.
#pragma once

#include <optional>

#include "load/target/target.hpp"

namespace tool::load {

// Makes the columns of the key text, if their types were inferred from CSV and would not keep the
// spelling: that of --key, and the partition key of Cosmos DB. Integers keep it. A table that is there decides for itself (`table`), and so does --type.
void keep_spelling_of_key(Schema& schema, const std::optional<TableFacts>& table);

}  // namespace tool::load
