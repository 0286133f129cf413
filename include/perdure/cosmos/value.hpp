// SPDX-License-Identifier: Apache-2.0
//
// How does a value get into an item, a query's parameter or a patch? As JSON; plain values are written so.
//
//     Value{"Zürich"}           "Zürich" in quotes
//     Value{42}, Value{1.5}, Value{true}, Value{nullptr}
//     Value::raw(R"([1, 2])")   text that is JSON already; checked when it is sent
//     object({{"id", id}, {"name", name}, {"tags", array({"new", tag})}})
//
// Text is escaped, so that what a user types stays within its quotes. Joined by hand it would not.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Property;

// A plain value.
class Value {
public:
    Value(std::nullptr_t) : json_{"null"} {}
    Value(std::string_view text);
    Value(const std::string& text) : Value{std::string_view{text}} {}
    Value(const char* text) : Value{std::string_view{text}} {}
    Value(double number);
    template <class T>
        requires std::same_as<T, bool>
    Value(T truth) : json_{truth ? "true" : "false"} {}
    template <std::integral T>
        requires(!std::same_as<T, bool>)
    Value(T number) : json_{std::to_string(number)} {}
    static Value raw(std::string json);

    [[nodiscard]] const std::string& json() const noexcept { return json_; }
    // What cannot be sent: text that is not UTF-8, numbers that are none, raw text that is not one
    // JSON value. The failure is `invalid`, of the application, "invalid-value".
    [[nodiscard]] Result<void> check() const;

private:
    enum class Form : std::uint8_t { good, raw, bad };
    Value(std::string json, Form form) : json_{std::move(json)}, form_{form} {}

    friend Value object(const std::vector<Property>& properties);
    friend Value array(const std::vector<Value>& elements);

    std::string json_;
    Form form_ = Form::good;
};

struct Property {
    std::string_view name{};
    Value value{nullptr};
};

// In this order. One with a value that cannot be sent, or with a name twice, cannot be sent itself: check()
// fails, and json() is empty, which every request refuses as `invalid-item`.
[[nodiscard]] Value object(const std::vector<Property>& properties);
[[nodiscard]] Value array(const std::vector<Value>& elements);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
