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

TEST(Skew, that_is_huge_is_judged_without_an_overflow) {
    const Duration century = std::chrono::years{100};
    EXPECT_TRUE(is_skew("AuthFailure", century, -century));
    EXPECT_TRUE(is_skew("AuthFailure", Duration::min(), Duration::max()));
}

// A signature for another year is good in that year.
TEST(Skew, of_more_than_a_day_is_not_followed) {
    ClockSkew client;
    for (const Duration ahead : {Duration{24h + 1s}, Duration{-24h - 1s}}) {
        CallSkew call{client};
        EXPECT_FALSE(call.heard("AuthFailure", dated(midnight + ahead), midnight, midnight));
        call.keep();
        EXPECT_EQ(call.signing_time(midnight), midnight);
    }
    EXPECT_FALSE(client.known());
    CallSkew call{client};
    EXPECT_TRUE(call.heard("AuthFailure", dated(midnight + 24h), midnight, midnight));
    EXPECT_EQ(call.signing_time(midnight), midnight + 24h);
}

TEST(Skew, is_not_followed_where_anybody_on_the_way_can_write_the_date) {
    ClockSkew client{http::Dates::untrusted};
    CallSkew call{client};
    EXPECT_FALSE(call.heard("AuthFailure", dated(midnight + 1h), midnight, midnight));
    call.keep();
    EXPECT_EQ(client.get(), 0s);
}

// Clients whose clocks differ would empty the sets that others fill: counts would be lost or doubled.
TEST(Skew, that_is_not_followed_still_tells_the_window_of_a_count) {
    ClockSkew client{http::Dates::untrusted};
    const struct {
        Duration said;
        Duration told;
    } cases[] = {{-1h, -1h}, {10s, 10s}, {24h * 365, 24h}, {-24h * 365, -24h}};
    for (const auto& at : cases) {
        CallSkew call{client};
        call.heard({}, dated(midnight + at.said), midnight, midnight);
        call.keep();
        EXPECT_EQ(client.told(), at.told);
        EXPECT_EQ(client.get(), 0s);
    }
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
