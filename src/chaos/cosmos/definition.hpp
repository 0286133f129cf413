// SPDX-License-Identifier: Apache-2.0
//
// A container's definition: whether it is valid and served here, and the parts that reads and
// writes of its items depend on.
//
//     if (const std::string problem = problem_of(definition); !problem.empty()) return refuse(400, …);
//     const ItemRules rules = ItemRules::of(definition);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// Empty: valid, and everything in it is served. A feature that is not served is refused by name,
// so that nobody takes an ignored policy for an enforced one.
std::string problem_of(const Json& definition);
// The same of a valid definition that is to replace another.
std::string problem_of_change(const Json& from, const Json& to);
// What the service adds of indexing where a definition does not have it.
void complete_indexing(Json& definition);

// The seconds of a "ttl" or "defaultTtl": -1 (never), or from 1 to 2^31 - 1; nothing if invalid.
std::optional<std::int64_t> time_to_live(const Json& value) noexcept;

// What a container demands of its items. A plain value.
struct ItemRules {
    using Path = std::vector<std::string>;

    std::optional<std::int64_t> ttl{};             // nothing: items never expire
    std::vector<std::vector<Path>> unique_keys{};  // each within one partition key

    static ItemRules of(const Json& definition);
    // The values of the unique keys, one text for each key; missing values count as null.
    [[nodiscard]] std::vector<std::string> unique_values(const Json& item) const;
    [[nodiscard]] bool expired(std::int64_t item_ttl, std::int64_t written,
                               std::int64_t now) const noexcept {
        if (!ttl) return false;
        const std::int64_t seconds = item_ttl == 0 ? *ttl : item_ttl;
        return seconds > 0 && now >= written + seconds;
    }
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
