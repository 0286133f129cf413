// SPDX-License-Identifier: Apache-2.0
//
// Where may the demonstration write, and what may it delete? Only a folder that it made itself, which
// it knows by a file in it.
#pragma once

#include <string>

#include "perdure/result.hpp"

namespace demo {

// Made, or emptied if it is ours. A folder of somebody else is refused unless it is empty. Its
// absolute path.
perdure::Result<std::string> own_folder(const std::string& path);

}  // namespace demo
