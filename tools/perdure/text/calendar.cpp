// SPDX-License-Identifier: Apache-2.0
#include "text/calendar.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace tool {

namespace {

template <class... Numbers>
std::string written(const char* format, Numbers... numbers) {
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), format, numbers...);
    return text.data();
}

constexpr long long hours_of_a_week = 168;
// 1970 began on a Thursday.
constexpr std::array<const char*, 7> days{"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};

struct Place {
    long long second, minute, hour, day;
};

std::string crontab_fields(const Schedule& schedule, const Place& at) {
    const Duration period = schedule.period;
    const long long minutes = period / 1min;
    const long long hours = period / 1h;
    if (period % 1min != Duration::zero()) return {};
    if (minutes == 1) return "* * * * *";
    if (minutes < 60 && 60 % minutes == 0)
        return written("%lld-59/%lld * * * *", at.minute, minutes);
    if (period % 1h != Duration::zero()) return {};
    if (hours == 1) return written("%lld * * * *", at.minute);
    if (hours < 24 && 24 % hours == 0)
        return written("%lld %lld-23/%lld * * *", at.minute, at.hour, hours);
    if (hours == 24) return written("%lld %lld * * *", at.minute, at.hour);
    if (hours == hours_of_a_week)
        return written("%lld %lld * * %s", at.minute, at.hour,
                       days.at(static_cast<std::size_t>(at.day)));
    return {};
}

std::string systemd_fields(const Schedule& schedule, const Place& at) {
    const Duration period = schedule.period;
    const long long seconds = period / 1s;
    const long long minutes = period / 1min;
    const long long hours = period / 1h;
    if (period % 1s != Duration::zero()) return {};
    if (seconds < 60 && 60 % seconds == 0)
        return written("*-*-* *:*:%02lld/%lld UTC", at.second, seconds);
    if (period % 1min != Duration::zero()) return {};
    if (minutes < 60 && 60 % minutes == 0)
        return written("*-*-* *:%02lld/%lld:%02lld UTC", at.minute, minutes, at.second);
    if (period % 1h != Duration::zero()) return {};
    if (hours < 24 && 24 % hours == 0)
        return written("*-*-* %02lld/%lld:%02lld:%02lld UTC", at.hour, hours, at.minute, at.second);
    if (hours == 24)
        return written("*-*-* %02lld:%02lld:%02lld UTC", at.hour, at.minute, at.second);
    if (hours == hours_of_a_week)
        return written("%s *-*-* %02lld:%02lld:%02lld UTC",
                       days.at(static_cast<std::size_t>(at.day)), at.hour, at.minute, at.second);
    return {};
}

}  // namespace

Calendar calendar_of(const Schedule& schedule) {
    const Duration offset = schedule.offset;
    const Place at{.second = offset % 1min / 1s,
                   .minute = offset % 1h / 1min,
                   .hour = offset % 24h / 1h,
                   .day = offset / 24h};
    Calendar calendar{.crontab = crontab_fields(schedule, at),
                      .systemd = systemd_fields(schedule, at)};
    if (!calendar.crontab.empty()) calendar.crontab += written(" sleep %lld; COMMAND", at.second);
    if (!calendar.systemd.empty()) calendar.systemd = "OnCalendar=" + calendar.systemd;
    return calendar;
}

std::string in_utc(WallTime at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::milliseconds>(at - day)};
    return written("%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                   static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                   static_cast<int>(time.seconds().count()),
                   static_cast<int>(time.subseconds().count()));
}

std::string utc_minute(std::uint64_t seconds_since_1970) {
    const WallTime at{std::chrono::seconds{static_cast<std::int64_t>(seconds_since_1970)}};
    const std::string text = in_utc(at);
    return text.substr(0, 10) + ' ' + text.substr(11, 5) + " UTC";
}

}  // namespace tool
