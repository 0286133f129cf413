// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_rows.hpp"

#include <algorithm>
#include <array>

#include "load/source/reading_values.hpp"
#include "load/target/target.hpp"
#include "perdure/dynamodb/json.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::array<std::size_t, 2> longest_key{2048, 1024};  // bytes; partition key, sort key

// Maps by name, numbers in their one form.
dynamodb::Value settled(const dynamodb::Value& value) {
    if (const auto* number = value.as<dynamodb::Number>()) {
        auto text = number->canonical();
        return text ? dynamodb::Number::as_written(*std::move(text)) : *number;
    }
    if (const auto* list = value.as<dynamodb::List>()) {
        dynamodb::List made;
        for (const dynamodb::Value& one : *list) made.push_back(settled(one));
        return made;
    }
    const auto* map = value.as<dynamodb::Item>();
    if (!map) return value;
    std::vector<const dynamodb::Attribute*> sorted;
    for (const dynamodb::Attribute& attribute : *map) sorted.push_back(&attribute);
    std::ranges::sort(
        sorted, {}, [](const dynamodb::Attribute* one) -> const std::string& { return one->name; });
    dynamodb::Item made;
    for (const auto* attribute : sorted) made.append(attribute->name, settled(attribute->value));
    return made;
}

std::string json_of(const dynamodb::Value& value) {
    constexpr std::string_view front = R"({"v":)";
    dynamodb::Item wrapped;
    wrapped.append("v", settled(value));
    const std::string text = dynamodb::to_plain_json(wrapped);
    return text.substr(front.size(), text.size() - front.size() - 1);
}

Result<dynamodb::Value> value_of_json(std::string_view json) {
    auto wrapped = dynamodb::item_from_plain_json(R"({"v":)" + std::string{json} + "}");
    if (!wrapped) return wrapped.take_failure();
    dynamodb::Value* const value = wrapped->find("v");
    return value ? std::move(*value) : dynamodb::Value{};
}

Result<dynamodb::Value> value_of(Type type, const Value& value) {
    switch (value.kind) {
        case ValueKind::null: break;
        case ValueKind::boolean: return dynamodb::Value{value.integer != 0};
        case ValueKind::integer: return dynamodb::Value{value.integer};
        case ValueKind::real: return dynamodb::Value{value.real == 0 ? 0.0 : value.real};
        case ValueKind::text:
            if (type == Type::json) return value_of_json(value.text);
            if (type == Type::numeric)
                return dynamodb::Value{dynamodb::Number::as_written(std::string{value.text})};
            return dynamodb::Value{value.text};
    }
    return dynamodb::Value{};
}

// An attribute of another type than the column's is not the record's, whatever it says.
Value misfit(Type type) noexcept {
    Value value{std::string_view{"\xff not of the column's type"}};
    value.integer = INT64_MIN + 7;
    value.real = -1e-320;
    if (type == Type::text || has_one_form(type)) value.kind = ValueKind::boolean;
    return value;
}

Value value_back(Type type, const dynamodb::Value& value, std::deque<std::string>& texts) {
    if (value.is_null()) return {};
    switch (type) {
        case Type::integer:
            if (const auto number = value.read<std::int64_t>()) return Value{*number};
            break;
        case Type::real:
            if (const auto number = value.read<double>()) return Value{*number};
            break;
        case Type::boolean:
            if (const bool* truth = value.as<bool>()) return Value{*truth};
            break;
        case Type::json: return Value{std::string_view{texts.emplace_back(json_of(value))}};
        case Type::numeric:
            if (const auto* number = value.as<dynamodb::Number>())
                return Value{std::string_view{texts.emplace_back(number->text())}};
            break;
        default:
            if (const auto* text = value.as<std::string>()) return Value{std::string_view{*text}};
    }
    return misfit(type);
}

std::size_t key_bytes(const dynamodb::Value& value) noexcept {
    const auto* text = value.as<std::string>();
    return text ? text->size() : 0;
}

}  // namespace

std::optional<dynamodb::KeyType> key_type(Type type) noexcept {
    if (type == Type::integer || type == Type::real || type == Type::numeric)
        return dynamodb::KeyType::number;
    if (type == Type::text || has_one_form(type)) return dynamodb::KeyType::string;
    return std::nullopt;
}

ItemRows::ItemRows(Schema schema, std::string table, KeyParts key)
    : schema_{std::move(schema)},
      table_{std::move(table)},
      key_{std::move(key)},
      by_place_{key_.size() == 1 && key_[0].name == place_attribute &&
                !schema_.find(place_attribute)} {}

std::string ItemRows::make(std::span<const Value> row, const Place& place,
                           dynamodb::Item& into) const {
    into.clear();
    if (by_place_)
        into.append(key_[0].name, std::string{place.source} + '#' + std::to_string(place.offset));
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Column& column = schema_.columns[i];
        auto value = value_of(column.type, row[i]);
        if (!value) return "field " + quoted_name(column.name) + ": " + value.error().message;
        if (!value->is_null()) into.append(column.name, *std::move(value));
    }
    std::string wrong = wrong_with_key(into);
    if (!wrong.empty()) return wrong;
    const auto checked = dynamodb::check(into);
    return checked ? std::string{} : "DynamoDB does not take it: " + checked.error().message;
}

std::string ItemRows::wrong_with_key(const dynamodb::Item& item) const {
    for (std::size_t i = 0; i < key_.size(); ++i) {
        const std::string name = quoted_name(key_[i].name);
        const dynamodb::Value* const value = item.find(key_[i].name);
        if (!value) return "has no value for the key " + name;
        const bool text = key_[i].type == dynamodb::KeyType::string;
        if (value->type() != (text ? dynamodb::Type::string : dynamodb::Type::number))
            return "the key " + name + " of the table is " + (text ? "text" : "a number") +
                   ", and the field is not";
        if (text && key_bytes(*value) == 0) return "the key " + name + " is an empty text";
        if (key_bytes(*value) > longest_key[std::min<std::size_t>(i, 1)])
            return "the key " + name + " has more than " +
                   std::to_string(longest_key[std::min<std::size_t>(i, 1)]) + " bytes";
    }
    return {};
}

dynamodb::Item ItemRows::key_of(const dynamodb::Item& item) const {
    dynamodb::Item key;
    for (const dynamodb::KeyAttribute& part : key_)
        if (const dynamodb::Value* value = item.find(part.name)) key.append(part.name, *value);
    return key;
}

dynamodb::Item ItemRows::key_of(std::span<const Value> values) const {
    dynamodb::Item key;
    for (std::size_t i = 0; i < std::min(key_.size(), values.size()); ++i) {
        const bool number = key_[i].type == dynamodb::KeyType::number;
        if (auto made = value_of(number ? Type::numeric : Type::text, values[i]))
            key.append(key_[i].name, *std::move(made));
    }
    return key;
}

void ItemRows::read(const dynamodb::Item& item, ReadRow& into) const {
    into.values.clear();
    into.texts.clear();
    for (const Column& column : schema_.columns) {
        const dynamodb::Value* const value = item.find(column.name);
        into.values.push_back(value ? value_back(column.type, *value, into.texts) : Value{});
    }
}

bool ItemRows::same(std::span<const Value> row, const dynamodb::Item& there) const {
    ReadRow back;
    read(there, back);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Type type = schema_.columns[i].type;
        if (type == Type::json && row[i].kind == ValueKind::text) {
            const auto sent = value_of_json(row[i].text);
            if (!sent) return false;
            const Value& kept = back.values[i];
            const bool equal = sent->is_null()
                                   ? kept.kind == ValueKind::null
                                   : kept.kind == ValueKind::text && json_of(*sent) == kept.text;
            if (!equal) return false;
        } else if (!load::same(type, row[i], back.values[i])) {
            return false;
        }
    }
    return true;
}

void ItemRows::settle(Rows& rows) const {
    for (std::size_t column = 0; column < schema_.columns.size(); ++column) {
        if (schema_.columns[column].type != Type::json) continue;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Value& value = rows.values[row * rows.width + column];
            if (value.kind != ValueKind::text) continue;
            const auto sent = value_of_json(value.text);
            if (!sent) continue;  // it was rejected
            value = sent->is_null()
                        ? Value{}
                        : Value{std::string_view{rows.texts.emplace_back(json_of(*sent))}};
        }
    }
}

}  // namespace tool::load
