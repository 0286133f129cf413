// SPDX-License-Identifier: Apache-2.0
//
// What exactly is to be loaded, and into what? Everything that is settled before the first record is
// written, and that --dry-run tells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/engine/feed.hpp"

namespace tool::load {

enum class Creating : unsigned char { not_allowed, allowed };

struct Wishes {
    std::vector<std::string> names{};  // of files, or patterns, or "-"
    std::string called{};              // --as; only for a single input
    std::string table{};
    std::optional<std::string> key{};
    std::optional<Format> format{};
    std::optional<char> separator{};
    std::map<std::string, Type, std::less<>> types{};
    Creating create = Creating::not_allowed;
};

struct Preparation {
    std::vector<Input> inputs{};
    Schema schema{};
    std::optional<TableFacts> table{};   // nothing: it is yet to be made
    std::uint64_t bytes = 0;             // of all inputs as they lie there; 0: there is no telling
    std::vector<std::string> remarks{};  // for people, before the load begins
};

// The inputs by name, checked to be there. Reads nothing of them.
[[nodiscard]] Result<std::vector<Input>> find_inputs(const Wishes& wishes,
                                                     const std::string& fresh_name);
// `surely_missing`: there is not even a database to look at, and looking would make one.
enum class Looking : unsigned char { wanted, surely_missing };
// Looks at the table and at the beginning of the first input. Writes nothing. Failures are invalid and
// say what to do.
[[nodiscard]] Result<Preparation> prepare(Target& target, const Wishes& wishes,
                                          std::vector<Input> inputs,
                                          Looking looking = Looking::wanted);

// After its table was made: what its columns hold at most; where records may have any fields, the schema as
// every later run has it.
[[nodiscard]] Result<void> look_again(Target& target, const Wishes& wishes, Preparation& made);

}  // namespace tool::load
