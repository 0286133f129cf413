// SPDX-License-Identifier: Apache-2.0
//
// Does every answer of Cosmos DB lead to the right reaction, for reads and for writes, with one region
// and with several, with one write region and with several?
#include "perdure/cosmos/wire/classify.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "perdure/http/classify.hpp"
#include "perdure/http/date.hpp"

namespace perdure::cosmos {
namespace {

using enum Cause;

constexpr RemedySet nothing{};
constexpr RemedySet fresh = Remedy::fresh_connection;
constexpr RemedySet next = Remedy::next_endpoint;
constexpr RemedySet fresh_next = fresh | next;
constexpr RemedySet leave =
    Remedy::mark_endpoint | Remedy::refresh_routing_account | Remedy::next_endpoint;
constexpr RemedySet stay = Remedy::mark_endpoint | Remedy::refresh_routing_account;
constexpr RemedySet item = Remedy::refresh_routing_item;
constexpr RemedySet ranges = Remedy::refresh_routing_partition;

http::Headers of_cosmos(int substatus = 0) {
    http::Headers headers;
    headers.add("x-ms-activity-id", "5f2c1c52-0d7b-4a7e-8f3b-2f6b7f5f0001");
    if (substatus != 0) headers.add("x-ms-substatus", std::to_string(substatus));
    return headers;
}

Failure judged(StatusCode code, const Asked& asked) {
    const http::Headers headers = of_cosmos(code.substatus());
    return classify({.status = code.status(), .headers = &headers, .asked = asked});
}

constexpr Asked one_region(Does does) { return {.does = does}; }
constexpr Asked three_regions(Does does) { return {.does = does, .regions = 3, .regions_left = 2}; }
constexpr Asked multi_write(Does does) {
    return {.does = does, .regions = 3, .regions_left = 2, .multi_write = true};
}

// What a caller sees of a reaction: "" is not repeated, else rule and remedies.
struct Expected {
    std::string_view rule{};
    RemedySet remedies{};
};

bool repeats(const Failure& failure) {
    return is_repeatable(failure.cause) && failure.retry_after != never;
}

void expect(const Failure& failure, const Expected& expected) {
    EXPECT_EQ(repeats(failure), !expected.rule.empty());
    if (expected.rule.empty()) return;
    EXPECT_EQ(failure.rule, expected.rule);
    EXPECT_EQ(to_string(failure.remedies), to_string(expected.remedies));
}

struct Line {
    StatusCode code;
    Cause cause;
    Effect effect;
    // The first failure of a call.
    Expected read_one, read_three, read_multi, write_one, write_three, write_multi;
};

constexpr Expected no{};
constexpr Expected thr{"throttled", nothing};
constexpr Expected con{"contended", nothing};
constexpr Expected els{"elsewhere", next};
constexpr Expected elb{"elsewhere-broken", next};
constexpr Expected elo{"elsewhere-other", next};
constexpr Expected inr{"in-region", fresh};
constexpr Expected inw{"in-region", nothing};
constexpr Expected gon{"gone", ranges};
constexpr Expected rec{"recreated", item};
constexpr Expected sew{"session", Remedy::write_endpoint};
constexpr Expected sel{"session-elsewhere", next};
constexpr Expected fbd{"write-forbidden", leave};
constexpr Expected rgo{"region-gone", leave};
constexpr Expected gow{"gone", nothing};
constexpr Expected crd{"credentials", Remedy::refresh_credentials};
constexpr auto none = Effect::none;
constexpr auto open = Effect::unknown;

const std::vector<Line> lines = {
    // code            cause       effect   reads: one  three  multi   writes: one  three  multi
    {{429}, throttled, none, thr, thr, thr, thr, thr, thr},
    {{429, 3200}, throttled, none, thr, thr, thr, thr, thr, thr},
    {{429, 3201}, throttled, none, thr, thr, thr, thr, thr, thr},
    {{429, 3092}, throttled, none, thr, thr, thr, thr, thr, els},
    {{449}, contended, none, con, con, con, con, con, con},
    {{403, 3}, wrong_region, none, no, no, no, fbd, fbd, fbd},
    {{403, 1008}, wrong_region, none, rgo, rgo, rgo, rgo, rgo, rgo},
    {{404, 1002}, wrong_region, none, sew, sew, sel, no, no, sel},
    {{410, 1000}, stale_route, none, rec, rec, rec, rec, rec, rec},
    {{410, 1002}, stale_route, none, gon, gon, gon, gon, gon, gon},
    {{410, 1007}, stale_route, none, gon, gon, gon, gon, gon, gon},
    {{410, 1008}, stale_route, none, gon, gon, gon, gon, gon, gon},
    {{410, 1022}, stale_route, open, inr, elb, elb, gow, gow, elb},
    {{410}, stale_route, none, inr, elo, elo, gow, gow, elo},
    {{410, 9}, stale_route, open, inr, elo, elo, gow, gow, elo},
    {{410, 20001}, stale_route, open, inr, elo, elo, gow, gow, elo},
    {{410, 20002}, stale_route, open, inr, elo, elo, gow, gow, elo},
    {{410, 20009}, stale_route, none, inr, elo, elo, gow, gow, elo},
    {{410, 21001}, stale_route, none, inr, elo, elo, gow, gow, elo},
    {{410, 21006}, stale_route, open, inr, elo, elo, gow, gow, elo},
    {{410, 21008}, stale_route, none, inr, elo, elo, gow, gow, elo},
    {{410, 21012}, stale_route, open, inr, elo, elo, gow, gow, elo},
    {{400, 1001}, stale_route, none, rec, rec, rec, rec, rec, rec},
    {{400, 1024}, stale_route, none, rec, rec, rec, rec, rec, rec},
    {{408}, timed_out, open, inr, elo, elo, inw, inw, elo},
    {{408, 21013}, timed_out, open, inr, elo, elo, inw, inw, inw},
    {{500}, internal, open, inr, elb, elb, inw, inw, elb},
    {{502}, unavailable, open, inr, elo, elo, inw, inw, elo},
    {{503}, unavailable, none, inr, els, els, inw, inw, els},
    {{503, 9}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 1002}, unavailable, none, inr, els, els, inw, inw, els},
    {{503, 1022}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 20001}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 20002}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 20003}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 20009}, unavailable, none, inr, els, els, inw, inw, els},
    {{503, 21005}, unavailable, none, inr, els, els, inw, inw, els},
    {{503, 21006}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 20913}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 21008}, unavailable, none, inr, els, els, inw, inw, els},
    {{503, 21011}, unavailable, open, inr, els, els, inw, inw, els},
    {{503, 21012}, unavailable, open, inr, els, els, inw, inw, els},
    {{404, 1013}, unavailable, open, inr, elo, elo, inw, inw, elo},
    {{404, 1023}, unavailable, open, inr, elo, elo, inw, inw, elo},
    {{504}, timed_out, open, inr, elo, elo, inw, inw, elo},
    {{401, 5013}, credentials, none, crd, crd, crd, crd, crd, crd},
    {{207}, conflict, none, no, no, no, no, no, no},
    {{400}, invalid, none, no, no, no, no, no, no},
    {{400, 1004}, invalid, none, no, no, no, no, no, no},
    {{401}, forbidden, none, no, no, no, no, no, no},
    {{401, 5202}, forbidden, none, no, no, no, no, no, no},
    {{403}, forbidden, none, no, no, no, no, no, no},
    {{403, 1005}, forbidden, none, no, no, no, no, no, no},
    {{403, 1010}, forbidden, none, no, no, no, no, no, no},
    {{403, 1028}, forbidden, none, no, no, no, no, no, no},
    {{403, 5400}, forbidden, none, no, no, no, no, no, no},
    {{403, 1014}, too_large, none, no, no, no, no, no, no},
    {{403, 5300}, forbidden, none, no, no, no, no, no, no},
    {{403, 5306}, forbidden, none, no, no, no, no, no, no},
    {{403, 5314}, forbidden, none, no, no, no, no, no, no},
    {{404}, not_found, none, no, no, no, no, no, no},
    {{404, 1003}, not_found, none, no, no, no, no, no, no},
    {{404, 7}, not_found, none, no, no, no, no, no, no},
    {{405}, invalid, none, no, no, no, no, no, no},
    {{409}, conflict, none, no, no, no, no, no, no},
    {{409, 3302}, conflict, none, no, no, no, no, no, no},
    {{412}, conflict, none, no, no, no, no, no, no},
    {{413}, too_large, none, no, no, no, no, no, no},
    {{413, 3402}, too_large, none, no, no, no, no, no, no},
    {{423}, forbidden, none, no, no, no, no, no, no},
    {{424}, conflict, none, no, no, no, no, no, no},
};

TEST(CosmosStatus, leads_to_the_reaction_of_its_column) {
    for (const Line& line : lines) {
        SCOPED_TRACE(to_string(line.code));
        using enum Does;
        const struct {
            Asked asked;
            const Expected& expected;
        } columns[] = {
            {one_region(read), line.read_one},        {three_regions(read), line.read_three},
            {multi_write(read), line.read_multi},     {one_region(write), line.write_one},
            {three_regions(write), line.write_three}, {multi_write(write), line.write_multi}};
        int column = 0;
        for (const auto& [asked, expected] : columns) {
            SCOPED_TRACE("column " + std::to_string(++column));
            const Failure failure = judged(line.code, asked);
            EXPECT_EQ(failure.cause, line.cause) << to_string(failure.cause);
            EXPECT_EQ(failure.effect, asked.does == read ? Effect::none : line.effect);
            EXPECT_EQ(failure.code, to_string(line.code));
            EXPECT_EQ(failure.status, line.code.status());
            expect(failure, expected);
        }
    }
}

TEST(CosmosStatus, is_known_for_every_row_that_is_not_in_the_table_by_number_only) {
    std::set<std::string> labels;
    for (const StatusRow& row : status_rows()) {
        EXPECT_TRUE(labels.insert(label_of(row)).second) << label_of(row);
        EXPECT_FALSE(row.name.empty()) << label_of(row);
        EXPECT_FALSE(row.why.empty()) << label_of(row);
        EXPECT_FALSE(row.source.empty()) << label_of(row);
        if (!row.word.empty()) continue;
        EXPECT_EQ(row_of(row.code)->code, row.code) << label_of(row);
        EXPECT_EQ(row_of(row.last)->name, row.name) << label_of(row);
    }
    EXPECT_GE(status_rows().size(), 75U);
    EXPECT_EQ(label_of(*row_of({403, 5302})), "403/5300-5306");
    EXPECT_EQ(label_of(*row_of({403, 99})), "403");
    EXPECT_EQ(label_of(*row_of({404, 0})), "404/0");
    EXPECT_EQ(label_of(*row_of({503, 0})), "503/0");
    EXPECT_EQ(label_of(*row_of({503, 99})), "503/*");
    EXPECT_EQ(row_of({418}), nullptr);
}

TEST(CosmosStatus, of_a_read_leads_to_the_next_region_each_time) {
    for (const StatusCode code :
         {StatusCode{503}, StatusCode{500}, StatusCode{408}, StatusCode{410}}) {
        Asked asked = three_regions(Does::read);
        EXPECT_EQ(judged(code, asked).remedies, next);
        asked.after = next;
        EXPECT_EQ(judged(code, asked).remedies, next);
    }
}

TEST(CosmosStatus, of_a_session_ends_when_every_region_was_asked) {
    Asked asked = multi_write(Does::read);
    EXPECT_TRUE(repeats(judged({404, 1002}, asked)));
    asked.regions_left = 0;
    EXPECT_FALSE(repeats(judged({404, 1002}, asked)));
    asked.regions = 1;  // the others are excluded
    EXPECT_EQ(judged({404, 1002}, asked).rule, "session");
}

TEST(CosmosStatus, of_a_partition_key_is_final_once_the_container_was_looked_up_anew) {
    for (const int substatus : {1001, 1024}) {
        Asked asked = one_region(Does::write);
        EXPECT_EQ(judged({400, substatus}, asked).cause, stale_route);
        asked.after = item;
        const Failure failure = judged({400, substatus}, asked);
        EXPECT_EQ(failure.cause, invalid);
        EXPECT_TRUE(failure.remedies.empty());
        EXPECT_TRUE(failure.final_in_race);
    }
}

TEST(CosmosStatus, may_win_a_race_only_if_it_would_be_the_same_elsewhere) {
    const StatusCode finals[] = {{400}, {400, 1004}, {401},       {401, 5202}, {404},
                                 {405}, {409},       {409, 3302}, {412},       {413}};
    std::set<StatusCode> as_good{std::begin(finals), std::end(finals)};
    for (const Line& line : lines)
        EXPECT_EQ(judged(line.code, three_regions(Does::read)).final_in_race,
                  as_good.contains(line.code) || line.code == (StatusCode{413, 3402}))
            << to_string(line.code);
}

TEST(CosmosStatus, that_a_proxy_may_have_made_leaves_a_write_open) {
    const http::Headers bare;
    for (const int status : {408, 410, 500, 502, 503, 504})
        EXPECT_EQ(classify({.status = status, .headers = &bare}).effect, Effect::unknown) << status;
    for (const int status : {400, 401, 403, 404, 409, 412, 413, 429, 449})
        EXPECT_EQ(classify({.status = status, .headers = &bare}).effect, Effect::none) << status;
    for (const char* const mark :
         {"x-ms-activity-id", "x-ms-substatus", "X-MS-GatewayVersion", "x-ms-serviceversion"}) {
        http::Headers headers;
        headers.add(mark, "0");
        EXPECT_EQ(classify({.status = 503, .headers = &headers}).effect, Effect::none) << mark;
    }
}

TEST(CosmosStatus, without_a_row_is_judged_by_http) {
    for (const int status : {402, 414, 418, 451, 501, 505, 302}) {
        const Failure ours = classify({.status = status});
        const Failure theirs = http::classify(status, {}, {});
        EXPECT_EQ(ours.cause, theirs.cause) << status;
        EXPECT_EQ(ours.effect, Effect::unknown) << "no source says that a write is refused so";
        EXPECT_EQ(ours.retry_after, theirs.retry_after) << status;
        EXPECT_EQ(ours.code, std::to_string(status));
    }
}

TEST(CosmosStatus, keeps_the_services_hint_and_its_words) {
    http::Headers headers = of_cosmos(3200);
    headers.add("x-ms-retry-after-ms", "250");
    const Failure failure =
        classify({.status = 429,
                  .headers = &headers,
                  .body = R"({"code":"TooManyRequests","message":"Request rate is large."})"});
    EXPECT_EQ(failure.retry_after, Duration{250ms});
    EXPECT_EQ(failure.code, "429/3200");
    EXPECT_EQ(failure.request_id, "5f2c1c52-0d7b-4a7e-8f3b-2f6b7f5f0001");
    EXPECT_EQ(failure.message, "request units used up: Request rate is large.");
    const ServiceError said{.code = "x", .message = "said before"};
    EXPECT_EQ(classify({.status = 409, .error = &said}).message, "conflict: said before");
}

TEST(CosmosStatus, takes_only_a_number_above_zero_for_a_hint) {
    const struct {
        const char* header;
        std::optional<Duration> hint;
    } cases[] = {{"1", 1ms},  {"12.5", 12ms},    {"0", {}},
                 {"", {}},    {"-5", {}},        {"soon", {}},
                 {"10x", {}}, {"86400001", 24h}, {"99999999999999999999", 24h}};
    for (const auto& [header, hint] : cases) {
        http::Headers headers;
        headers.add("x-ms-retry-after-ms", header);
        EXPECT_EQ(classify({.status = 429, .headers = &headers}).retry_after, hint) << header;
    }
    http::Headers seconds;
    seconds.add("retry-after", "2");
    EXPECT_EQ(classify({.status = 429, .headers = &seconds}).retry_after, Duration{2s});
}

TEST(CosmosStatus, of_a_batchs_culprit_is_the_batchs) {
    const http::Headers headers = of_cosmos();
    const Failure failure = classify({.status = 429, .headers = &headers, .substatus = 3200});
    EXPECT_EQ(failure.code, "429/3200");
    EXPECT_EQ(failure.cause, throttled);
}

TEST(CosmosStatus, of_headers_that_are_too_large_is_found_by_its_page) {
    const Failure failure = classify(
        {.status = 400,
         .body = "<HTML><TITLE>Bad Request</TITLE><h2>Bad Request - Request Too Long</h2>"
                 "<p>HTTP Error 400. The size of the request headers is too long.</p></HTML>"});
    EXPECT_EQ(failure.cause, too_large);
    EXPECT_TRUE(failure.message.starts_with("request header too large")) << failure.message;
}

TEST(CosmosKeys, that_the_account_refuses_lead_to_entra_id_and_not_to_the_clock) {
    const WallTime ours = *http::parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT", {});
    http::Headers headers = of_cosmos(5202);
    headers.add("date", http::http_date(ours - 1h));
    const Failure failure = classify({.status = 401, .headers = &headers, .now = ours});
    EXPECT_EQ(failure.cause, forbidden);
    EXPECT_TRUE(failure.message.starts_with("the account refuses keys")) << failure.message;
    EXPECT_NE(row_of({401, 5202})->hint.find("Entra ID"), std::string_view::npos);
}

TEST(CosmosKeys, are_renewed_once_if_they_can_be) {
    Asked asked = one_region(Does::read);
    asked.renewable_keys = true;
    const Failure first = judged({401}, asked);
    EXPECT_EQ(first.cause, credentials);
    EXPECT_TRUE(first.remedies.has(Remedy::refresh_credentials));
    EXPECT_FALSE(first.final_in_race);
    asked.after = Remedy::refresh_credentials;
    EXPECT_EQ(judged({401}, asked).cause, forbidden);
    EXPECT_EQ(judged({403}, asked).cause, forbidden);
}

TEST(CosmosKeys, of_a_machine_with_a_wrong_clock_are_named_so_and_signed_anew_once) {
    const WallTime ours = *http::parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT", {});
    for (const Duration off : {Duration{-24h}, Duration{-1h}, Duration{-6min}, Duration{6min},
                               Duration{1h}, Duration{24h}}) {
        for (const int status : {401, 403}) {
            http::Headers headers = of_cosmos();
            headers.add("date", http::http_date(ours - off));
            Answered answered{.status = status, .headers = &headers, .now = ours};
            const Failure first = classify(answered);
            EXPECT_EQ(first.cause, clock_skew);
            EXPECT_EQ(first.remedies, RemedySet{Remedy::adjust_clock});
            const auto apart = std::chrono::duration_cast<std::chrono::seconds>(off).count();
            const std::string words = std::to_string(std::abs(apart)) + " s " +
                                      (apart > 0 ? "ahead of" : "behind") + " the service's";
            EXPECT_NE(first.message.find(words), std::string::npos) << first.message;
            answered.asked.after = Remedy::adjust_clock;
            const Failure second = classify(answered);
            EXPECT_EQ(second.cause, forbidden);
            EXPECT_NE(second.message.find(words), std::string::npos);
        }
    }
    http::Headers close = of_cosmos();
    close.add("date", http::http_date(ours - 2min));
    EXPECT_EQ(classify({.status = 403, .headers = &close, .now = ours}).cause, forbidden);
}

TEST(CosmosKeys, are_not_signed_by_a_date_of_another_day_and_both_times_are_named) {
    const WallTime ours = *http::parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT", {});
    for (const char* const theirs :
         {"Mon, 01 Jan 0001 00:00:00 GMT", "Thu, 01 Jan 2026 03:04:04 GMT",
          "Sat, 03 Jan 2026 03:04:06 GMT", "Sat, 17 Nov 2035 00:00:00 GMT",
          "Fri, 31 Dec 9999 23:59:59 GMT"}) {
        http::Headers headers = of_cosmos();
        headers.add("date", theirs);
        const Failure failure = classify({.status = 401, .headers = &headers, .now = ours});
        EXPECT_EQ(failure.cause, forbidden) << theirs;
        EXPECT_TRUE(failure.remedies == RemedySet{}) << theirs;
        EXPECT_NE(failure.message.find(theirs), std::string::npos) << failure.message;
        EXPECT_NE(failure.message.find("Fri, 02 Jan 2026 03:04:05 GMT"), std::string::npos)
            << failure.message;
    }
}

// A day further with every refusal would lead to any year.
TEST(CosmosKeys, are_measured_by_this_machine_s_clock_and_not_by_an_earlier_correction) {
    const WallTime ours = *http::parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT", {});
    http::Headers headers = of_cosmos();
    headers.add("date", http::http_date(ours + 40h));
    Answered answered{.status = 403, .headers = &headers, .now = ours + 20h, .skew = 20h};
    EXPECT_EQ(classify(answered).cause, forbidden);
    answered.skew = {};  // if that were the machine's own time
    EXPECT_EQ(classify(answered).cause, clock_skew);
}

TEST(CosmosKeys, are_not_signed_by_a_date_that_anybody_on_the_way_can_write) {
    const WallTime ours = *http::parse_http_date("Fri, 02 Jan 2026 03:04:05 GMT", {});
    http::Headers headers = of_cosmos();
    headers.add("date", http::http_date(ours + 1h));
    const Failure failure = classify(
        {.status = 403, .headers = &headers, .now = ours, .dates = http::Dates::untrusted});
    EXPECT_EQ(failure.cause, forbidden);
    EXPECT_NE(failure.message.find("plain HTTP"), std::string::npos) << failure.message;
}

TEST(CosmosTransport, goes_on_where_the_account_lets_it) {
    const struct {
        const char* code;
        Effect effect;
        Asked asked;
        std::string_view rule;
        RemedySet remedies;
    } cases[] = {
        {"ECONNRESET", open, one_region(Does::read), "connection", fresh},
        {"ECONNRESET", open, three_regions(Does::read), "connection", fresh_next},
        {"ECONNRESET", open, three_regions(Does::write), "connection", fresh},
        {"ECONNREFUSED", none, one_region(Does::read), "connection", stay},
        {"ECONNREFUSED", none, three_regions(Does::read), "connection", leave},
        {"ECONNREFUSED", none, three_regions(Does::write), "connection", stay},
        {"ECONNREFUSED", none, multi_write(Does::write), "connection", leave},
        {"first-byte-timeout", open, one_region(Does::read), "no-answer", fresh},
        {"first-byte-timeout", open, three_regions(Does::read), "no-answer", next},
        {"first-byte-timeout", open, three_regions(Does::write), "no-answer", fresh},
        {"first-byte-timeout", open, multi_write(Does::write), "no-answer", next},
    };
    for (const auto& [code, effect, asked, rule, remedies] : cases) {
        const Failure failure = without_answer(http::trouble(code, effect), asked);
        EXPECT_EQ(failure.rule, rule) << code;
        EXPECT_EQ(to_string(failure.remedies), to_string(remedies)) << code;
        EXPECT_EQ(failure.effect, asked.does == Does::read ? none : effect) << code;
    }
}

TEST(CosmosTransport, leaves_what_is_our_own_as_it_was) {
    for (const char* const code :
         {"pool-full", "EMFILE", "dns-cancelled", "tls-certificate", "invalid-url"}) {
        const Failure failure = http::trouble(code, Effect::none);
        EXPECT_EQ(without_answer(failure, three_regions(Does::read)), failure) << code;
    }
}

}  // namespace
}  // namespace perdure::cosmos
