// SPDX-License-Identifier: Apache-2.0
#include "settings_words.hpp"

#include <array>
#include <charconv>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Fail invalid_setting(const Setting& setting, std::string_view must) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "invalid-setting",
                 .message = setting.where + " must " + std::string{must}});
}

std::optional<Setting> look_up(const Surroundings& surroundings, const Profile& profile,
                               std::string_view variable, std::string_view property) {
    if (const auto value = surroundings.variable(variable); !value.empty())
        return Setting{std::string{value}, std::string{variable}};
    auto found = profile.find(property);
    if (found) found->where += " (" + std::string{property} + ")";
    return found;
}

Result<Switch> switch_from(const std::optional<Setting>& setting, Switch otherwise) {
    static constexpr std::array<std::pair<std::string_view, Switch>, 2> words{
        {{"true", Switch::on}, {"false", Switch::off}}};
    if (!setting) return otherwise;
    return word_from<Switch>(*setting, words, "be true or false");
}

Result<int> number_from(const Setting& setting, int least, int most, std::string_view must) {
    const std::string_view digits = trimmed(setting.value);
    int number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || number < least ||
        number > most)
        return invalid_setting(setting, must);
    return number;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
