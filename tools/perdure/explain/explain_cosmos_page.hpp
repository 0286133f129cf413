// SPDX-License-Identifier: Apache-2.0
//
// What stands above and below the rows of Cosmos DB's page? The columns, the rules, the hints.
#pragma once

#include <string>

namespace tool {

std::string cosmos_page();

}  // namespace tool
