// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/date.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace perdure::http {
namespace {

using namespace std::chrono;

constexpr WallTime moment(int y, unsigned m, unsigned d, int hour = 0, int minute = 0,
                          int second = 0) {
    return sys_days{year{y} / static_cast<int>(m) / static_cast<int>(d)} + hours{hour} +
           minutes{minute} + seconds{second};
}

constexpr WallTime today = moment(2026, 11, 16, 12);

TEST(HttpDate, reads_all_three_forms) {
    const WallTime same = moment(1994, 11, 6, 8, 49, 37);
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", today), same);
    EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", today), same);
    EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", today), same);
    EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994", today), moment(1994, 11, 16, 8, 49, 37));
    EXPECT_EQ(parse_http_date("Tue Nov 06 08:49:37 1994", today), same);
}

TEST(HttpDate, knows_the_calendar) {
    const struct {
        const char* text;
        std::optional<WallTime> at;
    } cases[] = {
        {"Thu, 01 Jan 1970 00:00:00 GMT", WallTime{}},
        {"Wed, 31 Dec 1969 23:59:59 GMT", WallTime{} - 1s},
        {"Tue, 29 Feb 2000 00:00:00 GMT", moment(2000, 2, 29)},
        {"Thu, 29 Feb 2024 23:59:59 GMT", moment(2024, 2, 29, 23, 59, 59)},
        {"Thu, 29 Feb 1900 00:00:00 GMT", std::nullopt},
        {"Sun, 29 Feb 2026 00:00:00 GMT", std::nullopt},
        {"Mon, 31 Apr 2026 00:00:00 GMT", std::nullopt},
        {"Mon, 00 Apr 2026 00:00:00 GMT", std::nullopt},
        {"Mon, 32 Jan 2026 00:00:00 GMT", std::nullopt},
        {"Mon, 05 Jan 2026 24:00:00 GMT", std::nullopt},
        {"Mon, 05 Jan 2026 00:60:00 GMT", std::nullopt},
        {"Sat, 31 Dec 2016 23:59:60 GMT", moment(2017, 1, 1)},  // a leap second
        {"Sat, 31 Dec 2016 22:59:60 GMT", std::nullopt},
        {"Sat, 31 Dec 2016 23:59:61 GMT", std::nullopt},
        // A weekday that does not fit the date is forgiven.
        {"Sat, 01 Jan 1970 00:00:00 GMT", WallTime{}},
    };
    for (const auto& [text, at] : cases) EXPECT_EQ(parse_http_date(text, today), at) << text;
}

TEST(HttpDate, refuses_everything_that_is_not_exactly_one_of_the_forms) {
    for (const char* const text : {
             "",
             " ",
             "0",
             "now",
             "Sun, 06 Nov 1994 08:49:37",
             "Sun, 06 Nov 1994 08:49:37 UTC",
             "Sun, 06 Nov 1994 08:49:37 GMT ",
             " Sun, 06 Nov 1994 08:49:37 GMT",
             "Sun, 06 Nov 1994 08:49:37 +0000",
             "Sun,  06 Nov 1994 08:49:37 GMT",
             "Sun, 6 Nov 1994 08:49:37 GMT",
             "Sun 06 Nov 1994 08:49:37 GMT",
             "sun, 06 Nov 1994 08:49:37 GMT",
             "Sun, 06 nov 1994 08:49:37 GMT",
             "Sun, 06 Nov 1994 8:49:37 GMT",
             "Sun, 06 Nov 94 08:49:37 GMT",
             "Sun, 06 Nov 19940 08:49:37 GMT",
             "Sun, 06 Nov -994 08:49:37 GMT",
             "Sun, 06-Nov-1994 08:49:37 GMT",
             "Sun, 06-Nov-94 08:49:37 GMT",  // a short weekday in the long form
             "Sunday, 06-Nov-1994 08:49:37 GMT",
             "Sunday, 6-Nov-94 08:49:37 GMT",
             "Sun Nov 6 08:49:37 1994",
             "Sun Nov   6 08:49:37 1994",
             "Sun Nov  6 08:49:37 94",
             "Sun Nov  6 08:49:37 1994 GMT",
             "1994-11-06T08:49:37Z",
         })
        EXPECT_EQ(parse_http_date(text, today), std::nullopt) << text;
}

TEST(HttpDate, takes_a_two_digit_year_as_at_most_fifty_years_ahead) {
    const struct {
        WallTime now;
        const char* text;
        int year;
    } cases[] = {
        {today, "Monday, 16-Nov-26 00:00:00 GMT", 2026},
        {today, "Monday, 16-Nov-25 00:00:00 GMT", 2025},
        {today, "Monday, 16-Nov-27 00:00:00 GMT", 2027},
        {today, "Monday, 01-Jan-76 00:00:00 GMT", 2076},
        {today, "Monday, 31-Dec-76 00:00:00 GMT", 1976},  // fifty years and six weeks ahead
        {today, "Monday, 16-Nov-76 12:00:00 GMT", 2076},  // fifty years to the second
        {today, "Monday, 16-Nov-76 12:00:01 GMT", 1976},
        {moment(2020, 6, 2, 18), "Thursday, 02-Jun-70 17:59:59 GMT", 2070},
        {moment(2020, 6, 2, 18), "Thursday, 02-Jun-70 18:00:01 GMT", 1970},
        {moment(2028, 2, 29, 6), "Tuesday, 01-Mar-78 06:00:00 GMT", 2078},
        {moment(2028, 2, 29, 6), "Wednesday, 01-Mar-78 06:00:01 GMT", 1978},
        {today, "Monday, 16-Nov-77 00:00:00 GMT", 1977},
        {today, "Monday, 16-Nov-99 00:00:00 GMT", 1999},
        {today, "Monday, 16-Nov-00 00:00:00 GMT", 2000},
        {moment(2060, 1, 1), "Monday, 16-Nov-05 00:00:00 GMT", 2105},
        {moment(1999, 12, 31), "Monday, 01-Jan-00 00:00:00 GMT", 2000},
    };
    for (const auto& [now, text, expected] : cases) {
        const auto at = parse_http_date(text, now);
        ASSERT_TRUE(at) << text;
        EXPECT_EQ(year_month_day{floor<days>(*at)}.year(), year{expected}) << text;
    }
    EXPECT_TRUE(parse_http_date("Tuesday, 29-Feb-00 00:00:00 GMT", today));
    // The year meant is 2100, which has no such day.
    EXPECT_FALSE(parse_http_date("Tuesday, 29-Feb-00 00:00:00 GMT", moment(2080, 1, 1)));
}

TEST(HttpDate, holds_what_is_out_of_range_at_its_end) {
    EXPECT_EQ(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT", today), WallTime::max());
    EXPECT_EQ(parse_http_date("Sat, 01 Jan 0000 00:00:00 GMT", today), WallTime::min());
    for (const WallTime now : {WallTime::min(), WallTime::max()})
        EXPECT_TRUE(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now));
}

TEST(HttpDate, reads_what_it_wrote_to_the_second) {
    EXPECT_EQ(http_date(moment(1994, 11, 6, 8, 49, 37) + 999ms), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(http_date(WallTime{} - 1ns), "Wed, 31 Dec 1969 23:59:59 GMT");
    constexpr std::uint64_t seed = 20261116;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    for (int i = 0; i < 2000; ++i) {
        const WallTime at{Duration{static_cast<Duration::rep>(random())}};
        const std::string text = http_date(at);
        EXPECT_EQ(text.size(), 29U);
        const auto read = parse_http_date(text, today);
        // The very first second of the range has no whole one before it.
        const auto whole =
            std::max<sys_seconds>(floor<seconds>(at), ceil<seconds>(WallTime::min()));
        EXPECT_EQ(read, WallTime{whole}) << text;
    }
}

}  // namespace
}  // namespace perdure::http
