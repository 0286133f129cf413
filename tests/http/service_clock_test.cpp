// SPDX-License-Identifier: Apache-2.0
//
// How far is a service's clock off, by its Date, and when is it followed?
#include "perdure/http/service_clock.hpp"

#include <gtest/gtest.h>

#include "perdure/http/date.hpp"

namespace perdure::http {
namespace {

const WallTime midnight = *parse_http_date("Thu, 01 Jan 2026 00:00:00 GMT", {});

Headers dated(WallTime at) {
    Headers headers;
    headers.add("Date", http_date(at));
    return headers;
}

TEST(ServiceClock, is_measured_against_the_middle_of_the_round_trip) {
    EXPECT_EQ(measured_skew(dated(midnight + 301s), midnight, midnight + 2s), 300s);
    EXPECT_EQ(measured_skew(dated(midnight - 59s), midnight, midnight + 2s), -60s);
    EXPECT_EQ(measured_skew(dated(midnight), midnight, midnight), 0s);
}

TEST(ServiceClock, is_not_measured_from_an_answer_that_does_not_tell_the_time) {
    Headers cached = dated(midnight + 300s);
    cached.add("age", "0");
    Headers unreadable;
    unreadable.add("Date", "2026-01-01T00:05:00Z");
    EXPECT_EQ(measured_skew({}, midnight, midnight + 2s), std::nullopt);
    EXPECT_EQ(measured_skew(cached, midnight, midnight + 2s), std::nullopt);
    EXPECT_EQ(measured_skew(unreadable, midnight, midnight + 2s), std::nullopt);
}

TEST(ServiceClock, is_not_measured_over_a_round_trip_of_more_than_15_minutes_or_less_than_none) {
    const auto headers = dated(midnight);
    EXPECT_EQ(measured_skew(headers, midnight, midnight + 15min), -450s);
    EXPECT_EQ(measured_skew(headers, midnight, midnight + 15min + 1ns), std::nullopt);
    EXPECT_EQ(measured_skew(headers, midnight, midnight - 1ns), std::nullopt);
    EXPECT_EQ(measured_skew(headers, WallTime::min(), WallTime::max()), std::nullopt);
}

TEST(ServiceClock, survives_every_year_a_server_may_name) {
    Headers far, early;
    far.add("Date", "Fri, 31 Dec 9999 23:59:59 GMT");
    early.add("Date", "Sat, 01 Jan 0000 00:00:00 GMT");
    const Duration century = std::chrono::years{100};
    for (const WallTime now : {WallTime::min(), midnight, WallTime::max()}) {
        const auto ahead = measured_skew(far, now, now);
        const auto behind = measured_skew(early, now, now);
        ASSERT_TRUE(ahead && behind);
        EXPECT_LE(*ahead, century);
        EXPECT_GE(*behind, -century);
        EXPECT_GE(corrected(now, *ahead), now);
        EXPECT_LE(corrected(now, *behind), now);
    }
    EXPECT_EQ(measured_skew(far, midnight, midnight), century);
    EXPECT_EQ(corrected(midnight, -1h), midnight - 1h);
}

TEST(ServiceClock, is_followed_over_tls_and_on_this_machine_only) {
    const struct {
        const char* url;
        Dates expected;
    } cases[] = {
        {"https://acct.documents.azure.com/", Dates::trusted},
        {"http://localhost:8081/", Dates::trusted},
        {"http://127.0.0.1:8081/", Dates::trusted},
        {"http://127.9.9.9/", Dates::trusted},
        {"http://[::1]:8081/", Dates::trusted},
        {"http://127.example.com/", Dates::untrusted},
        {"http://127.0.0.1.example.com/", Dates::untrusted},
        {"http://localhost.example.com/", Dates::untrusted},
        {"http://emulator:8081/", Dates::untrusted},
        {"http://10.1.2.3/", Dates::untrusted},
    };
    for (const auto& [url, expected] : cases)
        EXPECT_EQ(dates_of(parse_url(url).value()), expected) << url;
}

TEST(ServiceClock, is_followed_for_a_day_at_most) {
    for (const Duration near : {Duration{0}, Duration{24h}, Duration{-24h}}) {
        EXPECT_TRUE(may_follow(near, Dates::trusted));
        EXPECT_FALSE(may_follow(near, Dates::untrusted));
    }
    for (const Duration far :
         {Duration{24h + 1ns}, Duration{-24h - 1ns}, Duration::max(), Duration::min()})
        EXPECT_FALSE(may_follow(far, Dates::trusted));
}

TEST(ServiceClock, that_is_not_followed_is_named_beside_our_own) {
    Headers headers;
    headers.add("Date", "Fri, 31 Dec 9999 23:59:59 GMT");
    EXPECT_EQ(
        unfollowed(headers, midnight, Dates::trusted),
        "the service's clock says Fri, 31 Dec 9999 23:59:59 GMT and this machine's Thu, 01 Jan "
        "2026 00:00:00 GMT; a difference of more than 24 h is not followed");
    Headers hostile;
    hostile.add("Date", "never]0;");
    EXPECT_EQ(unfollowed(hostile, midnight, Dates::untrusted).find("never"), std::string::npos);
}

}  // namespace
}  // namespace perdure::http
