// SPDX-License-Identifier: Apache-2.0
#include "load/source/typed_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "load/source/json_record_fault.hpp"

namespace tool::load {

namespace {

constexpr std::size_t date_length = 10;
constexpr std::size_t time_length = 8;
constexpr std::size_t uuid_length = 36;

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Of digits only; -1: there are others.
int number_at(std::string_view text, std::size_t at, std::size_t digits) noexcept {
    int number = 0;
    for (const char c : text.substr(at, digits)) {
        if (!is_digit(c)) return -1;
        number = number * 10 + (c - '0');
    }
    return number;
}

std::optional<std::chrono::sys_days> day_of(std::string_view text) noexcept {
    if (text.size() != date_length || text[4] != '-' || text[7] != '-') return std::nullopt;
    const int year = number_at(text, 0, 4);
    const int month = number_at(text, 5, 2);
    const int day = number_at(text, 8, 2);
    if (year < 1 || month < 1 || day < 1) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date};
}

// hh:mm:ss
std::optional<std::chrono::seconds> time_of(std::string_view text) noexcept {
    if (text.size() != time_length || text[2] != ':' || text[5] != ':') return std::nullopt;
    const int hours = number_at(text, 0, 2);
    const int minutes = number_at(text, 3, 2);
    const int seconds = number_at(text, 6, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
        return std::nullopt;
    return std::chrono::seconds{(hours * 60 + minutes) * 60 + seconds};
}

// PostgreSQL takes up to 15:59 either way.
std::optional<int> zone_of(std::string_view text) noexcept {
    if (text == "Z") return 0;
    if (text.size() != 3 && text.size() != 5 && text.size() != 6) return std::nullopt;
    if ((text[0] != '+' && text[0] != '-') || (text.size() == 6 && text[3] != ':'))
        return std::nullopt;
    const int hours = number_at(text, 1, 2);
    const int minutes = text.size() == 3 ? 0 : number_at(text, text.size() - 2, 2);
    if (hours < 0 || hours > 15 || minutes < 0 || minutes > 59) return std::nullopt;
    return (text[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

std::string_view without_end_zeros(std::string_view digits) noexcept {
    return digits.substr(0, digits.find_last_not_of('0') + 1);
}

// In UTC, where the zone is known.
std::int64_t utc_seconds(const Timestamp& time) noexcept {
    return time.seconds - std::int64_t{time.zone.value_or(0)} * 60;
}

// Years 1 to 9999 have one form everywhere.
bool is_in_range(const Timestamp& time) noexcept {
    using namespace std::chrono;
    constexpr sys_seconds first{sys_days{year{1} / January / 1}};
    constexpr sys_seconds end{sys_days{year{10'000} / January / 1}};
    const sys_seconds at{seconds{utc_seconds(time)}};
    return at >= first && at < end;
}

std::string_view one_timestamp(std::string_view text, std::string& buffer) {
    const auto time = parse_timestamp(text);
    if (!time) return text;
    using namespace std::chrono;
    const sys_seconds at{seconds{utc_seconds(*time)}};
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss clock{at - day};
    std::array<char, 48> written{};
    const int length = std::snprintf(
        written.data(), written.size(), "%04d-%02u-%02uT%02d:%02d:%02d",
        static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
        static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
    buffer.assign(written.data(), static_cast<std::size_t>(length));
    if (!time->fraction.empty()) buffer.append(1, '.').append(time->fraction);
    if (time->zone) buffer += 'Z';
    return buffer;
}

// A number taken apart: value = digits × 10^exponent, with no zero at either end of the digits.
struct Decimal {
    bool negative = false;
    std::string_view mantissa{};  // as written, from its first digit that counts to its last
    std::int64_t digits = 0;      // in the mantissa; 0: the number is 0
    std::int64_t exponent = 0;
};

// Far outside of every limit, and small enough to calculate with.
std::int64_t exponent_of(std::string_view text) noexcept {
    constexpr std::int64_t beyond = 1'000'000'000;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    std::int64_t exponent = 0;
    for (const char c : text) exponent = std::min(beyond, exponent * 10 + (c - '0'));
    return negative ? -exponent : exponent;
}

std::optional<Decimal> parse_decimal(std::string_view text) noexcept {
    if (number_form(text) == NumberForm::none) return std::nullopt;
    Decimal made{.negative = text.front() == '-'};
    const std::size_t e = text.find_first_of("eE");
    const std::string_view written = text.substr(0, e);
    const std::size_t first = written.find_first_not_of("-0.");
    if (first == std::string_view::npos) return Decimal{};
    const std::size_t end = written.find_last_not_of("0.") + 1;
    made.mantissa = written.substr(first, end - first);
    made.digits = std::ssize(made.mantissa) - std::ranges::count(made.mantissa, '.');
    if (e != std::string_view::npos) made.exponent = exponent_of(text.substr(e + 1));
    const std::size_t point = std::min(written.find('.'), written.size());
    // Of the last digit that counts: in front of the point, or behind it.
    if (end <= point) made.exponent += static_cast<std::int64_t>(point - end);
    else made.exponent -= static_cast<std::int64_t>(end - point - 1);
    return made;
}

DecimalSize size_of(const Decimal& number) noexcept {
    if (number.digits == 0) return {};
    return {std::max<std::int64_t>(0, number.digits + number.exponent),
            std::max<std::int64_t>(0, -number.exponent)};
}

// Without an exponent, unless that would be long.
std::string_view one_decimal(std::string_view text, std::string& buffer) {
    constexpr std::int64_t longest = 200;
    const auto number = parse_decimal(text);
    if (!number) return text;
    const DecimalSize size = size_of(*number);
    std::string digits;
    std::ranges::copy_if(number->mantissa, std::back_inserter(digits), is_digit);
    buffer = number->negative ? "-" : "";
    if (number->digits == 0) buffer = "0";
    else if (size.whole > longest || size.fraction > longest)
        buffer += digits + 'e' + std::to_string(number->exponent);
    else if (number->exponent >= 0)
        buffer.append(digits).append(static_cast<std::size_t>(number->exponent), '0');
    else if (size.whole == 0)
        buffer.append("0.")
            .append(static_cast<std::size_t>(size.fraction - number->digits), '0')
            .append(digits);
    else
        buffer.append(digits, 0, static_cast<std::size_t>(size.whole))
            .append(1, '.')
            .append(digits, static_cast<std::size_t>(size.whole));
    return buffer;
}

std::string_view one_uuid(std::string_view text, std::string& buffer) {
    if (!is_uuid(text)) return text;
    buffer = text;
    for (char& c : buffer)
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return buffer;
}

}  // namespace

bool is_date(std::string_view text) noexcept { return day_of(text).has_value(); }

bool is_uuid(std::string_view text) noexcept {
    if (text.size() != uuid_length) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (c != '-') return false;
        } else if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !(c >= 'A' && c <= 'F')) {
            return false;
        }
    }
    return true;
}

std::optional<Timestamp> parse_timestamp(std::string_view text) noexcept {
    constexpr std::size_t most_digits = 9;
    constexpr std::size_t shortest = date_length + 1 + time_length;
    if (text.size() < shortest || (text[date_length] != 'T' && text[date_length] != ' '))
        return std::nullopt;
    const auto day = day_of(text.substr(0, date_length));
    const auto time = time_of(text.substr(date_length + 1, time_length));
    if (!day || !time) return std::nullopt;
    Timestamp made{.seconds = (day->time_since_epoch() + *time) / std::chrono::seconds{1}};
    std::size_t end = shortest;
    if (end < text.size() && text[end] == '.') {
        ++end;
        while (end < text.size() && is_digit(text[end])) ++end;
        const std::string_view digits = text.substr(shortest + 1, end - shortest - 1);
        if (digits.empty() || digits.size() > most_digits) return std::nullopt;
        made.fraction = without_end_zeros(digits);
    }
    made.without_zone = end;
    if (end < text.size()) {
        made.zone = zone_of(text.substr(end));
        if (!made.zone) return std::nullopt;
    }
    return is_in_range(made) ? std::optional{made} : std::nullopt;
}

std::optional<DecimalSize> decimal_size(std::string_view text) noexcept {
    const auto number = parse_decimal(text);
    return number ? std::optional{size_of(*number)} : std::nullopt;
}

bool is_decimal(std::string_view text) noexcept {
    constexpr std::int64_t most_whole = 131'072;
    constexpr std::int64_t most_fraction = 16'383;
    const auto size = decimal_size(text);
    return size && size->whole <= most_whole && size->fraction <= most_fraction;
}

std::string_view one_form(Type type, std::string_view text, std::string& buffer) {
    switch (type) {
        case Type::numeric: return one_decimal(text, buffer);
        case Type::timestamp:
        case Type::timestamptz: return one_timestamp(text, buffer);
        case Type::uuid: return one_uuid(text, buffer);
        default: return text;
    }
}

}  // namespace tool::load
