// SPDX-License-Identifier: Apache-2.0
#include "doctor/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "text/calendar.hpp"
#include "text/duration_text.hpp"
#include "tune/latency_fields.hpp"
#include "tune/tune_words.hpp"

namespace tool::doctor {

std::string percent(double share) { return tool::percent(share); }
std::string rest_percent(double missing) {
    if (missing <= 0) return "100 %";
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(missing))) - 1, 0, 9);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, 100 * (1 - missing));
    std::string whole{text.data()};
    if (whole.find('.') != std::string::npos) {
        whole.erase(whole.find_last_not_of('0') + 1);
        if (whole.ends_with('.')) whole.pop_back();
    }
    return whole + " %";
}

std::string decimal(double number, int digits) { return tool::decimal(number, digits); }
std::string number_words(std::uint64_t number) { return tool::grouped(number); }
std::string time_words(std::int64_t nanoseconds) { return in_words(Duration{nanoseconds}); }
std::string utc(std::int64_t since_1970) { return in_utc(WallTime{Duration{since_1970}}); }
std::string shown(std::string_view name) { return name.empty() ? "(unnamed)" : printable(name); }

std::string list_words(const std::vector<std::string>& names) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
        text += (i == 0 ? "" : ", ") + shown(names[i]);
    if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
    return text;
}

}  // namespace tool::doctor
