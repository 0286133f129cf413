// SPDX-License-Identifier: Apache-2.0
#include "text/duration_text.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tool {

namespace {

struct Unit {
    std::string_view name;
    Duration length;
};

constexpr std::array<Unit, 7> units{
    {{"ns", 1ns}, {"us", 1us}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};

Fail refused(std::string_view text, std::string_view why) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .message = "'" + std::string{text} + "' " + std::string{why}});
}

constexpr std::string_view not_one = "is not a duration; write 50ms, 1.5s, 2m or 1h30m";

// The number and the unit at the front of `rest`, which is moved behind them.
Result<double> take_part(std::string_view text, std::string_view& rest) {
    const bool digit = rest.front() >= '0' && rest.front() <= '9';
    if (!digit && rest.front() != '.') return refused(text, not_one);
    double number = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc{}) return refused(text, not_one);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));

    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789."));
    if (name.empty()) return refused(text, "has no unit; write ms, s, m, h or d behind the number");
    rest.remove_prefix(name.size());
    for (const Unit& unit : units)
        if (unit.name == name) return number * static_cast<double>(unit.length.count());
    return refused(text, not_one);
}

std::string thousandths(long long number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%lld.%03lld", number / 1000, number % 1000);
    return text.data();
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
    if (text == "0") return Duration::zero();
    if (text.empty()) return refused(text, not_one);
    if (text.front() == '-') return refused(text, "is negative; time only goes forward");
    double sum = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto part = take_part(text, rest);
        if (!part) return fail(part.error());
        sum += *part;
    }
    // A century is longer than any wait, and leaves room to add to.
    if (!(sum <= static_cast<double>(Duration{24h}.count()) * 36'525))
        return refused(text, "is longer than a century; leave the flag out for no limit");
    return Duration{std::llround(sum)};
}

std::string in_words(Duration duration) {
    const auto ns = static_cast<double>(duration.count());
    std::array<char, 64> text{};
    if (duration < 1us) std::snprintf(text.data(), text.size(), "%.0f ns", ns);
    else if (duration < 1ms) std::snprintf(text.data(), text.size(), "%.3g us", ns / 1e3);
    else if (duration < 1s) std::snprintf(text.data(), text.size(), "%.3g ms", ns / 1e6);
    else if (duration < 1min) std::snprintf(text.data(), text.size(), "%.3g s", ns / 1e9);
    else if (duration < 1h)
        std::snprintf(text.data(), text.size(), "%.0f m %.0f s", std::floor(ns / 60e9),
                      std::floor(std::fmod(ns, 60e9) / 1e9));
    else
        std::snprintf(text.data(), text.size(), "%.0f h %.0f m", std::floor(ns / 3600e9),
                      std::floor(std::fmod(ns, 3600e9) / 60e9));
    return text.data();
}

std::string in_seconds(Duration duration) { return thousandths(duration / 1ms); }

std::string in_milliseconds(Duration duration) { return thousandths(duration / 1us); }

}  // namespace tool
