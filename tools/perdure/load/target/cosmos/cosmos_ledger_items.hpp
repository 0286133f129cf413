// SPDX-License-Identifier: Apache-2.0
//
// How are a ledger's entry and its rejected records written as items of Cosmos DB?
//
//     {"id":"entry","load":"orders#/data/orders.jsonl","holder":"…","generation":"…","id_from":"id",…,"ranges":[[0,812,…]]}
//     {"id":"rejected-…","load":"orders#/data/orders.jsonl","kind":"rejected","at":1200,"reason":"…",…}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/target/target.hpp"

namespace tool::load {

inline constexpr const char* cosmos_ledger_container = "perdure_load";
inline constexpr const char* cosmos_ledger_path = "/load";
inline constexpr const char* cosmos_entry_id = "entry";
// More of a rejected record is not kept.
inline constexpr std::size_t most_of_record_in_cosmos = std::size_t{256} << 10u;

// All that is known of one input. A plain value.
struct CosmosEntry {
    SourceEntry source{};
    std::string holder{};
    std::string generation{};
    // What ids of its records are made of: the name of a column; empty: their place; nothing: the input
    // had no bytes yet. Loaded by another, each record would be there twice.
    std::optional<std::string> id_from{};
    std::vector<Range> ranges{};  // by begin
    std::string etag{};           // of the version this is
};

// `load` is the partition key's value.
[[nodiscard]] std::string entry_item(const std::string& load, const CosmosEntry& entry);
// But for the name of the source and the etag.
[[nodiscard]] Result<CosmosEntry> read_entry_item(std::string_view json);

[[nodiscard]] std::string rejected_id(std::string_view generation, std::uint64_t offset);
[[nodiscard]] std::string rejected_item(const std::string& load, std::string_view generation,
                                        const KeptRejection& rejection);
[[nodiscard]] Result<KeptRejection> read_rejected_item(std::string_view json);

}  // namespace tool::load
