// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_target_values.hpp"

#include <bit>
#include <charconv>

#include "load/source/typed_text.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using sql::Cell;
using sql::Kind;
using sql::Parameter;

namespace {

constexpr std::size_t longest_number = 32;

template <class Number>
void append_digits(Number number, std::string& into) {
    const std::size_t before = into.size();
    into.resize(before + longest_number);
    char* const start = into.data() + before;
    const char* const end = std::to_chars(start, start + longest_number, number).ptr;
    into.resize(before + static_cast<std::size_t>(end - start));
}

// In quotes always: an empty text, NULL and commas need them, and to look costs as much.
void append_quoted(std::string_view text, std::string& into) {
    into += '"';
    for (std::size_t at = 0;;) {
        const std::size_t special = text.find_first_of("\"\\", at);
        into.append(text, at, special - at);
        if (special == std::string_view::npos) break;
        into += '\\';
        into += text[special];
        at = special + 1;
    }
    into += '"';
}

void append_element(const Value& value, std::string& into) {
    switch (value.kind) {
        case ValueKind::null: into += "NULL"; break;
        case ValueKind::boolean: into += value.integer != 0 ? "true" : "false"; break;
        case ValueKind::integer: append_digits(value.integer, into); break;
        case ValueKind::real: append_digits(value.real, into); break;
        case ValueKind::text: append_quoted(value.text, into); break;
    }
}

}  // namespace

Parameter parameter_of(const Value& value) noexcept {
    switch (value.kind) {
        case ValueKind::null: break;
        case ValueKind::boolean: return {value.integer != 0};
        case ValueKind::integer: return {value.integer};
        case ValueKind::real: return {value.real};
        case ValueKind::text: return {value.text};
    }
    return {nullptr};
}

Value value_of(Type type, const Cell& cell) noexcept {
    switch (cell.kind) {
        case Kind::null: return {};
        case Kind::boolean: return Value{cell.integer != 0};
        case Kind::integer:
            if (type == Type::boolean && (cell.integer == 0 || cell.integer == 1))
                return Value{cell.integer != 0};
            return type == Type::real ? Value{static_cast<double>(cell.integer)}
                                      : Value{cell.integer};
        case Kind::real: return Value{cell.real};
        case Kind::text:
        case Kind::bytes: return Value{cell.view};
    }
    return {};
}

Result<void> read_values(const Schema& schema, const sql::Row& row, std::vector<Value>& into) {
    into.clear();
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        PERDURE_TRY_VALUE(const Cell cell, row.cell(i));
        into.push_back(value_of(schema.columns[i].type, cell));
    }
    return {};
}

std::string key_mark(Type type, const Value& key) {
    std::string buffer;
    switch (key.kind) {
        case ValueKind::null: return "n";
        case ValueKind::boolean:
        case ValueKind::integer: return "i" + std::to_string(key.integer);
        case ValueKind::real: return "r" + std::to_string(std::bit_cast<std::uint64_t>(key.real));
        case ValueKind::text: return "t" + std::string{one_form(type, key.text, buffer)};
    }
    return {};
}

void append_array(const ArraySlice& slice, std::string& into) {
    into += '{';
    char before = 0;
    for (const std::size_t row : slice.rows) {
        if (before != 0) into += before;
        before = ',';
        append_element(slice.values[row * slice.width + slice.column], into);
    }
    into += '}';
}

}  // namespace tool::load
