// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <string_view>

#include "decimal.hpp"
#include "json_writer.hpp"
#include "perdure/dynamodb/json.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// In the order of Type.
constexpr std::array<std::string_view, 10> openings{
    R"({"NULL":)", R"({"BOOL":)", R"({"S":)",  R"({"N":)", R"({"B":)",
    R"({"SS":)",   R"({"NS":)",   R"({"BS":)", R"({"L":)", R"({"M":)"};

void write(JsonWriter& json, const std::string& text) { json.string(text); }
void write(JsonWriter& json, const Binary& binary) { json.base64(binary.bytes()); }
// In letters a number is a string; its text has nothing to escape unless somebody invented it.
void write(JsonWriter& json, const Number& number) { json.string(number.text()); }
template <class T>
void write(JsonWriter& json, const Set<T>& set) {
    json.begin_array();
    for (const T& element : set) write(json, element);
    json.end_array();
}

void write_plain(JsonWriter& json, const std::string& text) { json.string(text); }
void write_plain(JsonWriter& json, const Binary& binary) { json.base64(binary.bytes()); }
void write_plain(JsonWriter& json, const Number& number) {
    if (is_json_number(number.text())) return json.raw(number.text());
    if (const auto plain = number.canonical()) return json.raw(*plain);
    json.string(number.text());
}
template <class T>
void write_plain(JsonWriter& json, const Set<T>& set) {
    json.begin_array();
    for (const T& element : set) write_plain(json, element);
    json.end_array();
}

}  // namespace

void JsonWriter::value(const Value& value) {
    separate();
    out_ += openings[static_cast<std::size_t>(value.type())];
    comma_ = false;
    switch (value.type()) {
        case Type::none: yes(); break;
        case Type::boolean: *value.as<bool>() ? yes() : no(); break;
        case Type::string: write(*this, *value.as<std::string>()); break;
        case Type::number: write(*this, *value.as<Number>()); break;
        case Type::binary: write(*this, *value.as<Binary>()); break;
        case Type::string_set: write(*this, *value.as<StringSet>()); break;
        case Type::number_set: write(*this, *value.as<NumberSet>()); break;
        case Type::binary_set: write(*this, *value.as<BinarySet>()); break;
        case Type::list:
            begin_array();
            for (const Value& element : *value.as<List>()) this->value(element);
            end_array();
            break;
        case Type::map: item(*value.as<Item>()); break;
    }
    close('}');
}

void JsonWriter::item(const Item& item) {
    begin_object();
    for (const auto& [name, value] : item) {
        key(name);
        this->value(value);
    }
    end_object();
}

void JsonWriter::plain_value(const Value& value) {
    switch (value.type()) {
        case Type::none: null(); break;
        case Type::boolean: *value.as<bool>() ? yes() : no(); break;
        case Type::string: write_plain(*this, *value.as<std::string>()); break;
        case Type::number: write_plain(*this, *value.as<Number>()); break;
        case Type::binary: write_plain(*this, *value.as<Binary>()); break;
        case Type::string_set: write_plain(*this, *value.as<StringSet>()); break;
        case Type::number_set: write_plain(*this, *value.as<NumberSet>()); break;
        case Type::binary_set: write_plain(*this, *value.as<BinarySet>()); break;
        case Type::list:
            begin_array();
            for (const Value& element : *value.as<List>()) plain_value(element);
            end_array();
            break;
        case Type::map: plain_item(*value.as<Item>()); break;
    }
}

void JsonWriter::plain_item(const Item& item) {
    begin_object();
    for (const auto& [name, value] : item) {
        key(name);
        plain_value(value);
    }
    end_object();
}

std::string to_json(const Item& item) {
    std::string json;
    JsonWriter{json}.item(item);
    return json;
}

std::string to_plain_json(const Item& item) {
    std::string json;
    JsonWriter{json}.plain_item(item);
    return json;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
