// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "load/source/json_canon.hpp"
#include "load/source/reading_values.hpp"
#include "load/target/digest.hpp"
#include "load/target/invalid_load.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "text/json_text.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Written by the service into every item.
constexpr std::array<std::string_view, 5> service_names{"_rid", "_self", "_etag", "_attachments",
                                                        "_ts"};

std::string text_of(const Value& value) {
    std::string text;
    switch (value.kind) {
        case ValueKind::null: break;
        case ValueKind::boolean: text = value.integer != 0 ? "true" : "false"; break;
        case ValueKind::integer: text = std::to_string(value.integer); break;
        case ValueKind::real: append_number(value.real, text); break;
        case ValueKind::text: text = value.text; break;
    }
    return text;
}

cosmos::KeyPart part_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::null: break;
        case ValueKind::boolean: return {value.integer != 0};
        case ValueKind::integer: return {value.integer};
        case ValueKind::real: return {value.real};
        case ValueKind::text: return {value.text};
    }
    return {};
}

}  // namespace

std::string id_of_place(const Place& place) {
    constexpr std::size_t longest = 900;
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string id;
    for (const char c : place.source) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
        const auto byte = static_cast<unsigned char>(c);
        if (plain) id += c;
        else id.append(1, '~').append(1, hex[byte / 16u]).append(1, hex[byte % 16u]);
    }
    if (id.size() > longest) {
        const std::uint64_t digest = value_digest(Type::text, Value{place.source});
        id = std::to_string(digest) + '~' + id.substr(id.size() - longest);
    }
    return id + ':' + std::to_string(place.offset);
}

// Also "null" as JSON in a field of CSV.
bool is_left_out(Type type, const Value& value) noexcept {
    if (type != Type::json || value.kind != ValueKind::text) return value.kind == ValueKind::null;
    constexpr std::string_view space = " \t\r\n";
    const std::size_t first = std::min(value.text.find_first_not_of(space), value.text.size());
    return value.text.substr(first, value.text.find_last_not_of(space) + 1 - first) == "null";
}

CosmosRows::CosmosRows(Schema schema, std::string partition)
    : schema_{std::move(schema)},
      index_{schema_},
      partition_{std::move(partition)},
      id_{schema_.find(item_id_name)} {
    if (!id_) id_ = schema_.key;
    const std::string_view name = std::string_view{partition_}.substr(1);
    if (name != item_id_name) split_by_ = schema_.find(name);
}

std::string CosmosRows::id_from() const { return id_ ? schema_.columns[*id_].name : ""; }

Result<void> CosmosRows::check() const {
    for (const Column& column : schema_.columns) {
        const bool service = std::ranges::find(service_names, column.name) != service_names.end();
        if (service || column.name == cosmos::usual_marker)
            return fail(invalid_load("field-name", "a field of the records is called '" +
                                                       column.name + "', and that is " +
                                                       (service ? "Cosmos DB's own"
                                                                : "what a load marks its "
                                                                  "items with")));
    }
    if (schema_.key && schema_.key != id_)
        return fail(invalid_load("key-is-id",
                                 "the records have a field 'id', and that is what Cosmos DB tells "
                                 "items apart by: leave --key out, or rename the field"));
    const std::string_view name = std::string_view{partition_}.substr(1);
    // A container that is there would be found to have no such key by the next run.
    if (schema_.key && !schema_.sort && name != item_id_name)
        return fail(invalid_load("key-and-partition",
                                 "leave --key out: here a record is known by id and '" +
                                     std::string{name} + "'"));
    if (name != item_id_name && !split_by_)
        return fail(invalid_load("no-key", "the partition key of the container is '" +
                                               std::string{name} +
                                               "', and the input has no such field"));
    return {};
}

std::string CosmosRows::id_of(std::span<const Value> row, const Place& place,
                              std::string& into) const {
    if (!id_) {
        into = id_of_place(place);
        return {};
    }
    const Column& column = schema_.columns[*id_];
    into = text_of(row[*id_]);
    if (column.type == Type::json)
        return "field " + quoted_name(column.name) + ": an id is a text or a number";
    if (into == "." || into == "..")
        return "Cosmos DB does not take it: an id may not be . or .., which paths read otherwise";
    return into.empty() ? "has no value for the id " + quoted_name(column.name) : std::string{};
}

std::string CosmosRows::append(const Column& column, const Value& value, std::string& out) const {
    switch (value.kind) {
        case ValueKind::null: out += "null"; break;
        case ValueKind::boolean: out += value.integer != 0 ? "true" : "false"; break;
        case ValueKind::integer:
            if (value.integer > largest_exact || value.integer < -largest_exact)
                return "has more digits than Cosmos DB keeps";
            out += std::to_string(value.integer);
            break;
        case ValueKind::real: append_number(value.real, out); break;
        case ValueKind::text:
            if (column.type != Type::json) out += json_text(value.text);
            else if (!canonical_json(value.text)) return "holds a number Cosmos DB does not keep";
            else out += value.text;
            break;
    }
    return {};
}

std::string CosmosRows::make(std::span<const Value> row, const Place& place,
                             CosmosItem& into) const {
    std::string wrong_id = id_of(row, place, into.id);
    if (!wrong_id.empty()) return wrong_id;
    if (split_by_ && is_left_out(schema_.columns[*split_by_].type, row[*split_by_]))
        return "has no value for " + quoted_name(schema_.columns[*split_by_].name) +
               ", which takes no null";
    into.json = "{\"id\":" + json_text(into.id);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = schema_.columns[i];
        if (is_left_out(column.type, row[i]) || column.name == item_id_name) continue;
        into.json += ',' + json_text(column.name) + ':';
        const std::string wrong_value = append(column, row[i], into.json);
        if (!wrong_value.empty()) return "field " + quoted_name(column.name) + ": " + wrong_value;
    }
    into.json += '}';
    if (const auto valid = cosmos::valid_item(into.json); !valid)
        return "Cosmos DB does not take it: " + valid.error().message;
    const std::array<std::string, 1> paths{partition_};
    auto key = cosmos::partition_key_of(into.json, paths);
    if (!key) return "Cosmos DB does not take it: " + key.error().message;
    into.key = *std::move(key);
    if (const auto good = cosmos::check(into.key); !good)
        return "Cosmos DB does not take it: " + good.error().message;
    return {};
}

std::optional<CosmosItem> CosmosRows::address_of(std::span<const Value> key) const {
    if (key.empty()) return std::nullopt;
    CosmosItem item{.id = text_of(key[0])};
    const bool by_id = std::string_view{partition_}.substr(1) == item_id_name;
    if (!by_id && (key.size() < 2 || key[1].kind == ValueKind::null)) return std::nullopt;
    item.key = by_id ? cosmos::PartitionKey{item.id} : cosmos::PartitionKey{part_of(key[1])};
    if (!split_by_ || schema_.columns[*split_by_].type != Type::json) return item;
    // Of JSON the text is here: "c-7" with its quotes.
    auto meant = cosmos::PartitionKey::parse('[' + std::string{key[1].text} + ']');
    if (!meant) return std::nullopt;
    item.key = *std::move(meant);
    return item;
}

}  // namespace tool::load
