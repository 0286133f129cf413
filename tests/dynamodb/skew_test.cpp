// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/skew.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <simdjson.h>

#include "dynamodb/vectors.hpp"
#include "perdure/http/date.hpp"

namespace perdure::dynamodb {
namespace {

const WallTime midnight = moment(2026, 1, 1);

http::Headers dated(WallTime at) {
    http::Headers headers;
    headers.add("Date", http::http_date(at));
    return headers;
}

TEST(Skew, is_measured_against_the_middle_of_the_round_trip) {
    EXPECT_EQ(measured_skew(dated(midnight + 301s), midnight, midnight + 2s), 300s);
    EXPECT_EQ(measured_skew(dated(midnight - 59s), midnight, midnight + 2s), -60s);
    EXPECT_EQ(measured_skew(dated(midnight), midnight, midnight), 0s);
}

TEST(Skew, is_not_measured_from_an_answer_that_does_not_tell_the_time) {
    http::Headers cached = dated(midnight + 300s);
    cached.add("age", "0");
    http::Headers unreadable;
    unreadable.add("Date", "2026-01-01T00:05:00Z");
    EXPECT_EQ(measured_skew({}, midnight, midnight + 2s), std::nullopt);
    EXPECT_EQ(measured_skew(cached, midnight, midnight + 2s), std::nullopt);
    EXPECT_EQ(measured_skew(unreadable, midnight, midnight + 2s), std::nullopt);
}

TEST(Skew, is_not_measured_over_a_round_trip_of_more_than_15_minutes_or_less_than_none) {
    const auto headers = dated(midnight);
    EXPECT_EQ(measured_skew(headers, midnight, midnight + 15min), -450s);
    EXPECT_EQ(measured_skew(headers, midnight, midnight + 15min + 1ns), std::nullopt);
    EXPECT_EQ(measured_skew(headers, midnight, midnight - 1ns), std::nullopt);
    EXPECT_EQ(measured_skew(headers, WallTime::min(), WallTime::max()), std::nullopt);
}

TEST(Skew, survives_every_year_a_server_may_name) {
    http::Headers far, early;
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
    EXPECT_TRUE(is_skew("AuthFailure", century, -century));
    EXPECT_TRUE(is_skew("AuthFailure", Duration::min(), Duration::max()));
    EXPECT_EQ(corrected(midnight, -1h), midnight - 1h);
}

TEST(Skew, is_the_reason_only_for_five_codes_and_beyond_4_minutes) {
    for (const char* const code :
         {"InvalidSignatureException", "SignatureDoesNotMatch", "AuthFailure",
          "RequestTimeTooSkewed", "AccessDeniedException"}) {
        EXPECT_FALSE(is_skew(code, 0s, 0s)) << code;
        EXPECT_FALSE(is_skew(code, 0s, 4min)) << code;
        EXPECT_FALSE(is_skew(code, 0s, -4min)) << code;
        EXPECT_TRUE(is_skew(code, 0s, 4min + 1ns)) << code;
        EXPECT_TRUE(is_skew(code, 0s, -4min - 1ns)) << code;
        EXPECT_FALSE(is_skew(code, 1h, 1h + 1s)) << code;
        EXPECT_TRUE(is_skew(code, 1h, 0s)) << code;
    }
    for (const char* const code : {"RequestExpired", "RequestInTheFuture", "ValidationException",
                                   "ExpiredTokenException", "authfailure", ""})
        EXPECT_FALSE(is_skew(code, 0s, 1h)) << code;
}

TEST(Skew, of_a_call_is_kept_only_if_it_was_measured) {
    ClockSkew client;
    client.set(5s);
    CallSkew silent{client};
    EXPECT_FALSE(silent.heard("RequestTimeTooSkewed", {}, midnight, midnight + 1s));
    silent.keep();
    EXPECT_EQ(client.get(), 5s);
    EXPECT_EQ(silent.signing_time(midnight), midnight + 5s);
}

// A call that another one overtook judges its answer by the skew it signed with itself.
TEST(Skew, is_judged_by_what_the_attempt_was_signed_with) {
    ClockSkew client;
    CallSkew call{client};
    client.set(300s);
    EXPECT_EQ(call.signing_time(midnight), midnight);
    EXPECT_TRUE(
        call.heard("InvalidSignatureException", dated(midnight + 300s), midnight, midnight));
    EXPECT_EQ(call.signing_time(midnight), midnight + 300s);
    EXPECT_FALSE(
        call.heard("InvalidSignatureException", dated(midnight + 300s), midnight, midnight));
}

using simdjson::dom::element;

WallTime time_in(const element& attempt, std::string_view name) {
    return moment(std::string{std::string_view{attempt[name]}});
}

http::Headers headers_of(const element& response) {
    http::Headers headers;
    for (const auto [name, value] : simdjson::dom::object(response["headers"]))
        headers.add(name, std::string_view{value});
    return headers;
}

// Plays the attempts of one call; whether the last answer was a success.
bool play(const element& operation, CallSkew& call) {
    const simdjson::dom::array attempts = operation["attempts"];
    std::size_t left = attempts.size();
    std::int64_t limit = 0;
    const bool limited = operation["maxAttempts"].get(limit) == simdjson::SUCCESS;
    for (const element attempt : attempts) {
        const WallTime sent = time_in(attempt, "clientTimeAtSend");
        EXPECT_EQ(call.signing_time(sent), time_in(attempt, "expectedSigningTime"));
        const element response = attempt["response"];
        std::string_view code;
        const bool failed = response["errorCode"].get(code) == simdjson::SUCCESS;
        const bool again =
            call.heard(code, headers_of(response), sent, time_in(attempt, "clientTimeAtReceive"));
        EXPECT_EQ(again, --left > 0 || (failed && limited));
        if (left == 0) return !failed;
    }
    return false;
}

TEST(Skew, follows_all_10_published_scenarios) {
    const std::string json = contents(vectors("clock-skew") / "clock-skew-test-cases.json");
    if (json.empty()) GTEST_SKIP() << "no clock-skew vectors at " << vectors("clock-skew");
    simdjson::dom::parser parser;
    const element document = parser.parse(json);
    int count = 0;
    for (const element scenario : simdjson::dom::array(document["tests"])) {
        SCOPED_TRACE(std::string_view{scenario["description"]});
        ClockSkew client;
        bool first = true;
        for (const element operation : simdjson::dom::array(scenario["operations"])) {
            const std::chrono::seconds before{std::int64_t{operation["initialClientSkew"]}};
            if (std::exchange(first, false)) client.set(before);
            EXPECT_EQ(client.get(), before);
            CallSkew call{client};
            const bool succeeded = play(operation, call);
            call.keep();
            EXPECT_EQ(succeeded ? "success" : "error",
                      std::string_view{operation["expectedOutcome"]});
            EXPECT_EQ(client.get(),
                      std::chrono::seconds{std::int64_t{operation["expectedClientSkew"]}});
        }
        ++count;
    }
    EXPECT_EQ(count, 10);
}

}  // namespace
}  // namespace perdure::dynamodb
