// SPDX-License-Identifier: Apache-2.0
#include "decimal.hpp"
#include "json_parsing.hpp"
#include "perdure/dynamodb/json.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

Trouble read_plain_list(ondemand::value& value, Value& to, int level) {
    if (level > deepest_reading) return words_for(simdjson::DEPTH_ERROR);
    List& list = to.emplace<List>();
    return each_entry(value, [&](ondemand::value& element) {
        return read_plain_value(element, list.emplace_back(), level + 1);
    });
}

Trouble read_plain_map(ondemand::value& value, Value& to, int level) {
    if (level > deepest_reading) return words_for(simdjson::DEPTH_ERROR);
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return words_for(error);
    return read_plain_attributes(object, to.emplace<Item>(), level + 1);
}

Trouble read_plain_scalar(ondemand::json_type type, ondemand::value& value, Value& to) {
    if (type == ondemand::json_type::string) {
        std::string_view text;
        if (const Trouble trouble = read_text(value, text)) return trouble;
        to.emplace<std::string>(text);
        return fine;
    }
    const std::string_view token = token_of(value);
    if (token == "null") to.emplace<Null>();
    else if (token == "true" || token == "false") to.emplace<bool>(token == "true");
    else if (is_json_number(token)) to.emplace<Number>(Number::as_written(std::string{token}));
    else return words_for(simdjson::TAPE_ERROR);
    return fine;
}

Result<Item> read_whole(std::string_view json,
                        Trouble (&read)(ondemand::object& object, Item& to, int level)) {
    Item item;
    const auto read_it = [&](ondemand::object& object) { return read(object, item, 0); };
    if (const Trouble trouble = read_root(json, read_it)) {
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "unreadable-json",
                     .message = std::string{"the text is no item: "} + trouble});
    }
    return item;
}

}  // namespace

Trouble read_plain_value(ondemand::value& value, Value& to, int level) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return words_for(error);
    if (type == ondemand::json_type::object) return read_plain_map(value, to, level);
    if (type == ondemand::json_type::array) return read_plain_list(value, to, level);
    return read_plain_scalar(type, value, to);
}

Trouble read_plain_attributes(ondemand::object& object, Item& to, int level) {
    return each_field(object, [&](std::string_view name, ondemand::value& value) -> Trouble {
        if (to.has(name)) return "an attribute stands there twice";
        return read_plain_value(value, to.append(name), level);
    });
}

Result<Item> item_from_json(std::string_view json) { return read_whole(json, read_attributes); }
Result<Item> item_from_plain_json(std::string_view json) {
    return read_whole(json, read_plain_attributes);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
