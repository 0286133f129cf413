// SPDX-License-Identifier: Apache-2.0
#include "request_body.hpp"

#include <array>
#include <utility>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::array<std::string_view, 5> returns_words = {"NONE", "ALL_OLD", "UPDATED_OLD",
                                                           "ALL_NEW", "UPDATED_NEW"};
constexpr std::size_t longest_table = 1024;  // an ARN
constexpr std::size_t longest_key = 2;       // attributes

bool is_key_type(Type type) noexcept {
    return type == Type::string || type == Type::number || type == Type::binary;
}

bool is_placeholder(std::string_view text, char mark) noexcept {
    return text.size() > 1 && text.front() == mark;
}

}  // namespace

Failure invalid_request(std::string message) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "invalid-request",
            .message = std::move(message)};
}

void append_text(JsonWriter& json, std::string_view name, std::string_view text) {
    if (!text.empty()) json.member(name, text);
}

void append_placeholders(JsonWriter& json, const Placeholders& placeholders) {
    if (!placeholders.names.empty()) {
        json.key("ExpressionAttributeNames");
        json.begin_object();
        for (const auto& [placeholder, name] : placeholders.names) json.member(placeholder, name);
        json.end_object();
    }
    if (!placeholders.values.empty()) json.member("ExpressionAttributeValues", placeholders.values);
}

void append_returns(JsonWriter& json, Returns returns) {
    if (returns != Returns::nothing)
        json.member("ReturnValues", returns_words[static_cast<std::size_t>(returns)]);
}

void append_old_when_refused(JsonWriter& json) {
    json.member("ReturnValuesOnConditionCheckFailure", "ALL_OLD");
}

void append_report_capacity(JsonWriter& json) { json.member("ReturnConsumedCapacity", "TOTAL"); }

Result<void> check_table(std::string_view table) {
    if (table.empty()) return fail(invalid_request("the table has no name"));
    if (table.size() > longest_table) return fail(invalid_request("the table's name is too long"));
    for (const char c : table)
        if (c <= ' ' || c > '~' || c == '"' || c == '\\')
            return fail(
                invalid_request("a table's name is made of a-z, A-Z, 0-9, '_', '-' and '.'"));
    return {};
}

Result<void> check_key(const Item& key) {
    if (key.empty() || key.size() > longest_key)
        return fail(invalid_request("a key has one or two attributes"));
    for (const Attribute& attribute : key) {
        if (!is_key_type(attribute.value.type()))
            return fail(invalid_request("the key attribute " + attribute.name +
                                        " must be a string, a number or binary"));
        const std::string* const text = attribute.value.as<std::string>();
        const Binary* const bytes = attribute.value.as<Binary>();
        if ((text && text->empty()) || (bytes && bytes->size() == 0))
            return fail(invalid_request("the key attribute " + attribute.name + " is empty"));
    }
    return check(key);
}

Result<void> check_placeholders(const Placeholders& placeholders) {
    for (const auto& [placeholder, name] : placeholders.names)
        if (!is_placeholder(placeholder, '#') || name.empty())
            return fail(
                invalid_request("a name's placeholder begins with # and stands for a name"));
    for (const Attribute& attribute : placeholders.values)
        if (!is_placeholder(attribute.name, ':'))
            return fail(invalid_request("a value's placeholder begins with a colon"));
    if (placeholders.values.empty()) return {};
    return check(placeholders.values);
}

Result<void> check_declared(std::optional<Safety> safety) {
    if (safety != Safety::read) return {};
    return fail(invalid_request("a write is no read, however safe it is: say idempotent"));
}

Result<double> read_capacity(JsonNode& node) {
    double units = 0;
    PERDURE_TRY(node.each_member([&](std::string_view name, JsonNode& value) -> Result<void> {
        if (name != "CapacityUnits") return {};
        auto read = value.real();
        if (!read) return read.take_failure();
        units = *read;
        return {};
    }));
    return units;
}

Result<Written> read_written(std::string_view json) {
    Written written;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name == "Attributes") {
            auto read = node.item();
            if (!read) return read.take_failure();
            written.attributes = *std::move(read);
        } else if (name == "ConsumedCapacity") {
            auto read = read_capacity(node);
            if (!read) return read.take_failure();
            written.capacity = *read;
        }
        return {};
    }));
    return written;
}

std::optional<Item> key_of(const Item& item, const KeyNames& names) {
    Item key;
    for (const std::string& name : names) {
        const Value* const value = item.find(name);
        if (!value) return std::nullopt;
        key.set(name, *value);
    }
    return key;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
