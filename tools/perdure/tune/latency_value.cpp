// SPDX-License-Identifier: Apache-2.0
#include "tune/latency_value.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

namespace tool {

namespace {

struct Unit {
    std::string_view name;
    Duration length;
};

constexpr std::array<Unit, 21> units{{{"ns", 1ns},     {"nanos", 1ns},        {"nanoseconds", 1ns},
                                      {"us", 1us},     {"\u00b5s", 1us},      {"\u03bcs", 1us},
                                      {"micros", 1us}, {"microseconds", 1us}, {"ms", 1ms},
                                      {"msec", 1ms},   {"millis", 1ms},       {"milliseconds", 1ms},
                                      {"s", 1s},       {"sec", 1s},           {"secs", 1s},
                                      {"second", 1s},  {"seconds", 1s},       {"m", 1min},
                                      {"min", 1min},   {"minutes", 1min},     {"h", 1h}}};

constexpr double longest = 1e18;  // nanoseconds; 31 years, and room to double it

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Takes digits off the front; -1 if there are not exactly so many.
int digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return -1;
    int number = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return -1;
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return number;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

Duration fraction(std::string_view& text) {
    Duration sum{}, place = 100ms;
    if (!text.starts_with('.') && !text.starts_with(',')) return sum;
    text.remove_prefix(1);
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
        sum += place * (text.front() - '0');
        place /= 10;
    }
    return sum;
}

// What has to be taken off to get to UTC.
std::optional<Duration> zone(std::string_view text) {
    if (text.empty() || text == "Z" || text == "z" || text == " UTC") return Duration::zero();
    const int sign = text.front() == '-' ? -1 : 1;
    if (!take(text, '+') && !take(text, '-')) return std::nullopt;
    const int hours = digits(text, 2);
    take(text, ':');
    const int minutes = text.empty() ? 0 : digits(text, 2);
    if (hours < 0 || minutes < 0 || !text.empty()) return std::nullopt;
    return sign * (hours * 1h + minutes * 1min);
}

constexpr const char* no_time = "the time is neither an epoch nor like 2026-11-16T10:23:57Z";

Read<WallTime> read_calendar(std::string_view text) {
    using namespace std::chrono;
    const int y = digits(text, 4);
    if (y < 0 || !take(text, '-')) return {{}, no_time};
    const int m = digits(text, 2);
    if (m < 0 || !take(text, '-')) return {{}, no_time};
    const int d = digits(text, 2);
    const year_month_day date{year{y}, month{static_cast<unsigned>(std::max(m, 0))},
                              day{static_cast<unsigned>(std::max(d, 0))}};
    if (!date.ok() || y < 1970 || y > 2200) return {{}, no_time};
    Duration within{};
    if (take(text, 'T') || take(text, 't') || take(text, ' ')) {
        const int hour = digits(text, 2);
        if (hour < 0 || hour > 24 || !take(text, ':')) return {{}, no_time};
        const int minute = digits(text, 2);
        const int second = take(text, ':') ? digits(text, 2) : 0;
        if (minute < 0 || minute > 59 || second < 0 || second > 60) return {{}, no_time};
        within = hour * 1h + minute * 1min + second * 1s + fraction(text);
    }
    const auto ahead = zone(text);
    if (!ahead) return {{}, no_time};
    return {WallTime{sys_days{date}.time_since_epoch() + within - *ahead}};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

std::optional<Duration> unit_named(std::string_view name) {
    const auto same = [&](const Unit& unit) {
        return std::ranges::equal(unit.name, name, {}, {}, lower);
    };
    const auto found = std::ranges::find_if(units, same);
    return found == units.end() ? std::nullopt : std::optional{found->length};
}

std::optional<Duration> unit_in_name(std::string_view name) {
    // A byte of a longer character belongs to a word: "µs" does not end in a word "s".
    const auto in_word = [](char c) { return is_letter(c) || static_cast<unsigned char>(c) > 127; };
    while (!name.empty() && !in_word(name.back())) name.remove_suffix(1);
    std::size_t start = name.size();
    while (start > 0 && in_word(name[start - 1])) --start;
    if (start > 0) return unit_named(name.substr(start));
    // The name is a unit. "min" may as well be a minimum.
    if (const auto unit = unit_named(name); unit && *unit <= 1s) return unit;
    // "durationMs": the last word begins with a capital.
    const std::size_t capital = name.find_last_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (capital == std::string_view::npos || capital == 0) return std::nullopt;
    return unit_named(name.substr(capital));
}

Read<Duration> read_latency(std::string_view text, std::optional<Duration> unit) {
    text = trimmed(text);
    if (text.empty()) return {{}, "the latency is empty"};
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || std::isnan(number)) return {{}, "the latency is not a number"};
    if (const auto rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
        !rest.empty()) {
        unit = unit_named(rest);
        if (!unit) return {{}, "the latency has an unknown unit"};
    }
    if (!unit) return {{}, "the latency has no unit"};
    if (!(number >= 0)) return {{}, "the latency is negative"};
    const double length = number * static_cast<double>(unit->count());
    if (!(length < longest)) return {{}, "the latency is longer than 30 years"};
    return {Duration{std::llround(length)}};
}

Read<WallTime> read_time(std::string_view text) {
    text = trimmed(text);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return read_calendar(text);
    // Seconds reach 1e11 in the year 5138; what is larger counts in something smaller.
    while (number >= 1e11 && number < 1e20) number /= 1000;
    const bool whole = number >= 0 && number < 7.2e9;
    if (!whole) return {{}, no_time};
    return {WallTime{Duration{std::llround(number * 1e9)}}};
}

bool says_yes(std::string_view text) {
    constexpr std::array<std::string_view, 5> yes{"true", "1", "yes", "t", "y"};
    return std::ranges::any_of(
        yes, [&](std::string_view word) { return std::ranges::equal(word, text, {}, {}, lower); });
}

}  // namespace tool
