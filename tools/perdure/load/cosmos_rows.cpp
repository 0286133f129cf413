// SPDX-License-Identifier: Apache-2.0
#include "load/cosmos_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "load/digest.hpp"
#include "load/json_canon.hpp"
#include "load/reading_values.hpp"
#include "load/target.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "text/json_text.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::string_view id_name = "id";
// Written by the service into every item.
constexpr std::array<std::string_view, 5> service_names{"_rid", "_self", "_etag", "_attachments",
                                                        "_ts"};

Fail wrong(std::string code, std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = std::move(code),
                 .message = std::move(message)});
}

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

// What does not fit its column stays as it is written, and is no value of this column then.
Value value_back(Type type, const JsonField& field, std::deque<std::string>& texts) {
    Value value;
    if (type == Type::json) {
        if (field.kind == JsonKind::null) return value;
        auto canon = canonical_json(field.token);
        return Value{std::string_view{
            texts.emplace_back(canon ? *std::move(canon) : std::string{field.token})}};
    }
    return json_value(type, field, texts, value).empty() ? value : Value{field.token};
}

Value id_back(Type type, const JsonField& field, std::deque<std::string>& texts) {
    Value value;
    const Unescaped text = unescape(field.token, texts);
    if (type == Type::json || !csv_value(type, text.text, value).empty()) return Value{text.text};
    return value;
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

CosmosRows::CosmosRows(Schema schema, std::string partition)
    : schema_{std::move(schema)}, partition_{std::move(partition)}, id_{schema_.find(id_name)} {
    if (!id_) id_ = schema_.key;
}

Result<void> CosmosRows::check() const {
    for (const Column& column : schema_.columns) {
        const bool service = std::ranges::find(service_names, column.name) != service_names.end();
        if (service || column.name == cosmos::usual_marker)
            return wrong("field-name", "a field of the records is called '" + column.name +
                                           "', and that is " +
                                           (service ? "Cosmos DB's own"
                                                    : "what a load marks its "
                                                      "items with"));
    }
    if (schema_.key && schema_.key != id_)
        return wrong("key-is-id", "the records have a field 'id', and that is what Cosmos DB tells "
                                  "items apart by: leave --key out, or rename the field");
    const std::string_view name = std::string_view{partition_}.substr(1);
    if (name != id_name && !schema_.find(name))
        return wrong("no-key", "the partition key of the container is '" + std::string{name} +
                                   "', and the input has no such field");
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
    into.json = "{\"id\":" + json_text(into.id);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = schema_.columns[i];
        if (row[i].kind == ValueKind::null || column.name == id_name) continue;
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
    const bool by_id = std::string_view{partition_}.substr(1) == id_name;
    if (!by_id && key.size() < 2) return std::nullopt;
    item.key = by_id ? cosmos::PartitionKey{item.id} : cosmos::PartitionKey{part_of(key[1])};
    return item;
}

void CosmosRows::read(std::string_view json, CosmosReading& with) const {
    with.row.values.assign(schema_.columns.size(), Value{});
    with.row.texts.clear();
    with.fields.clear();
    if (!with.reader.split(json, 0, with.fields, with.row.texts).empty()) return;
    for (const JsonField& field : with.fields) {
        const auto column = schema_.find(field.name);
        if (!column) continue;
        const Type type = schema_.columns[*column].type;
        with.row.values[*column] = field.name == id_name ? id_back(type, field, with.row.texts)
                                                         : value_back(type, field, with.row.texts);
    }
}

bool CosmosRows::same(std::span<const Value> row, std::string_view json) const {
    CosmosReading there;
    read(json, there);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Type type = schema_.columns[i].type;
        Value sent = row[i];
        if (type == Type::json && sent.kind == ValueKind::text)
            if (auto canon = canonical_json(sent.text))
                sent = Value{std::string_view{there.row.texts.emplace_back(*std::move(canon))}};
        if (!load::same(type, sent, there.row.values[i])) return false;
    }
    return true;
}

void CosmosRows::settle(Rows& rows) const {
    for (std::size_t column = 0; column < schema_.columns.size(); ++column) {
        if (schema_.columns[column].type != Type::json) continue;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Value& value = rows.values[row * rows.width + column];
            if (value.kind != ValueKind::text) continue;
            if (auto canon = canonical_json(value.text))
                value = Value{std::string_view{rows.texts.emplace_back(*std::move(canon))}};
        }
    }
}

}  // namespace tool::load
