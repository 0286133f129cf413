// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = valid_character(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view space = " \t\r\n";
    const auto first = text.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

// As a member of an object it is read as this member and nothing more.
bool is_one_value(const std::string& json) {
    const std::string around = R"({"v":)" + json + "}";
    if (!valid_item(around)) return false;
    const auto inside = read_text(around, "/v");
    return inside && *inside == trimmed(json);
}

}  // namespace

Value::Value(std::string_view text) : form_{is_utf8(text) ? Form::good : Form::bad} {
    append_json_text(json_, text);
}

Value::Value(double number) : form_{std::isfinite(number) ? Form::good : Form::bad} {
    std::array<char, 32> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    json_ = form_ == Form::good ? std::string{digits.data(), written.ptr} : "null";
}

Value Value::raw(std::string json) { return {std::move(json), Form::raw}; }

Result<void> Value::check() const {
    if (form_ == Form::good || (form_ == Form::raw && is_one_value(json_))) return {};
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-value",
                 .message = form_ == Form::raw
                                ? "a raw value is not one JSON value"
                                : "a value is no UTF-8, a number that JSON does not have, or an "
                                  "object with a name twice"});
}

Value object(const std::vector<Property>& properties) {
    Value made{"{", Value::Form::good};
    bool fine = true;
    for (auto one = properties.begin(); one != properties.end(); ++one) {
        const auto same = [&](const Property& other) { return other.name == one->name; };
        fine = fine && is_utf8(one->name) && one->value.check() &&
               std::none_of(one + 1, properties.end(), same);
        if (one != properties.begin()) made.json_ += ',';
        append_json_text(made.json_, one->name);
        made.json_.append(1, ':').append(one->value.json_);
    }
    made.json_ += '}';
    if (!fine) made = Value{{}, Value::Form::bad};
    return made;
}

Value array(const std::vector<Value>& elements) {
    Value made{"[", Value::Form::good};
    bool fine = true;
    for (const Value& element : elements) {
        fine = fine && element.check();
        if (made.json_.size() > 1) made.json_ += ',';
        made.json_ += element.json_;
    }
    made.json_ += ']';
    if (!fine) made = Value{{}, Value::Form::bad};
    return made;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
