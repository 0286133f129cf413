// SPDX-License-Identifier: Apache-2.0
//
// What do the items of DynamoDB's ledger look like?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "load/target/target.hpp"
#include "perdure/dynamodb/item.hpp"

namespace tool::load {

inline constexpr std::string_view no_such_table = "ResourceNotFoundException";
// Of a rejected record so much is kept: an item holds 400 KB in all.
inline constexpr std::size_t most_of_record = std::size_t{380} * 1024;

[[nodiscard]] perdure::dynamodb::Item ledger_key(const std::string& id, std::string at);
[[nodiscard]] std::string fence_name(std::size_t number);  // "fence#07"
[[nodiscard]] std::string range_prefix(std::string_view generation);
[[nodiscard]] std::string rejected_prefix(std::string_view generation);
// In the order of offsets: "range#G#00000000000000001200".
[[nodiscard]] std::string place_name(std::string prefix, std::uint64_t offset);

// Written beside what is in the item.
void write_source(const SourceEntry& source, perdure::dynamodb::Item& into);
void write_range(const Range& range, perdure::dynamodb::Item& into);
void write_rejection(const KeptRejection& rejection, perdure::dynamodb::Item& into);

[[nodiscard]] Result<void> read_source(const perdure::dynamodb::Item& item, SourceEntry& into);
[[nodiscard]] Result<Range> read_range(const perdure::dynamodb::Item& item);
[[nodiscard]] Result<KeptRejection> read_rejection(const perdure::dynamodb::Item& item);

}  // namespace tool::load
