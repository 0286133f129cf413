// SPDX-License-Identifier: Apache-2.0
//
// Where does an item live? What a container says about its key, and an item's or a request's key.
//
//     const Key key = definition.of(item);
//     ranges.holding(key.effective);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// A plain value.
struct Key {
    // Each value as JSON in one way of writing it, with a line end behind: 1 and 1.0 are the same
    // key, and the beginning of a hierarchical key is the beginning of this text.
    std::string text{};
    std::string effective{};
    std::size_t parts = 0;
    friend bool operator==(const Key&, const Key&) = default;
};

enum class Hashing : std::uint8_t { v1, v2, multiple };

// A plain value.
class KeyDefinition {
public:
    // The member "partitionKey" of a container; nothing, with the reason in `problem`, if it is
    // invalid.
    static std::optional<KeyDefinition> read(const Json& definition, std::string& problem);
    friend bool operator==(const KeyDefinition&, const KeyDefinition&) = default;

    [[nodiscard]] Key of(const Json& item) const;
    // x-ms-documentdb-partitionkey; nothing if it is no array of plain values, or too long.
    [[nodiscard]] std::optional<Key> from_header(std::string_view header) const;
    [[nodiscard]] bool complete(const Key& key) const noexcept {
        return key.parts == paths_.size();
    }
    // A bound that has about as many keys between `min` and itself as between itself and `max`.
    [[nodiscard]] std::string middle(std::string_view min, std::string_view max) const;

private:
    [[nodiscard]] Key hash(const std::vector<const Json*>& values) const;

    std::vector<std::vector<std::string>> paths_{};
    Hashing hashing_ = Hashing::v2;
};

// "/a/b" or "/\"a b\"/c" in its steps.
std::vector<std::string> steps_of(std::string_view path);
// Null: not there.
const Json* at_path(const Json& item, const std::vector<std::string>& steps) noexcept;

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
