// SPDX-License-Identifier: Apache-2.0
//
// How does a row become an item, and is an item that row?
//
//     ItemRows rows{schema, "orders", {{"id", dynamodb::KeyType::number}}};
//     dynamodb::Item item;
//     const std::string wrong = rows.make(row, {.source = "orders.csv", .offset = 17}, item);
//     if (!wrong.empty()) …the record cannot be loaded, and this is why…
//
// Numbers are N, truths BOOL, texts S, and JSON whatever it is: a map, a list, or one of the others. A
// null is an attribute that is not there. A table that was made without a key has one of ours: the
// record's place.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/rows.hpp"
#include "load/source/value.hpp"
#include "perdure/dynamodb/item.hpp"
#include "perdure/dynamodb/table_description.hpp"

namespace tool::load {

// The partition key of tables whose records have none: "<input>#<offset>".
inline constexpr std::string_view place_attribute = "perdure_id";

// The partition key; the sort key, if there is one.
using KeyParts = std::vector<perdure::dynamodb::KeyAttribute>;

// Nothing: a column of this type cannot be a key.
[[nodiscard]] std::optional<perdure::dynamodb::KeyType> key_type(Type type) noexcept;

// Never changes; any thread.
class ItemRows {
public:
    ItemRows(Schema schema, std::string table, KeyParts key);

    // Empty: it is made. Else why it cannot be; quotes no value.
    [[nodiscard]] std::string make(std::span<const Value> row, const Place& place,
                                   perdure::dynamodb::Item& into) const;
    [[nodiscard]] perdure::dynamodb::Item key_of(const perdure::dynamodb::Item& item) const;
    // The key of rows that have these values in the key's columns.
    [[nodiscard]] perdure::dynamodb::Item key_of(std::span<const Value> values) const;

    void read(const perdure::dynamodb::Item& item, ReadRow& into) const;
    [[nodiscard]] bool same(std::span<const Value> row, const perdure::dynamodb::Item& there) const;

    // JSON as it comes back: maps have no order, and numbers no zeros at their ends.
    void settle(Rows& rows) const;

    [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
    [[nodiscard]] const std::string& table() const noexcept { return table_; }
    [[nodiscard]] const KeyParts& key() const noexcept { return key_; }

private:
    [[nodiscard]] std::string wrong_with_key(const perdure::dynamodb::Item& item) const;

    const Schema schema_;
    const std::string table_;
    const KeyParts key_;
    bool by_place_ = false;  // the key is the record's place
};

}  // namespace tool::load
