// SPDX-License-Identifier: Apache-2.0
//
// How does a value get into a query's parameter or a patch? As JSON; plain values are written so.
//
//     Value{"Zürich"}           "Zürich" in quotes
//     Value{42}, Value{1.5}, Value{true}, Value{nullptr}
//     Value::raw(R"([1, 2])")   text that is JSON already; checked when it is sent
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

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

    std::string json_;
    Form form_ = Form::good;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
