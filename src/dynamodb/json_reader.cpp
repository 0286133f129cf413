// SPDX-License-Identifier: Apache-2.0
#include "json_reader.hpp"

#include "json_parsing.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Lets the functions here make nodes and look into them.
struct JsonAccess {
    static ondemand::value& value(const JsonNode& node) noexcept {
        return *static_cast<ondemand::value*>(node.value_);
    }
    static Result<void> hand_over(MemberReader& member, std::string_view name,
                                  ondemand::value& value) {
        JsonNode node{&value};
        return member(name, node);
    }
    static Result<void> hand_over(ElementReader& element, ondemand::value& value) {
        JsonNode node{&value};
        return element(node);
    }
};

namespace {

ondemand::value& in(const JsonNode& node) noexcept { return JsonAccess::value(node); }

// The reader's own failure, carried past the functions that know only words.
constexpr Trouble stopped = "stopped";

class Outcome {
public:
    Trouble keep(Result<void> result) {
        if (result) return fine;
        result_ = std::move(result);
        return stopped;
    }
    Result<void> give(Trouble trouble) {
        if (trouble == fine || trouble == stopped) return std::move(result_);
        return fail(unreadable(trouble));
    }

private:
    Result<void> result_{};
};

template <class T>
Result<T> result_of(Trouble trouble, T value) {
    if (trouble) return fail(unreadable(trouble));
    return value;
}

Trouble each_member_of(ondemand::object& object, MemberReader& member, Outcome& outcome) {
    return each_field(object, [&](std::string_view name, ondemand::value& value) {
        return outcome.keep(JsonAccess::hand_over(member, name, value));
    });
}

Result<Item> item_of(ondemand::value& value,
                     Trouble (&read)(ondemand::object& object, Item& to, int level)) {
    Item item;
    ondemand::object object;
    Trouble trouble = words_for(value.get_object().get(object));
    if (!trouble) trouble = read(object, item, 0);
    return result_of(trouble, std::move(item));
}

}  // namespace

Failure unreadable(std::string message) {
    return {.cause = Cause::corrupt,
            .code = "unreadable-answer",
            .message = "the answer cannot be read: " + std::move(message)};
}

Result<void> read_object(std::string_view json, MemberReader member) {
    Outcome outcome;
    const auto read = [&](ondemand::object& object) {
        return each_member_of(object, member, outcome);
    };
    return outcome.give(read_root(json, read));
}

Result<JsonKind> JsonNode::kind() {
    ondemand::json_type type{};
    if (const auto error = in(*this).type().get(type)) return fail(unreadable(words_for(error)));
    switch (type) {
        case ondemand::json_type::array: return JsonKind::array;
        case ondemand::json_type::object: return JsonKind::object;
        case ondemand::json_type::number: return JsonKind::number;
        case ondemand::json_type::string: return JsonKind::string;
        case ondemand::json_type::boolean: return JsonKind::boolean;
        case ondemand::json_type::null: return JsonKind::none;
    }
    return fail(unreadable(words_for(simdjson::TAPE_ERROR)));
}

bool JsonNode::is_null() { return token_of(in(*this)) == "null"; }

Result<Value> JsonNode::value() {
    Value value;
    const Trouble trouble = read_value(in(*this), value, 0);
    return result_of(trouble, std::move(value));
}

Result<Item> JsonNode::item() { return item_of(in(*this), read_attributes); }
Result<Item> JsonNode::plain_item() { return item_of(in(*this), read_plain_attributes); }

Result<std::string> JsonNode::text() {
    std::string_view text;
    if (const Trouble trouble = read_text(in(*this), text)) return fail(unreadable(trouble));
    return std::string{text};
}

Result<std::string_view> JsonNode::view() {
    std::string_view text;
    const Trouble trouble = read_text(in(*this), text);
    return result_of(trouble, text);
}

Result<double> JsonNode::real() {
    double number = 0;
    const Trouble trouble = words_for(in(*this).get_double().get(number));
    return result_of(trouble, number);
}

Result<std::int64_t> JsonNode::integer() {
    std::int64_t number = 0;
    const Trouble trouble = words_for(in(*this).get_int64().get(number));
    return result_of(trouble, number);
}

Result<bool> JsonNode::truth() {
    bool truth = false;
    const Trouble trouble = words_for(in(*this).get_bool().get(truth));
    return result_of(trouble, truth);
}

Result<std::string> JsonNode::raw() {
    PERDURE_TRY_VALUE(const JsonKind kind, this->kind());
    std::string_view json = token_of(in(*this));
    Trouble trouble = fine;
    if (kind == JsonKind::object) {
        ondemand::object object;
        trouble = words_for(in(*this).get_object().get(object));
        if (!trouble) trouble = words_for(object.raw_json().get(json));
    } else if (kind == JsonKind::array) {
        ondemand::array array;
        trouble = words_for(in(*this).get_array().get(array));
        if (!trouble) trouble = words_for(array.raw_json().get(json));
    }
    return result_of(trouble, std::string{without_space_behind(json)});
}

Result<void> JsonNode::each_member(MemberReader member) {
    Outcome outcome;
    ondemand::object object;
    Trouble trouble = words_for(in(*this).get_object().get(object));
    if (!trouble) trouble = each_member_of(object, member, outcome);
    return outcome.give(trouble);
}

Result<void> JsonNode::each_element(ElementReader element) {
    Outcome outcome;
    const Trouble trouble = each_entry(in(*this), [&](ondemand::value& value) {
        return outcome.keep(JsonAccess::hand_over(element, value));
    });
    return outcome.give(trouble);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
