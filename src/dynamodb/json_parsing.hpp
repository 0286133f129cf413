// SPDX-License-Identifier: Apache-2.0
//
// How is simdjson asked? The one private header that knows it.
//
// Only what is asked for is read, so each step can find something wrong; what it was is a literal,
// and nothing at all means that all is well.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "perdure/call/function_ref.hpp"
#include "perdure/dynamodb/item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace ondemand = simdjson::ondemand;

// What is wrong with the text, in a literal's words.
using Trouble = const char*;
inline constexpr Trouble fine = nullptr;

[[nodiscard]] Trouble words_for(simdjson::error_code error) noexcept;

// Levels of lists and maps within one another, twice what the service allows.
inline constexpr int deepest_reading = 64;

// Hands over the object that is the whole text, and sees that nothing stands behind it. The object and
// all views into it are good until this returns.
[[nodiscard]] Trouble read_root(std::string_view json,
                                FunctionRef<Trouble(ondemand::object& object)> read);

// The quote that ends a string, or the first escape in it. simdjson has seen that the string is closed.
[[nodiscard]] const char* end_or_escape(const char* text) noexcept;

// Both views are good until read_root returns; without a copy where nothing was escaped.
[[nodiscard]] inline Trouble read_name(ondemand::field& field, std::string_view& name) noexcept {
    const char* const begin = field.key().raw();
    const char* at = begin;
    while (*at != '"' && *at != '\\') ++at;
    if (*at == '\\') return words_for(field.unescaped_key().get(name));
    name = {begin, static_cast<std::size_t>(at - begin)};
    return fine;
}
[[nodiscard]] Trouble read_text(ondemand::value& value, std::string_view& text) noexcept;
[[nodiscard]] std::string_view without_space_behind(std::string_view json) noexcept;
[[nodiscard]] std::string_view token_of(ondemand::value& value) noexcept;

// {"S":"…"} and {"pk":{"S":"…"}}
[[nodiscard]] Trouble read_value(ondemand::value& value, Value& to, int level);
[[nodiscard]] Trouble read_attributes(ondemand::object& object, Item& to, int level);
// The same as plain JSON.
[[nodiscard]] Trouble read_plain_value(ondemand::value& value, Value& to, int level);
[[nodiscard]] Trouble read_plain_attributes(ondemand::object& object, Item& to, int level);

// each(name, value) -> Trouble
template <class Each>
[[nodiscard]] Trouble each_field(ondemand::object& object, Each&& each) {
    for (auto result : object) {
        ondemand::field field;
        if (const auto error = std::move(result).get(field)) return words_for(error);
        std::string_view name;
        if (const Trouble trouble = read_name(field, name)) return trouble;
        if (const Trouble trouble = each(name, field.value())) return trouble;
    }
    return fine;
}

// each(value) -> Trouble
template <class Each>
[[nodiscard]] Trouble each_entry(ondemand::value& value, Each&& each) {
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return words_for(error);
    for (auto result : array) {
        ondemand::value element;
        if (const auto error = std::move(result).get(element)) return words_for(error);
        if (const Trouble trouble = each(element)) return trouble;
    }
    return fine;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
