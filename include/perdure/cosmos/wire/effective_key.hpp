// SPDX-License-Identifier: Apache-2.0
//
// Where among the physical partitions does a key fall? Hashed into a string of hexadecimal digits that
// is compared byte by byte with the bounds of the ranges.
//
//     effective_key(PartitionKey{"A"}, KeyKind::hash, KeyVersion::v2)
//         "14F53A0810CE6727EB1CD722D321216F"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/partition_key.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// `multi_hash`: a hierarchical key, each value hashed by itself; always as version 2.
enum class KeyKind : std::uint8_t { hash, multi_hash };
enum class KeyVersion : std::uint8_t { v1, v2 };

// Every key lies in ["", "FF").
inline constexpr std::string_view least_effective_key = "";
inline constexpr std::string_view end_of_effective_keys = "FF";

// In upper case; of a key without values the least. Pure; any thread.
std::string effective_key(const PartitionKey& key, KeyKind kind, KeyVersion version);

// [min, max), in effective keys.
struct EffectiveRange {
    std::string min{};
    std::string max{end_of_effective_keys};

    friend bool operator==(const EffectiveRange&, const EffectiveRange&) = default;
};

// All keys that begin with these values: of a hierarchical key its first one or two. A key without
// values begins every key.
EffectiveRange prefix_range(const PartitionKey& prefix);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
