// SPDX-License-Identifier: Apache-2.0
//
// What stands in a file that a person writes: a scenario, a plan of faults, a header?
//
//     auto text = read_small_file("mine.toml");
//     if (!text) say("cannot read 'mine.toml': " + text.error().message);
#pragma once

#include <string>

#include "perdure/result.hpp"

namespace tool {

// The whole file; "-" is standard input. A file, pipe or device with more than 1 MiB is refused after
// that much was read. The message is only the reason; the code is "no-such-file" or "unreadable".
[[nodiscard]] perdure::Result<std::string> read_small_file(const std::string& name);

}  // namespace tool
