// SPDX-License-Identifier: Apache-2.0
#include "tune/tune_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "text/calendar.hpp"

namespace tool {

std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
    return text;
}

std::string decimal(double number, int digits) {
    std::array<char, 64> text{};
    const double size = std::abs(number);
    const int before = size >= 1 ? static_cast<int>(std::log10(size)) + 1 : 1;
    if (size > 0 && size < 1e-4) std::snprintf(text.data(), text.size(), "%.0e", number);
    else if (size > 0 && size < 1) std::snprintf(text.data(), text.size(), "%.*g", digits, number);
    else std::snprintf(text.data(), text.size(), "%.*f", std::max(digits - before, 0), number);
    std::string trimmed{text.data()};
    if (trimmed.find('.') != std::string::npos && trimmed.find('e') == std::string::npos) {
        trimmed.erase(trimmed.find_last_not_of('0') + 1);
        if (trimmed.ends_with('.')) trimmed.pop_back();
    }
    return trimmed;
}

std::string percent(double share) { return decimal(100 * share, 2) + " %"; }

std::string percentile_name(double above) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "p%.7g", 100 * (1 - above));
    return text.data();
}

std::string short_words(Duration width) {
    if (width % 24h == Duration::zero()) return std::to_string(width / 24h) + " d";
    if (width % 1h == Duration::zero()) return std::to_string(width / 1h) + " h";
    if (width % 1min == Duration::zero()) return std::to_string(width / 1min) + " min";
    return decimal(in_ms(width) / 1000, 4) + " s";
}

std::string minute_of(WallTime at) {
    std::string text = in_utc(at);
    const bool whole = text.substr(17, 6) == "00.000";
    text[10] = ' ';
    return text.substr(0, whole ? 16 : 19);
}

std::string cpp_text(Duration wait) {
    if (wait % 1s == Duration::zero() && wait >= 1s) return std::to_string(wait / 1s) + "s";
    if (wait % 1ms == Duration::zero()) return std::to_string(wait / 1ms) + "ms";
    if (wait % 1us == Duration::zero()) return std::to_string(wait / 1us) + "us";
    return std::to_string(wait.count()) + "ns";
}

namespace {

// A power of ten; what is a multiple of it has at most so many digits that matter.
Duration::rep step_for(Duration wait, int digits) {
    Duration::rep step = 1, limit = 1;
    for (; digits > 0; --digits) limit *= 10;
    while (wait.count() / step >= limit) step *= 10;
    return step;
}

}  // namespace

Duration rounded_down(Duration wait, int digits) {
    const Duration::rep step = step_for(wait, digits);
    return Duration{wait.count() / step * step};
}

Duration rounded_up(Duration wait) {
    const Duration::rep step = step_for(wait, 3);
    const Duration down = rounded_down(wait, 3);
    return down == wait || never - down < Duration{step} ? down : down + Duration{step};
}

double in_ms(Duration wait) { return std::chrono::duration<double, std::milli>(wait).count(); }

}  // namespace tool
