// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/retry_after.hpp"

#include <gtest/gtest.h>

#include <string>

#include "perdure/http/date.hpp"

namespace perdure::http {
namespace {

const WallTime received_at = WallTime{} + std::chrono::seconds{1'800'000'000};

TEST(RetryAfter, is_a_number_of_seconds_or_a_date) {
    const struct {
        std::string value;
        std::optional<Duration> wait;
    } cases[] = {
        {"0", 0s},
        {"1", 1s},
        {"120", 2min},
        {"007", 7s},
        {" 5\t", 5s},
        {"86400", 24h},
        {http_date(received_at + 90s), 90s},
        {http_date(received_at), 0s},
        {http_date(received_at - 90s), 0s},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0s},
        {"Friday, 15-Jan-27 08:01:30 GMT", 90s},
        {"Fri Jan 15 08:01:30 2027", 90s},
    };
    for (const auto& [value, wait] : cases)
        EXPECT_EQ(parse_retry_after(value, received_at), wait) << value;
}

TEST(RetryAfter, is_never_longer_than_a_day) {
    for (const std::string& value :
         {std::string{"86401"}, std::string{"9223372036854775807"},
          std::string{"18446744073709551617"}, std::string(1000, '9'), http_date(received_at + 25h),
          std::string{"Fri, 31 Dec 9999 23:59:59 GMT"}})
        EXPECT_EQ(parse_retry_after(value, received_at), longest_retry_after) << value;
}

TEST(RetryAfter, is_nothing_when_it_makes_no_sense) {
    for (const char* const value :
         {"", " ", "-1", "+1", "1.5", "1s", "1 2", "1,1", "0x10", "1e3", "soon", "never", "\0x",
          "Fri, 15 Jan 2027 08:01:30", "Fri, 15 Jan 2027 08:01:30 CET", "\xd9\xa1"})
        EXPECT_EQ(parse_retry_after(value, received_at), std::nullopt) << value;
}

TEST(RetryAfter, survives_clocks_at_the_ends_of_their_range) {
    const std::string last = "Fri, 31 Dec 9999 23:59:59 GMT";
    const std::string first = "Sat, 01 Jan 0000 00:00:00 GMT";
    EXPECT_EQ(parse_retry_after(last, WallTime::min()), longest_retry_after);
    EXPECT_EQ(parse_retry_after(last, WallTime::max()), 0s);
    EXPECT_EQ(parse_retry_after(last, WallTime::max() - 1h), 1h);
    EXPECT_EQ(parse_retry_after(first, WallTime::min()), 0s);
}

}  // namespace
}  // namespace perdure::http
