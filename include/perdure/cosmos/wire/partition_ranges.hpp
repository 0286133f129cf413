// SPDX-License-Identifier: Apache-2.0
//
// Which physical partition holds an effective key? The answer to "pkranges", as a map without holes.
//
//     const auto ranges = parse_ranges(response.body);
//     const auto map = RoutingMap::from(*ranges);       // nothing: incomplete, ask again
//     map->at(effective_key(key, KeyKind::hash, KeyVersion::v2)).id
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/effective_key.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct PartitionRange {
    std::string id{};
    std::string min{};                   // the first effective key in it
    std::string max{};                   // the first one behind it
    std::vector<std::string> parents{};  // whom it was split or merged from, all generations

    friend bool operator==(const PartitionRange&, const PartitionRange&) = default;
};

inline constexpr std::size_t most_ranges = 100'000;
inline constexpr std::size_t most_range_parents = 1'000;

// The body of an answer; one with 304 has none and changes nothing. An id may be a number. The failure
// is `corrupt`, "unreadable-answer".
Result<std::vector<PartitionRange>> parse_ranges(std::string_view json);

// Never changes; shared by threads.
class RoutingMap {
public:
    // Drops the ranges that others name as parents. Nothing if the others leave a hole, overlap, or do
    // not reach from "" to "FF".
    static std::optional<RoutingMap> from(std::vector<PartitionRange> ranges);
    // With the changes since: a range of a known id replaces it. Nothing: build it from scratch.
    [[nodiscard]] std::optional<RoutingMap> with(std::vector<PartitionRange> changes) const;

    // Any text has its place; what lies behind "FF" is in the last range.
    [[nodiscard]] const PartitionRange& at(std::string_view effective_key) const noexcept;
    // Those that share a key with [min, max), in order.
    [[nodiscard]] std::span<const PartitionRange> overlapping(std::string_view min,
                                                              std::string_view max) const noexcept;
    [[nodiscard]] std::span<const PartitionRange> all() const noexcept { return ranges_; }
    // Null: there is none of this id, or none any more.
    [[nodiscard]] const PartitionRange* find(std::string_view id) const noexcept;
    // Whether the id is a parent's: what was there has moved to those that name it.
    [[nodiscard]] bool is_gone(std::string_view id) const noexcept;
    [[nodiscard]] std::vector<const PartitionRange*> children_of(std::string_view id) const;

private:
    explicit RoutingMap(std::vector<PartitionRange> ranges);

    std::vector<PartitionRange> ranges_;  // by min
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
