// SPDX-License-Identifier: Apache-2.0
#include <simdjson.h>

#include <algorithm>
#include <string>
#include <vector>

#include "decimal.hpp"
#include "perdure/dynamodb/item.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t container_cost = 3;
constexpr std::size_t entry_cost = 1;

// Where we are, as a chain on the stack: a path is only written when something is wrong with it.
struct Place {
    const Place* above = nullptr;
    std::string_view name{};  // of an attribute
    std::size_t index = 0;    // in a list
    std::size_t level = 0;    // containers around it
};

void append_path(std::string& path, const Place& place) {
    if (place.above) append_path(path, *place.above);
    if (place.name.data() == nullptr) {
        if (place.above) path.append("[").append(std::to_string(place.index)).append("]");
        return;
    }
    if (!path.empty()) path += '.';
    const bool readable = simdjson::validate_utf8(place.name);
    if (!readable) path += "(not UTF-8)";
    else if (place.name.size() > 64) path += "(" + std::to_string(place.name.size()) + " bytes)";
    else
        for (const char c : place.name) path += c >= 0 && c < ' ' ? '?' : c;
}

Fail refuse(const Place& place, std::string_view why) {
    std::string path;
    append_path(path, place);
    if (path.size() > 512) path = path.substr(0, 256) + "…" + path.substr(path.size() - 200);
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "bad-item",
                 .message = path.empty() ? std::string{why} : path + ": " + std::string{why}});
}

Result<void> check_text(const Place& place, std::string_view text) {
    if (!simdjson::validate_utf8(text)) return refuse(place, "text is not UTF-8");
    return {};
}

Result<void> check_number(const Place& place, const Number& number) {
    const Decimal decimal = read_decimal(number.text());
    if (decimal.storable()) return {};
    return refuse(place, !decimal.readable    ? "is no number"
                         : decimal.count > 38 ? "number has more than 38 significant digits"
                                              : "number is out of range (1e-130 to 9.99e125)");
}

// Elements that mean the same are duplicates to the service, however they are written.
template <class T>
Result<void> check_set(const Place& place, const Set<T>& set) {
    if (set.empty()) return refuse(place, "a set may not be empty");
    std::vector<std::string> elements;
    elements.reserve(set.size());
    for (const T& element : set) {
        if constexpr (std::is_same_v<T, Number>) {
            PERDURE_TRY(check_number(place, element));
            elements.push_back(plain_text(read_decimal(element.text())));
        } else if constexpr (std::is_same_v<T, Binary>) {
            elements.push_back(element.bytes());
        } else {
            PERDURE_TRY(check_text(place, element));
            elements.push_back(element);
        }
    }
    std::sort(elements.begin(), elements.end());
    if (std::adjacent_find(elements.begin(), elements.end()) != elements.end())
        return refuse(place, "a set may not have duplicates");
    return {};
}

Result<void> check_value(const Place& place, const Value& value);

Result<void> check_attributes(const Place* above, const Item& item, std::size_t level) {
    for (const auto& [name, value] : item) {
        const Place place{above, name, 0, level};
        if (name.empty())
            return refuse(above ? *above : Place{}, "an attribute name may not be empty");
        if (name.size() > longest_name)
            return refuse(place, "an attribute name has at most 65535 bytes");
        if (!simdjson::validate_utf8(name)) return refuse(place, "an attribute name is not UTF-8");
        PERDURE_TRY(check_value(place, value));
    }
    return {};
}

Result<void> check_list(const Place& above, const List& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Place place{&above, {}, i, above.level + 1};
        PERDURE_TRY(check_value(place, list[i]));
    }
    return {};
}

Result<void> check_value(const Place& place, const Value& value) {
    switch (value.type()) {
        case Type::none:
        case Type::boolean:
        case Type::binary: return {};
        case Type::string: return check_text(place, *value.as<std::string>());
        case Type::number: return check_number(place, *value.as<Number>());
        case Type::string_set: return check_set(place, *value.as<StringSet>());
        case Type::number_set: return check_set(place, *value.as<NumberSet>());
        case Type::binary_set: return check_set(place, *value.as<BinarySet>());
        case Type::list:
        case Type::map: break;
    }
    if (place.level >= deepest_nesting) return refuse(place, "nested deeper than 32 levels");
    if (const List* const list = value.as<List>()) return check_list(place, *list);
    return check_attributes(&place, *value.as<Item>(), place.level + 1);
}

std::size_t size_of(const std::string& text) { return text.size(); }
std::size_t size_of(const Binary& binary) { return binary.size(); }
std::size_t size_of(const Number& number) {
    const Decimal decimal = read_decimal(number.text());
    return (decimal.count + 1) / 2 + 1 + (decimal.negative ? 1 : 0);
}
template <class T>
std::size_t size_of(const Set<T>& set) {
    std::size_t size = 0;
    for (const T& element : set) size += size_of(element);
    return size;
}

}  // namespace

std::size_t stored_size(const Value& value) {
    std::size_t size = container_cost;
    switch (value.type()) {
        case Type::none:
        case Type::boolean: return 1;
        case Type::string: return size_of(*value.as<std::string>());
        case Type::number: return size_of(*value.as<Number>());
        case Type::binary: return size_of(*value.as<Binary>());
        case Type::string_set: return size_of(*value.as<StringSet>());
        case Type::number_set: return size_of(*value.as<NumberSet>());
        case Type::binary_set: return size_of(*value.as<BinarySet>());
        case Type::list:
            for (const Value& element : *value.as<List>())
                size += entry_cost + stored_size(element);
            return size;
        case Type::map: break;
    }
    const Item& map = *value.as<Item>();
    return size + stored_size(map) + map.size() * entry_cost;
}

std::size_t stored_size(const Item& item) {
    std::size_t size = 0;
    for (const auto& [name, value] : item) size += name.size() + stored_size(value);
    return size;
}

Result<void> check(const Item& item) {
    PERDURE_TRY(check_attributes(nullptr, item, 0));
    const std::size_t size = stored_size(item);
    if (size <= largest_item) return {};
    return fail({.cause = Cause::too_large,
                 .origin = Origin::application,
                 .code = "item-too-large",
                 .message = "the item has about " + std::to_string(size) +
                            " bytes as DynamoDB counts them, and may have 409600"});
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
