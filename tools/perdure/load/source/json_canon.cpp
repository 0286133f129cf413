// SPDX-License-Identifier: Apache-2.0
#include "load/source/json_canon.hpp"

#include <simdjson.h>

#include <array>
#include <charconv>
#include <map>

#include "text/json_text.hpp"

namespace tool::load {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

bool append(const element& value, std::string& out);

bool append_list(const simdjson::dom::array& list, std::string& out) {
    char before = '[';
    for (const element one : list) {
        out += before;
        if (!append(one, out)) return false;
        before = ',';
    }
    out += before == '[' ? "[]" : "]";
    return true;
}

// Of a name that is there twice the last counts, as it does to the service.
bool append_object(const simdjson::dom::object& object, std::string& out) {
    std::map<std::string_view, element> fields;
    for (const auto field : object) fields.insert_or_assign(field.key, field.value);
    char before = '{';
    for (const auto& [name, value] : fields) {
        out += before;
        out += json_text(name) + ':';
        if (!append(value, out)) return false;
        before = ',';
    }
    out += before == '{' ? "{}" : "}";
    return true;
}

bool append(const element& value, std::string& out) {
    switch (value.type()) {
        case element_type::ARRAY: return append_list(value.get_array().value_unsafe(), out);
        case element_type::OBJECT: return append_object(value.get_object().value_unsafe(), out);
        case element_type::STRING: out += json_text(value.get_string().value_unsafe()); return true;
        case element_type::INT64: {
            const std::int64_t number = value.get_int64().value_unsafe();
            if (number > largest_exact || number < -largest_exact) return false;
            out += std::to_string(number);
            return true;
        }
        case element_type::UINT64: return false;
        case element_type::DOUBLE:
            append_number(value.get_double().value_unsafe(), out);
            return true;
        case element_type::BOOL:
            out += value.get_bool().value_unsafe() ? "true" : "false";
            return true;
        case element_type::NULL_VALUE: out += "null"; return true;
    }
    return false;
}

}  // namespace

void append_number(double number, std::string& out) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number + 0.0).ptr;
    out.append(digits.data(), end);
}

std::optional<std::string> canonical_json(std::string_view text) {
    simdjson::dom::parser parser;
    element root;
    if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
    std::string out;
    if (!append(root, out)) return std::nullopt;
    return out;
}

}  // namespace tool::load
