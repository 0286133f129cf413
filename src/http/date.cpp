// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/date.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

constexpr std::array<std::string_view, 7> short_days = {"Sun", "Mon", "Tue", "Wed",
                                                        "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> long_days = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Moment {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
};

// Reads from left to right; after the first disappointment everything it gives is zero.
class Reader {
public:
    explicit Reader(std::string_view text) : left_{text} {}

    void literal(std::string_view words) {
        if (left_.starts_with(words)) left_.remove_prefix(words.size());
        else good_ = false;
    }
    int digits(std::size_t count) {
        int number = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i >= left_.size() || left_[i] < '0' || left_[i] > '9') return good_ = false, 0;
            number = number * 10 + (left_[i] - '0');
        }
        left_.remove_prefix(count);
        return number;
    }
    // From 1; 0 for none of them. No name here begins with another one.
    unsigned one_of(std::span<const std::string_view> names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (left_.starts_with(names[i])) {
                left_.remove_prefix(names[i].size());
                return static_cast<unsigned>(i) + 1;
            }
        good_ = false;
        return 0;
    }
    // "06" or " 6", as asctime writes it.
    unsigned padded_day() {
        if (!left_.starts_with(' ')) return static_cast<unsigned>(digits(2));
        left_.remove_prefix(1);
        return static_cast<unsigned>(digits(1));
    }
    void time_into(Moment& moment) {
        moment.hour = digits(2);
        literal(":");
        moment.minute = digits(2);
        literal(":");
        moment.second = digits(2);
    }
    [[nodiscard]] bool done() const { return good_ && left_.empty(); }

private:
    std::string_view left_;
    bool good_ = true;
};

// Before it becomes a WallTime, which has room for 585 years only.
using Seconds = std::chrono::sys_seconds;

std::optional<Seconds> seconds_of(const Moment& moment) {
    using namespace std::chrono;
    const year_month_day date{year{moment.year}, month{moment.month}, day{moment.day}};
    const bool leap = moment.second == 60 && moment.hour == 23 && moment.minute == 59;
    if (!date.ok() || moment.hour > 23 || moment.minute > 59 || (moment.second > 59 && !leap))
        return std::nullopt;
    return sys_days{date} + hours{moment.hour} + minutes{moment.minute} + seconds{moment.second};
}

WallTime within_range(Seconds at) {
    constexpr auto first = std::chrono::ceil<std::chrono::seconds>(WallTime::min());
    constexpr auto last = std::chrono::floor<std::chrono::seconds>(WallTime::max());
    return at < first ? WallTime::min() : at > last ? WallTime::max() : WallTime{at};
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<Moment> imf_fixdate(std::string_view text) {
    Reader reader{text};
    Moment moment;
    reader.one_of(short_days);
    reader.literal(", ");
    moment.day = static_cast<unsigned>(reader.digits(2));
    reader.literal(" ");
    moment.month = reader.one_of(months);
    reader.literal(" ");
    moment.year = reader.digits(4);
    reader.literal(" ");
    reader.time_into(moment);
    reader.literal(" GMT");
    return reader.done() ? std::optional{moment} : std::nullopt;
}

// "Sunday, 06-Nov-94 08:49:37 GMT"; the year is one of a century, from 0.
std::optional<Moment> rfc_850(std::string_view text) {
    Reader reader{text};
    Moment moment;
    reader.one_of(long_days);
    reader.literal(", ");
    moment.day = static_cast<unsigned>(reader.digits(2));
    reader.literal("-");
    moment.month = reader.one_of(months);
    reader.literal("-");
    moment.year = reader.digits(2);
    reader.literal(" ");
    reader.time_into(moment);
    reader.literal(" GMT");
    return reader.done() ? std::optional{moment} : std::nullopt;
}

// "Sun Nov  6 08:49:37 1994"
std::optional<Moment> asctime(std::string_view text) {
    Reader reader{text};
    Moment moment;
    reader.one_of(short_days);
    reader.literal(" ");
    moment.month = reader.one_of(months);
    reader.literal(" ");
    moment.day = reader.padded_day();
    reader.literal(" ");
    reader.time_into(moment);
    reader.literal(" ");
    moment.year = reader.digits(4);
    return reader.done() ? std::optional{moment} : std::nullopt;
}

// The latest year that ends in these digits and is not more than 50 years ahead. By the moment and
// not by the year, as the RFC says it; a 29th of February that the year does not have is no date.
std::optional<Seconds> with_century(Moment moment, WallTime now) {
    using namespace std::chrono;
    const auto midnight = floor<days>(now);
    const year_month_day today{midnight};
    // By the calendar: 50 average years end a few hours before or after the same day and time. From a
    // 29th of February it is the 1st of March.
    const auto limit = sys_days{today + years{50}} + (floor<seconds>(now) - midnight);
    const int this_year = static_cast<int>(today.year());
    const int two_digits = moment.year;
    moment.year = this_year - this_year % 100 + 100 + two_digits;
    for (int centuries = 0; centuries < 2; ++centuries, moment.year -= 100) {
        // Where a year lacks the day, the one before it decides which century is meant.
        Moment judged = moment;
        if (judged.day == 29 && judged.month == 2) judged.day = 28;
        const auto at = seconds_of(judged);
        if (at && *at <= limit) break;
    }
    return seconds_of(moment);
}

void append_two(std::string& text, int number) {
    text += static_cast<char>('0' + number / 10);
    text += static_cast<char>('0' + number % 10);
}

}  // namespace

std::optional<WallTime> parse_http_date(std::string_view text, WallTime now) {
    std::optional<Seconds> at;
    if (const auto fixed = imf_fixdate(text)) at = seconds_of(*fixed);
    else if (const auto old = rfc_850(text)) at = with_century(*old, now);
    else if (const auto older = asctime(text)) at = seconds_of(*older);
    return at ? std::optional{within_range(*at)} : std::nullopt;
}

std::string http_date(WallTime at) {
    using namespace std::chrono;
    const auto whole = floor<seconds>(at);
    const auto today = floor<days>(whole);
    const year_month_day date{today};
    const int number = static_cast<int>(date.year());
    const auto second = static_cast<int>((whole - today).count());
    std::string text{short_days[weekday{today}.c_encoding()]};
    text += ", ";
    append_two(text, static_cast<int>(static_cast<unsigned>(date.day())));
    text += ' ';
    text += months[static_cast<unsigned>(date.month()) - 1];
    text += ' ';
    append_two(text, number / 100);
    append_two(text, number % 100);
    text += ' ';
    append_two(text, second / 3600);
    text += ':';
    append_two(text, second / 60 % 60);
    text += ':';
    append_two(text, second % 60);
    return text + " GMT";
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
