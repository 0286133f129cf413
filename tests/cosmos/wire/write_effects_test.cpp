// SPDX-License-Identifier: Apache-2.0
//
// Is a write said to be not done only where the service surely refused it? Every status and substatus, for
// every kind of account and every safety. The white list here is a copy: it was not made from the table.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "perdure/cosmos/wire/classify.hpp"
#include "perdure/policy/decide.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::cosmos {
namespace {

// Under these a write was not processed, and under no other substatus of 410 and 503.
const std::set<int> not_processed{0,     1000,  1002,  1007,  1008,  20009, 21001,
                                  21002, 21003, 21004, 21005, 21007, 21008};
// Refusals whatever the substatus, as long as the service itself made it. 431 is the front end's.
const std::set<int> refusals{207, 400, 401, 403, 405, 409, 412, 413, 423, 424, 429, 431, 449};
constexpr int first_made_on_the_way = 10'000;

bool surely_not_done(StatusCode code) {
    const int status = code.status();
    const int substatus = code.substatus();
    if (status == 410 || status == 503) return not_processed.contains(substatus);
    if (substatus >= first_made_on_the_way) return false;
    if (status == 404) return substatus != 1013 && substatus != 1023;
    return refusals.contains(status);
}

// All that StatusCodes of the .NET SDK, SubStatusCodes of the Java SDK and cosmos_status of the Rust driver
// name, ranges of partition migration and the like left out.
const std::vector<int> known{
    0,     3,     100,   429,   1000,  1001,  1002,  1003,  1004,  1005,  1006,  1007,  1008,
    1009,  1010,  1011,  1012,  1013,  1014,  1015,  1016,  1017,  1018,  1019,  1020,  1021,
    1022,  1023,  1024,  1026,  1027,  1028,  1029,  1030,  1031,  1032,  1033,  1034,  1035,
    1036,  1037,  1101,  1102,  1103,  1104,  1105,  1110,  1300,  1337,  1338,  1339,  1900,
    2001,  2002,  2003,  2004,  2011,  2012,  3001,  3002,  3003,  3004,  3010,  3021,  3042,
    3043,  3050,  3073,  3074,  3075,  3080,  3084,  3086,  3088,  3090,  3092,  3094,  3100,
    3103,  3200,  3201,  3202,  3204,  3205,  3206,  3207,  3208,  3209,  3210,  3212,  3213,
    3214,  3215,  3300,  3301,  3302,  3303,  3401,  3402,  3500,  4000,  4001,  4002,  4019,
    5000,  5001,  5002,  5006,  5011,  5012,  5013,  5200,  5201,  5202,  5203,  5300,  5301,
    5302,  5303,  5304,  5305,  5306,  5307,  5308,  5309,  5310,  5311,  5312,  5313,  5314,
    5315,  5325,  5350,  5351,  5352,  5360,  5400,  5405,  5411,  5415,  5419,  5420,  5500,
    5600,  6001,  6009,  7001,  8001,  9001,  9002,  9003,  10001, 10002, 10003, 10004, 10005,
    10006, 10101, 10102, 13000, 13001, 13008, 13009, 13010, 13011, 13012, 13019, 13020, 13021,
    20001, 20002, 20003, 20004, 20005, 20006, 20007, 20008, 20009, 20901, 20902, 20910, 20911,
    20912, 20913, 20914, 21001, 21002, 21003, 21004, 21005, 21006, 21007, 21008, 21009, 21010,
    21011, 21012, 21013, 22001, 22002, 23001, 65535};

// A status that the table has, or HTTP and Cosmos DB know: with every substatus. Any other: with a few.
std::vector<int> substatuses(int status) {
    const bool in_table = std::ranges::any_of(
        status_rows(), [&](const StatusRow& row) { return row.code.status() == status; });
    constexpr int without_row[] = {402, 406, 414, 431, 452, 453, 501};
    if (!in_table && std::ranges::find(without_row, status) == std::end(without_row))
        return {0, 7, 1002, 20001, 21012};
    std::vector<int> all = known;
    for (int unknown = 1; unknown <= largest_substatus; unknown += 997) all.push_back(unknown);
    for (int near = 20'995; near <= 21'020; ++near) all.push_back(near);
    return all;
}

http::Headers of_cosmos(int substatus) {
    http::Headers headers;
    headers.add("x-ms-activity-id", "5f2c1c52-0d7b-4a7e-8f3b-2f6b7f5f0001");
    if (substatus != 0) headers.add("x-ms-substatus", std::to_string(substatus));
    return headers;
}

// Accounts with one and several write regions, at the first failure of a call and after all remedies. The
// consistency level of the account is not among what is asked: a row has to hold for the strongest.
std::vector<Asked> accounts(Does does) {
    constexpr RemedySet all_remedies = Remedy::fresh_connection | Remedy::next_endpoint |
                                       Remedy::refresh_routing_item | Remedy::refresh_credentials |
                                       Remedy::adjust_clock;
    std::vector<Asked> all;
    for (const bool multi_write : {false, true})
        for (const int regions : {1, 3})
            for (const bool renewable : {false, true})
                for (const RemedySet after : {RemedySet{}, all_remedies})
                    all.push_back({.does = does,
                                   .regions = regions,
                                   .regions_left = after.empty() ? regions - 1 : 0,
                                   .multi_write = multi_write,
                                   .renewable_keys = renewable,
                                   .after = after});
    return all;
}

template <class Check>
void for_all_codes(const Check& check) {
    for (int status = 100; status < 600; ++status)
        for (const int substatus : substatuses(status)) check(StatusCode{status, substatus});
}

TEST(CosmosWriteEffects, are_none_only_for_answers_of_the_white_list) {
    const auto all = accounts(Does::write);
    for_all_codes([&](StatusCode code) {
        const http::Headers headers = of_cosmos(code.substatus());
        const Effect expected = surely_not_done(code) ? Effect::none : Effect::unknown;
        for (const Asked& asked : all) {
            const Failure failure =
                classify({.status = code.status(), .headers = &headers, .asked = asked});
            ASSERT_EQ(failure.effect, expected) << to_string(code);
        }
    });
}

TEST(CosmosWriteEffects, of_reads_are_none_whatever_comes) {
    const auto all = accounts(Does::read);
    for_all_codes([&](StatusCode code) {
        const http::Headers headers = of_cosmos(code.substatus());
        for (const Asked& asked : all)
            ASSERT_EQ(
                classify({.status = code.status(), .headers = &headers, .asked = asked}).effect,
                Effect::none)
                << to_string(code);
    });
}

// A proxy's answer carries none of the service's headers, and so no substatus that is its word.
TEST(CosmosWriteEffects, of_answers_without_the_services_headers_are_none_only_for_refusals) {
    const http::Headers bare;
    for (int status = 100; status < 600; ++status) {
        const bool refused = status == 404 || refusals.contains(status);
        EXPECT_EQ(classify({.status = status, .headers = &bare}).effect,
                  refused ? Effect::none : Effect::unknown)
            << status;
    }
}

// The question about safety is decide()'s: a write whose outcome is open is sent again only if that is
// harmless, and one that is not on the white list is open.
TEST(CosmosWriteEffects,
     let_a_write_that_must_not_be_repeated_be_sent_again_only_for_the_white_list) {
    const Rule rule;
    testing::FixedRandom random{0.5};
    for_all_codes([&](StatusCode code) {
        const http::Headers headers = of_cosmos(code.substatus());
        for (const bool multi_write : {false, true}) {
            const Asked asked{.regions = 3, .regions_left = 2, .multi_write = multi_write};
            const Failure failure =
                classify({.status = code.status(), .headers = &headers, .asked = asked});
            for (const Safety safety :
                 {Safety::once, Safety::guarded, Safety::idempotent, Safety::read}) {
                const Decision decision =
                    decide(rule, failure, {.safety = safety, .unresolved = failure.effect}, random);
                if (safety == Safety::once && decision.stop == Stop::none) {
                    ASSERT_TRUE(surely_not_done(code)) << to_string(code);
                }
                if (safety == Safety::once && !surely_not_done(code)) {
                    ASSERT_EQ(decision.stop, Stop::unsafe) << to_string(code);
                }
                if (safety != Safety::once) {
                    ASSERT_NE(decision.stop, Stop::unsafe);
                }
            }
        }
    });
}

TEST(CosmosWriteEffects, are_the_same_in_the_row_and_in_the_answer) {
    for (const StatusRow& row : status_rows()) {
        if (!row.word.empty()) continue;
        for (const StatusCode code : {row.code, row.last}) {
            if (row_of(code) != &row) continue;
            EXPECT_EQ(effect_on_write(row, code),
                      surely_not_done(code) ? Effect::none : Effect::unknown)
                << label_of(row);
        }
        EXPECT_EQ(row.refusal.empty(), effect_on_write(row, row.code) == Effect::unknown)
            << label_of(row) << ": the page shows the source";
    }
}

TEST(CosmosWriteEffects, of_a_row_without_a_source_for_its_refusal_are_unknown) {
    for (const StatusRow& row : status_rows()) {
        StatusRow bare = row;
        bare.refusal = {};
        EXPECT_EQ(effect_on_write(bare, row.code), Effect::unknown) << label_of(row);
    }
    // Nor does a source alone do under 410 and 503.
    for (const int status : {410, 503})
        for (const int substatus : {1022, 20001, 20913, 21006, 21009, 21012, 77}) {
            const StatusRow row{.code = {status, substatus}, .refusal = "a source"};
            EXPECT_EQ(effect_on_write(row, row.code), Effect::unknown) << to_string(row.code);
        }
}

}  // namespace
}  // namespace perdure::cosmos
