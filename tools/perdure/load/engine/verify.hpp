// SPDX-License-Identifier: Apache-2.0
//
// Is the table what the inputs say? Reads both again and compares, after a load.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "load/engine/feed.hpp"

namespace tool::load {

struct Verification {
    std::uint64_t expected = 0;   // records that should be in the table
    std::uint64_t found = 0;      // rows that were compared with them
    std::uint64_t missing = 0;    // with a key: no row has it
    std::uint64_t different = 0;  // with a key: the row has other values
    std::uint64_t checksum_expected = 0;
    std::uint64_t checksum_found = 0;
    std::vector<std::string> examples{};      // "orders.csv:17: missing", a few
    std::vector<std::string> not_compared{};  // columns
    std::vector<std::string> remarks{};       // what could not be compared, and why
    bool contents_compared = true;

    [[nodiscard]] bool good() const noexcept {
        return missing == 0 && different == 0 &&
               (!contents_compared || (expected == found && checksum_expected == checksum_found));
    }
};

// `bytes_read` counts those of the inputs, for progress. With a key, each record against the row that has it. Without, all rows of a table that was empty
// before against all records.
[[nodiscard]] Result<Verification> verify(Target& target, const std::vector<Input>& inputs,
                                          const Schema& schema, const std::stop_token& stop,
                                          std::atomic<std::uint64_t>* bytes_read = nullptr);

// Of a row's key, the same for a record and for the row that the target gives back.
[[nodiscard]] std::uint64_t key_digest(const Schema& schema, std::span<const Value> row) noexcept;

// Rows of the table whose key no record of the inputs has.
struct RowsLeft {
    std::uint64_t rows = 0;
    std::vector<std::string> examples{};  // keys, a few
};
// Reads the inputs and the table once more; takes 8 bytes of memory for each record. The schema has a
// key of a type that can be compared here (not `other`).
[[nodiscard]] Result<RowsLeft> rows_not_in(const std::vector<Input>& inputs, const Schema& schema,
                                           Target& target);

}  // namespace tool::load
