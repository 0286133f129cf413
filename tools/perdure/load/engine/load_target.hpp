// SPDX-License-Identifier: Apache-2.0
//
// Which target do the flags mean?
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "load/engine/load_flags.hpp"
#include "load/target/target.hpp"
#include "perdure/call/observer.hpp"

namespace tool::load {

// Connects to nothing yet. `url` is mostly flags.to.
[[nodiscard]] Result<std::unique_ptr<Target>> target_of(const LoadFlags& flags, std::string url,
                                                        perdure::Observer* observer);

// A target's URL may name the table too; then the flag is set. Failure: invalid, with what to write.
[[nodiscard]] Result<void> settle_table(LoadFlags& flags);

// SQLite's own way to say "only look": opened otherwise, a file is switched to write-ahead logging.
[[nodiscard]] std::string read_only(std::string_view path);

}  // namespace tool::load
