// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/classify.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <random>
#include <set>
#include <string>

#include "http/headers_with.hpp"
#include "perdure/http/date.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/policy/decide.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::http {
namespace {

const WallTime now = WallTime{} + std::chrono::seconds{1'800'000'000};

Stop first_decision(const Failure& failure, Safety safety) {
    testing::FixedRandom random{0.5};
    return decide(Rule{}, failure, {.safety = safety, .unresolved = failure.effect}, random).stop;
}

TEST(HttpTable, says_what_a_status_means_and_who_may_repeat_it) {
    constexpr Stop again = Stop::none;
    const struct {
        int status;
        Cause cause;
        Effect effect;
        Stop read;
        Stop once;
    } cases[] = {
        {400, Cause::invalid, Effect::none, Stop::permanent, Stop::permanent},
        {401, Cause::credentials, Effect::none, again, again},
        {403, Cause::forbidden, Effect::none, Stop::permanent, Stop::permanent},
        {404, Cause::not_found, Effect::none, Stop::permanent, Stop::permanent},
        {407, Cause::forbidden, Effect::none, Stop::permanent, Stop::permanent},
        {408, Cause::timed_out, Effect::unknown, again, Stop::unsafe},
        {409, Cause::conflict, Effect::none, Stop::permanent, Stop::permanent},
        {410, Cause::not_found, Effect::none, Stop::permanent, Stop::permanent},
        {412, Cause::conflict, Effect::none, Stop::permanent, Stop::permanent},
        {413, Cause::too_large, Effect::none, Stop::permanent, Stop::permanent},
        {421, Cause::stale_route, Effect::none, again, again},
        {423, Cause::contended, Effect::none, again, again},
        {425, Cause::unavailable, Effect::none, again, again},
        {429, Cause::throttled, Effect::none, again, again},
        {500, Cause::internal, Effect::unknown, again, Stop::unsafe},
        {501, Cause::invalid, Effect::none, Stop::permanent, Stop::permanent},
        {502, Cause::unavailable, Effect::unknown, again, Stop::unsafe},
        {503, Cause::unavailable, Effect::unknown, again, Stop::unsafe},
        {504, Cause::timed_out, Effect::unknown, again, Stop::unsafe},
        {507, Cause::too_large, Effect::unknown, Stop::permanent, Stop::unsafe},
        {511, Cause::forbidden, Effect::none, Stop::permanent, Stop::permanent},
    };
    for (const auto& [status, cause, effect, read, once] : cases) {
        SCOPED_TRACE(status);
        const Failure failure = classify(status, {}, now);
        EXPECT_EQ(failure.cause, cause);
        EXPECT_EQ(failure.effect, effect);
        EXPECT_EQ(failure.status, status);
        EXPECT_EQ(failure.code, std::to_string(status));
        EXPECT_EQ(failure.origin, Origin::service);
        EXPECT_EQ(failure.first_cause, cause);
        EXPECT_EQ(first_decision(failure, Safety::read), read);
        EXPECT_EQ(first_decision(failure, Safety::idempotent), read);
        EXPECT_EQ(first_decision(failure, Safety::once), once);
    }
}

TEST(HttpTable, has_a_row_for_every_registered_failure_and_every_row_says_why) {
    std::set<int> registered = {421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 510, 511};
    for (int status = 400; status <= 417; ++status) registered.insert(status);
    for (int status = 500; status <= 508; ++status) registered.insert(status);
    std::set<int> seen;
    for (const StatusRow& row : http_rows()) {
        SCOPED_TRACE(row.status);
        seen.insert(row.status);
        EXPECT_EQ(row.code, std::to_string(row.status));
        EXPECT_TRUE(row.why.ends_with('.'));
        EXPECT_FALSE(row.name.empty() || row.source.empty());
        EXPECT_EQ(&row_of(row.status), &row);
        // A refusal did nothing; only 408 is said of work that was begun.
        const bool refusal = row.status < 500 && row.status != 408;
        EXPECT_TRUE(!refusal || row.effect == Effect::none);
    }
    EXPECT_EQ(seen, registered);
}

TEST(HttpTable, takes_an_unknown_status_as_the_first_of_its_class) {
    for (const int status : {418, 420, 430, 449, 499}) EXPECT_EQ(row_of(status).status, 400);
    for (const int status : {509, 520, 529, 599, 600, 999, 100000})
        EXPECT_EQ(row_of(status).status, 500);
    const Failure failure = classify(599, {}, now);
    EXPECT_EQ(failure.code, "599");
    EXPECT_EQ(failure.status, 599);
    EXPECT_EQ(failure.message, "taken as 500 Internal Server Error");
}

TEST(HttpTable, never_repeats_an_answer_that_is_no_failure) {
    for (const int status : {-1, 0, 100, 101, 200, 204, 302, 303, 304, 399}) {
        const Failure failure = classify(status, {}, now);
        EXPECT_EQ(failure.cause, Cause::invalid) << status;
        EXPECT_EQ(failure.effect, Effect::unknown) << status;
        EXPECT_EQ(first_decision(failure, Safety::read), Stop::permanent) << status;
    }
}

TEST(HttpClassify, honours_retry_after_in_both_forms) {
    const std::string in_a_minute = http_date(now + 1min);
    EXPECT_EQ(classify(503, {}, now).retry_after, std::nullopt);
    EXPECT_EQ(classify(503, with({{"Retry-After", "7"}}), now).retry_after, 7s);
    EXPECT_EQ(classify(429, with({{"retry-after", in_a_minute}}), now).retry_after, 1min);
    EXPECT_EQ(classify(503, with({{"Retry-After", "soon"}}), now).retry_after, std::nullopt);
    // Nothing else changes: a hint does not tell whether a proxy had forwarded the request.
    EXPECT_EQ(classify(503, with({{"Retry-After", "7"}}), now).cause, Cause::unavailable);
}

TEST(HttpClassify, measures_a_date_on_the_clock_that_made_it) {
    const WallTime theirs = now + 1h;  // an hour ahead of ours
    const std::string date = http_date(theirs);
    const std::string until = http_date(theirs + 30s);
    EXPECT_EQ(classify(503, with({{"Date", date}, {"Retry-After", until}}), now).retry_after, 30s);
    EXPECT_EQ(classify(503, with({{"Date", "?"}, {"Retry-After", until}}), now).retry_after,
              1h + 30s);
    EXPECT_EQ(classify(503, with({{"Date", date}, {"Retry-After", "9"}}), now).retry_after, 9s);
}

TEST(HttpClassify, keeps_the_id_of_the_request_if_it_can_be_printed) {
    const std::string longest(1000, 'a');
    const struct {
        Headers headers;
        std::string id;
    } cases[] = {
        {{}, ""},
        {with({{"X-Request-Id", "a-1"}}), "a-1"},
        {with({{"x-amzn-RequestId", "b-2"}}), "b-2"},
        {with({{"x-ms-request-id", "c-3"}}), "c-3"},
        {with({{"CF-Ray", "edge"}}), "edge"},
        {with({{"CF-Ray", "edge"}, {"X-Request-Id", "origin"}}), "origin"},
        {with({{"X-Request-Id", ""}, {"CF-Ray", "edge"}}), "edge"},
        {with({{"X-Request-Id", "two words"}, {"CF-Ray", "edge"}}), "edge"},
        {with({{"X-Request-Id", "\x1b[2J"}}), ""},
        {with({{"X-Request-Id", "\xc3\xa4"}}), ""},
        {with({{"X-Request-Id", longest}}), std::string(128, 'a')},
    };
    for (const auto& [headers, id] : cases) EXPECT_EQ(classify(500, headers, now).request_id, id);
}

TEST(HttpClassify, says_something_sane_about_any_status) {
    constexpr std::uint32_t seed = 4711;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    for (int i = 0; i < 5000; ++i) {
        const int status = static_cast<int>(random());
        const Failure failure = classify(status, {}, now);
        EXPECT_EQ(failure.status, status);
        EXPECT_FALSE(failure.message.empty());
        if (is_repeatable(failure.cause) && failure.effect == Effect::none) {
            EXPECT_GE(status, 400);
            EXPECT_LT(status, 500);
        }
    }
}

TEST(Troubles, have_distinct_codes_and_every_row_says_why) {
    std::set<std::string_view> codes;
    for (const StatusRow& row : trouble_rows()) {
        SCOPED_TRACE(row.code);
        EXPECT_TRUE(codes.insert(row.code).second);
        EXPECT_EQ(row.status, 0);
        EXPECT_EQ(trouble_row(row.code), &row);
        EXPECT_TRUE(row.why.ends_with('.'));
        EXPECT_FALSE(row.name.empty() || row.source.empty());
    }
    EXPECT_EQ(trouble_row("frobnicated"), nullptr);
}

TEST(Troubles, are_without_effect_before_a_byte_was_sent_and_what_the_attempt_knows_after) {
    EXPECT_EQ(trouble("ECONNREFUSED", Effect::unknown).effect, Effect::none);
    EXPECT_EQ(trouble("ECONNRESET", Effect::none).effect, Effect::none);
    EXPECT_EQ(trouble("ECONNRESET", Effect::unknown).effect, Effect::unknown);
    EXPECT_EQ(trouble("truncated", Effect::applied).effect, Effect::applied);
    EXPECT_EQ(trouble("frobnicated", Effect::unknown).cause, Cause::unavailable);
    EXPECT_EQ(trouble("tls-certificate", Effect::none, "expired").message, "expired");
    EXPECT_EQ(trouble("closed", Effect::none).message, "connection closed without an answer");
    EXPECT_EQ(trouble("invalid-request", Effect::none).origin, Origin::application);
    EXPECT_TRUE(trouble("ECONNREFUSED", Effect::none).remedies.has(Remedy::mark_endpoint));
}

TEST(Troubles, agree_with_what_net_says_of_errors_of_the_system) {
    using net::Doing;
    const struct {
        int error;
        Doing doing;
    } cases[] = {
        {EMFILE, Doing::opening},           {ENFILE, Doing::opening},
        {ENOBUFS, Doing::sending},          {ENOMEM, Doing::receiving},
        {EADDRNOTAVAIL, Doing::connecting}, {ECONNREFUSED, Doing::connecting},
        {ENETUNREACH, Doing::receiving},    {EHOSTUNREACH, Doing::sending},
        {ECONNRESET, Doing::receiving},     {EPIPE, Doing::sending},
        {ETIMEDOUT, Doing::receiving},
    };
    for (const auto& [error, doing] : cases) {
        const Failure failure = net::failure_of(error, doing);
        SCOPED_TRACE(failure.code);
        const StatusRow* const row = trouble_row(failure.code);
        ASSERT_TRUE(row);
        EXPECT_EQ(failure.cause, row->cause);
        EXPECT_EQ(failure.effect, row->effect);
        EXPECT_EQ(with_row(failure).remedies, row->remedies);
        EXPECT_EQ(with_row(failure).message, failure.message);
    }
}

}  // namespace
}  // namespace perdure::http
