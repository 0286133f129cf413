// SPDX-License-Identifier: Apache-2.0
//
// The way back: what an item's JSON says, and whether a row says the same.
#include <utility>

#include "load/source/json_canon.hpp"
#include "load/source/reading_values.hpp"
#include "load/target/cosmos/cosmos_rows.hpp"
#include "load/target/target.hpp"

namespace tool::load {

namespace {

// What does not fit its column stays as it is written, and is no value of this column then. A 5 where text
// is kept is not the text "5": it gets a NUL in front, which no record's text has.
Value value_back(Type type, const JsonField& field, std::deque<std::string>& texts) {
    Value value;
    if (type == Type::json) {
        if (field.kind == JsonKind::null) return value;
        auto canon = canonical_json(field.token);
        return Value{std::string_view{
            texts.emplace_back(canon ? *std::move(canon) : std::string{field.token})}};
    }
    const bool strange = type == Type::text && field.kind != JsonKind::text;
    if (strange && field.kind != JsonKind::null)
        return Value{std::string_view{texts.emplace_back('\0' + std::string{field.token})}};
    return json_value(type, field, texts, value).empty() ? value : Value{field.token};
}

Value id_back(Type type, const JsonField& field, std::deque<std::string>& texts) {
    Value value;
    const Unescaped text = unescape(field.token, texts);
    if (type == Type::json || !csv_value(type, text.text, value).empty()) return Value{text.text};
    return value;
}

// As `value_back` gives it.
Value settled(Type type, const Value& sent, std::deque<std::string>& texts) {
    if (is_left_out(type, sent)) return Value{};
    if (type != Type::json || sent.kind != ValueKind::text) return sent;
    auto canon = canonical_json(sent.text);
    return canon ? Value{std::string_view{texts.emplace_back(*std::move(canon))}} : sent;
}

}  // namespace

void CosmosRows::read(std::string_view json, CosmosReading& with) const {
    with.row.values.assign(schema_.columns.size(), Value{});
    with.row.texts.clear();
    with.fields.clear();
    if (!with.reader.split(json, 0, with.fields, with.row.texts).empty()) return;
    for (const JsonField& field : with.fields) {
        const auto column = index_.find(schema_, field.name);
        if (!column) continue;
        const Type type = schema_.columns[*column].type;
        with.row.values[*column] = field.name == item_id_name
                                       ? id_back(type, field, with.row.texts)
                                       : value_back(type, field, with.row.texts);
    }
}

bool CosmosRows::same(std::span<const Value> row, std::string_view json) const {
    CosmosReading there;
    read(json, there);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const Type type = schema_.columns[i].type;
        const Value sent = settled(type, row[i], there.row.texts);
        if (!load::same(type, sent, there.row.values[i])) return false;
    }
    return true;
}

void CosmosRows::settle(Rows& rows) const {
    for (std::size_t column = 0; column < schema_.columns.size(); ++column) {
        if (schema_.columns[column].type != Type::json) continue;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            Value& value = rows.values[row * rows.width + column];
            value = settled(Type::json, value, rows.texts);
        }
    }
}

}  // namespace tool::load
