// SPDX-License-Identifier: Apache-2.0
//
// Where do rejected records go without covering something up? Under the name that was asked for, unless
// a file of that name is there which holds more than what was written there before: somebody may have
// mended lines in it, or another input was loaded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "load/engine/feed.hpp"
#include "load/source/rejected_file.hpp"

namespace tool::load {

// Gives the file's name: the wished one, or "name-2.jsonl" and so on. Never one of the inputs.
[[nodiscard]] Result<std::string>
write_side_file(const std::string& wished, const std::vector<Input>& inputs, Target& target,
                const std::function<void(const Input&, const KeptRejection&)>& each);

}  // namespace tool::load
