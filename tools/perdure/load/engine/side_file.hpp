// SPDX-License-Identifier: Apache-2.0
//
// Where do rejected records go without covering something up? Under the name that was asked for, unless
// something of that name is there which is more than what was written there before: a person may have mended lines
// in it, another input was loaded, or another load runs beside this one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "load/engine/feed.hpp"
#include "load/source/rejected_file.hpp"

namespace tool::load {

// `usual`: the name is made from the table's, so nobody has said that it may be a pipe or a device.
enum class SideName : unsigned char { usual, given };

// "orders.rejected.jsonl": in this folder and short enough for a file, whatever the table is called.
[[nodiscard]] std::string usual_side_name(const std::string& table);

// Gives the file's name: the wished one, or "name-2.jsonl" and so on. Never one of the inputs. Empty if
// there was nothing to write.
[[nodiscard]] Result<std::string>
write_side_file(const std::string& wished, SideName from, const std::vector<Input>& inputs,
                Target& target,
                const std::function<void(const Input&, const KeptRejection&)>& each);

}  // namespace tool::load
