// SPDX-License-Identifier: Apache-2.0
//
// How does a row become an item of Cosmos DB, and is an item that row?
//
//     CosmosRows rows{schema, "/customer"};
//     CosmosItem item;
//     const std::string wrong = rows.make(row, {.source = "orders.csv", .offset = 17}, item);
//     if (!wrong.empty()) …the record cannot be loaded, and this is why…
//
// An item's id is a text: of the field `id`, else of the key's column, else of the record's place. A
// null is a property that is not there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/json_record.hpp"
#include "load/source/rows.hpp"
#include "load/source/value.hpp"
#include "perdure/cosmos/wire/partition_key.hpp"
#include "perdure/result.hpp"

namespace tool::load {

inline constexpr std::string_view item_id_name = "id";

struct CosmosItem {
    std::string id{};
    perdure::cosmos::PartitionKey key{};
    std::string json{};
};

// What reading an item needs; used by one thread.
struct CosmosReading {
    JsonReader reader{};
    std::vector<JsonField> fields{};
    ReadRow row{};
};

// Never changes; any thread.
class CosmosRows {
public:
    // `partition` is the container's only path, of one name: "/customer".
    CosmosRows(Schema schema, std::string partition);

    // Failure invalid: a field has a name that is the service's or ours, or the key is not what the
    // container knows items by.
    [[nodiscard]] perdure::Result<void> check() const;

    // The column that ids are taken from; empty: they are made of the record's place.
    [[nodiscard]] std::string id_from() const;

    // Empty: it is made. Else why it cannot be; quotes no value.
    [[nodiscard]] std::string make(std::span<const Value> row, const Place& place,
                                   CosmosItem& into) const;
    // Where rows are that have these values in the key's columns; nothing: nowhere.
    [[nodiscard]] std::optional<CosmosItem> address_of(std::span<const Value> key) const;

    // Into `with.row`.
    void read(std::string_view json, CosmosReading& with) const;
    [[nodiscard]] bool same(std::span<const Value> row, std::string_view json) const;
    // JSON as `read` gives it.
    void settle(Rows& rows) const;

private:
    [[nodiscard]] std::string id_of(std::span<const Value> row, const Place& place,
                                    std::string& into) const;
    [[nodiscard]] std::string append(const Column& column, const Value& value,
                                     std::string& out) const;

    const Schema schema_;
    const ColumnIndex index_;
    const std::string partition_;
    std::optional<std::size_t> id_{};  // the column the id is taken from
    std::optional<std::size_t>
        split_by_{};  // the column of the partition key, where that is not the id
};

// Whether it is a null, which is a property that is not there.
[[nodiscard]] bool is_left_out(Type type, const Value& value) noexcept;

// "~2Fdata~2Flog.csv:1200": names of inputs hold letters that an id must not have.
[[nodiscard]] std::string id_of_place(const Place& place);

}  // namespace tool::load
