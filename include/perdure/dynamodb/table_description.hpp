// SPDX-License-Identifier: Apache-2.0
//
// What is a table like, and is it ready?
//
//     if (table.status == TableStatus::active && table.key.size() == 2) …
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

enum class KeyType : std::uint8_t { string, number, binary };
// The service's letters: "S", "N", "B".
[[nodiscard]] std::string_view letters(KeyType type) noexcept;

// One attribute of a key. A plain value.
struct KeyAttribute {
    KeyAttribute(std::string name_, KeyType type_ = KeyType::string)
        : name{std::move(name_)}, type{type_} {}
    KeyAttribute(const char* name_, KeyType type_ = KeyType::string) : name{name_}, type{type_} {}

    std::string name;
    KeyType type;

    friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// other: what the JSON says and few ever see, such as an archived table.
enum class TableStatus : std::uint8_t { creating, updating, deleting, active, other };

// A plain value.
struct TableDescription {
    std::string name{};
    TableStatus status = TableStatus::other;
    std::vector<KeyAttribute> key{};  // the partition key, then the sort key if there is one
    std::int64_t items = 0;           // as counted some hours ago
    std::int64_t bytes = 0;
    std::string json{};  // all of it, as it came
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
