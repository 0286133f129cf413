// SPDX-License-Identifier: Apache-2.0
//
// How does a word in a variable or a file become a value? Or a failure that says what may stand there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "profile.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// "AWS_RETRY_MODE must be …": never with what it is, which may be a secret in the wrong place.
Fail invalid_setting(const Setting& setting, std::string_view must);

// A variable of the environment, else a property of the profile.
std::optional<Setting> look_up(const Surroundings& surroundings, const Profile& profile,
                               std::string_view variable, std::string_view property);

// What stands for each, without regard to case. `must` ends the message: "be true or false".
template <class Value>
using Words = std::span<const std::pair<std::string_view, Value>>;

template <class Value>
Result<Value> word_from(const Setting& setting, Words<Value> words, std::string_view must) {
    const std::string word = lower_case(setting.value);
    for (const auto& [name, value] : words)
        if (word == name) return value;
    return invalid_setting(setting, must);
}

// "true" or "false"; nothing said is `otherwise`.
enum class Switch : unsigned char { off, on };
Result<Switch> switch_from(const std::optional<Setting>& setting, Switch otherwise = Switch::off);

Result<int> number_from(const Setting& setting, int least, int most, std::string_view must);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
