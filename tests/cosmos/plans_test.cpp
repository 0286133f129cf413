// SPDX-License-Identifier: Apache-2.0
//
// Do the plans wait and repeat as they say, from the answer on? The three timers, the regions, and the
// SDKs' plans to compare with. Chance is fixed, so that waits are exact.
#include "perdure/cosmos/plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "perdure/call/caller.hpp"
#include "perdure/cosmos/wire/classify.hpp"
#include "perdure/http/classify.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/virtual_clock.hpp"

namespace perdure::cosmos {
namespace {

using perdure::testing::FixedRandom;
using perdure::testing::VirtualClock;
using Naps = std::vector<Duration>;

constexpr Retries all[] = {Retries::perdure, Retries::dotnet, Retries::java, Retries::js,
                           Retries::fail_fast};
constexpr Asked one_region{.does = Does::read};
constexpr Asked three_regions{.does = Does::read, .regions = 3, .regions_left = 2};

// What becomes of a call that gets the same answer every time.
struct Outcome {
    int attempts = 0;
    Stop stop = Stop::none;
    Naps naps{};
    Duration elapsed{};
    Failure failure{};
    int paid_milli = 0;
    int moves = 0;  // attempts that began in another region
};

struct Script {
    StatusCode code{};
    std::string hint{};
    Asked asked{};
    double chance = 1;
    Safety safety = Safety::read;
    Duration takes = 1ms;
    std::vector<StatusCode> in_turn{};  // instead of always `code`
};

Failure answer(const Script& script, RemedySet after, int attempt) {
    http::Headers headers;
    const auto place = static_cast<std::size_t>(attempt - 1);
    const StatusCode code =
        script.in_turn.empty() ? script.code : script.in_turn[place % script.in_turn.size()];
    headers.add("x-ms-activity-id", "a");
    headers.add("x-ms-substatus", std::to_string(code.substatus()));
    if (!script.hint.empty()) headers.add("x-ms-retry-after-ms", script.hint);
    Asked asked = script.asked;
    asked.after = after;
    asked.regions_left = std::max(asked.regions - attempt, 0);
    return classify({.status = code.status(), .headers = &headers, .asked = asked});
}

Outcome meets(const Plan& plan, const Script& script) {
    VirtualClock clock;
    FixedRandom random{script.chance};
    Caller caller{plan, {clock, random}};
    const int before = caller.budget().milli_left();
    const TimePoint began = clock.now();
    Outcome outcome;
    const auto result =
        caller.run({.safety = script.safety}, [&](const Attempt& at) -> Result<int> {
            if (at.remedies.has(Remedy::next_endpoint)) ++outcome.moves;
            clock.advance(script.takes);
            return fail(answer(script, at.remedies, at.number));
        });
    outcome.failure = result.error();
    outcome.attempts = result.error().attempts;
    outcome.stop = result.error().stop;
    for (const Duration nap : clock.naps())
        if (nap > 0ns) outcome.naps.push_back(nap);
    outcome.elapsed = clock.now() - began;
    outcome.paid_milli = before - caller.budget().milli_left();
    return outcome;
}

Plan patient(Retries retries = Retries::perdure) {
    Plan plan = plan_for(retries);
    plan.deadline = 10min;
    return plan;
}

Duration sum(const Naps& naps) { return std::accumulate(naps.begin(), naps.end(), Duration{}); }

TEST(CosmosPlans, are_sound_and_named) {
    for (const Retries retries : all) {
        const Plan plan = plan_for(retries, "orders");
        SCOPED_TRACE(to_string(retries));
        EXPECT_EQ(plan.name, "orders");
        for (const Finding& finding : validate(plan))
            EXPECT_NE(finding.severity, Severity::problem) << finding.field << ' ' << finding.text;
        EXPECT_NE(plan.deadline, never);
        EXPECT_GT(plan.set_up, 0s);
    }
    EXPECT_EQ(plan_for().name, "cosmos");
    EXPECT_EQ(plan_for().deadline, 10s);
    EXPECT_LE(attempt_timeout_of(plan_for()), plan_for().deadline / 3);
    EXPECT_EQ(plan_for().budget, BudgetOptions{}) << "the budget follows own traffic";
}

TEST(CosmosPlans, have_the_rules_the_table_names) {
    const Plan plan = plan_for();
    const auto has = [&](std::string_view name) {
        return std::any_of(plan.rules.begin(), plan.rules.end(),
                           [&](const NamedRule& rule) { return rule.name == name; });
    };
    for (const StatusRow& row : status_rows())
        for (const Reaction& reaction : {row.read, row.write, row.multi_read, row.multi_write})
            EXPECT_TRUE(reaction.again == Again::no || reaction.rule == "in-region" ||
                        has(reaction.rule))
                << label_of(row) << ' ' << reaction.rule;
}

TEST(CosmosPlans, that_fail_fast_try_once) {
    for (const StatusRow& row : status_rows())
        for (const Asked& asked : {one_region, three_regions})
            EXPECT_EQ(
                meets(plan_for(Retries::fail_fast), {.code = row.code, .asked = asked}).attempts, 1)
                << label_of(row);
}

TEST(CosmosThrottling, is_asked_ten_times_with_the_services_hint_and_a_little_more) {
    const Outcome seen = meets(patient(), {.code = {429, 3200}, .hint = "200", .chance = 0.5});
    EXPECT_EQ(seen.attempts, 10);
    EXPECT_EQ(seen.naps, Naps(9, Duration{225ms}));
    EXPECT_EQ(seen.stop, Stop::attempts);
    EXPECT_EQ(seen.paid_milli, 0) << "its own counter, not the retry budget";
    EXPECT_EQ(seen.moves, 0) << "never in another region";
    EXPECT_EQ(seen.failure.retry_after, Duration{200ms}) << "for who wants to wait longer";
    EXPECT_EQ(meets(patient(), {.code = {429, 3200}, .hint = "200", .chance = 0}).naps,
              Naps(9, Duration{200ms}))
        << "never sooner than asked";
}

TEST(CosmosThrottling, waits_thirty_seconds_in_all) {
    const Outcome seen = meets(patient(), {.code = {429}, .hint = "7000", .chance = 0});
    EXPECT_EQ(seen.naps, Naps(4, Duration{7s}));
    EXPECT_EQ(seen.stop, Stop::window);
    EXPECT_EQ(meets(patient(), {.code = {429}, .hint = "31000"}).attempts, 1);
    const Script slow{.code = {429}, .hint = "7000", .chance = 0, .takes = 3s};
    EXPECT_EQ(meets(patient(), slow).naps.size(), 4U) << "the service's own time does not count";
    const Outcome within = meets(plan_for(), {.code = {429}, .hint = "4000", .chance = 0});
    EXPECT_EQ(within.naps, Naps(2, Duration{4s})) << "the deadline of 10 s comes first";
    EXPECT_EQ(within.stop, Stop::deadline);
    EXPECT_EQ(within.failure.cause, Cause::throttled);
}

TEST(CosmosThrottling, without_a_hint_grows_from_100_ms_to_5_s) {
    for (const char* const hint : {"", "0"}) {
        const Outcome seen = meets(patient(), {.code = {429, 3201}, .hint = hint});
        EXPECT_EQ(seen.naps, (Naps{100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5s, 5s, 5s}));
    }
}

TEST(CosmosThrottling, of_a_write_is_repeated_however_unsafe_repeating_is) {
    const Script write{.code = {429}, .asked = {.does = Does::write}, .safety = Safety::once};
    EXPECT_EQ(meets(patient(), write).attempts, 10);
}

TEST(CosmosContention, doubles_from_10_ms_to_1_s_for_30_s_and_costs_nothing) {
    const Script contended{.code = {449}, .asked = {.does = Does::write}, .safety = Safety::once};
    const Outcome seen = meets(patient(), contended);
    const Naps first{10ms, 20ms, 40ms, 80ms, 160ms, 320ms, 640ms, 1s, 1s};
    ASSERT_GT(seen.naps.size(), first.size());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), seen.naps.begin()));
    EXPECT_EQ(seen.stop, Stop::window);
    EXPECT_GT(seen.elapsed, 28s);
    EXPECT_LE(seen.elapsed, 31s);
    EXPECT_EQ(seen.paid_milli, 0);
    Script low = contended;
    low.chance = 0;
    const Outcome spread = meets(patient(), low);
    EXPECT_EQ(spread.naps.back(), 500ms) << "the jitter lies inside the cap";
}

TEST(CosmosContention, ends_with_the_deadline) {
    const Outcome seen =
        meets(plan_for(), {.code = {449}, .asked = {.does = Does::write}, .safety = Safety::once});
    EXPECT_EQ(seen.stop, Stop::deadline);
    EXPECT_LE(seen.elapsed, 10s);
}

TEST(CosmosRegions, that_take_no_writes_are_left_at_once_and_given_up_after_five_seconds) {
    for (const StatusCode code : {StatusCode{403, 3}, StatusCode{403, 1008}}) {
        for (const double chance : {0.0, 0.5, 1.0}) {
            const Outcome seen = meets(patient(), {.code = code,
                                                   .asked = {.does = Does::write, .regions = 3},
                                                   .chance = chance,
                                                   .safety = Safety::once});
            EXPECT_EQ(seen.stop, Stop::window);
            EXPECT_LE(sum(seen.naps), 5s);
            EXPECT_GE(sum(seen.naps), 2500ms);
            EXPECT_EQ(static_cast<int>(seen.naps.size()), seen.attempts - 2)
                << "one without a wait";
            EXPECT_EQ(seen.moves, seen.attempts - 1);
            EXPECT_LE(seen.attempts, 8);
        }
    }
}

TEST(CosmosRegions, are_asked_for_a_session_three_times_or_once_each) {
    const Outcome single = meets(patient(), {.code = {404, 1002}, .asked = three_regions});
    EXPECT_EQ(single.attempts, 3);
    EXPECT_TRUE(single.naps.empty());
    Asked asked{.does = Does::read, .multi_write = true};
    for (const int regions : {2, 3, 5, 9}) {
        asked.regions = regions;
        const Outcome multi = meets(patient(), {.code = {404, 1002}, .asked = asked});
        EXPECT_EQ(multi.attempts, regions);
        EXPECT_EQ(multi.stop, Stop::permanent);
        EXPECT_EQ(multi.moves, regions - 1);
    }
}

TEST(CosmosReads, are_asked_in_the_next_region_at_once_and_four_times_in_all) {
    for (const StatusCode code : {StatusCode{503}, StatusCode{500}, StatusCode{408},
                                  StatusCode{410}, StatusCode{410, 1022}, StatusCode{502}}) {
        const Outcome seen =
            meets(patient(), {.code = code, .hint = "3000", .asked = three_regions});
        EXPECT_EQ(seen.attempts, 5) << to_string(code);
        EXPECT_EQ(seen.moves, 4) << to_string(code);
        EXPECT_EQ(seen.naps, (Naps{20ms, 40ms, 80ms})) << "what this region asked for is its own";
        EXPECT_GT(seen.paid_milli, 0);
    }
}

TEST(CosmosReads, count_all_moves_to_other_regions_together) {
    const Outcome seen =
        meets(patient(), {.asked = three_regions, .in_turn = {{503}, {500}, {408}, {410}, {502}}});
    EXPECT_EQ(seen.attempts, 5);
    EXPECT_EQ(seen.naps, (Naps{20ms, 40ms, 80ms}));
}

TEST(CosmosReads, of_an_account_with_one_region_wait_and_stay) {
    const Outcome seen = meets(patient(), {.code = {503}, .asked = one_region});
    EXPECT_EQ(seen.attempts, 5);
    EXPECT_EQ(seen.moves, 0);
    EXPECT_EQ(seen.naps, (Naps{100ms, 200ms, 400ms}));
}

TEST(CosmosReads, find_moved_partitions_and_containers_again) {
    const Outcome split = meets(patient(), {.code = {410, 1007}, .asked = one_region});
    EXPECT_EQ(split.attempts, 10);
    EXPECT_EQ(split.naps.size(), 8U) << "one without a wait";
    EXPECT_EQ(meets(patient(), {.code = {410, 1000}, .asked = one_region}).attempts, 2);
    const Outcome mismatch = meets(patient(), {.code = {400, 1001}, .asked = one_region});
    EXPECT_EQ(mismatch.attempts, 2);
    EXPECT_EQ(mismatch.failure.cause, Cause::invalid);
    EXPECT_EQ(mismatch.stop, Stop::permanent);
}

TEST(CosmosWrites, whose_outcome_is_open_end_as_unknown) {
    const struct {
        StatusCode code;
        Stop stop;
        Effect effect;
    } cases[] = {{{500}, Stop::unsafe, Effect::unknown},
                 {{408}, Stop::unsafe, Effect::unknown},
                 {{503, 21006}, Stop::unsafe, Effect::unknown},
                 {{503}, Stop::attempts, Effect::none},
                 {{410}, Stop::attempts, Effect::none}};
    for (const auto& [code, stop, effect] : cases) {
        const Outcome seen = meets(
            patient(), {.code = code, .asked = {.does = Does::write}, .safety = Safety::once});
        EXPECT_EQ(seen.stop, stop) << to_string(code);
        EXPECT_EQ(seen.failure.effect, effect) << to_string(code);
        EXPECT_EQ(seen.attempts == 1, stop == Stop::unsafe) << to_string(code);
    }
}

TEST(CosmosPlans, named_after_sdks_repeat_as_often_as_those) {
    const struct {
        StatusCode code;
        const char* hint;
        Asked asked;
        int dotnet, java, js;
    } cases[] = {
        {{429}, "50", one_region, 10, 10, 10},  {{503}, "", one_region, 1, 1, 1},
        {{503}, "", three_regions, 2, 3, 2},    {{410}, "", one_region, 1, 1, 1},
        {{410, 1002}, "", one_region, 1, 1, 1}, {{408}, "", one_region, 1, 1, 1},
        {{404, 1002}, "", one_region, 3, 3, 2}, {{410, 1000}, "", one_region, 2, 2, 1},
        {{401}, "", one_region, 1, 1, 1},       {{403, 1008}, "", three_regions, 121, 121, 121},
        {{500}, "", one_region, 1, 1, 1},
    };
    for (const auto& [code, hint, asked, dotnet, java, js] : cases) {
        const Script script{.code = code, .hint = hint, .asked = asked};
        EXPECT_EQ(meets(patient(Retries::dotnet), script).attempts, dotnet) << to_string(code);
        EXPECT_EQ(meets(patient(Retries::java), script).attempts, java) << to_string(code);
        EXPECT_EQ(meets(patient(Retries::js), script).attempts, js) << to_string(code);
    }
    const Script bare{.code = {429}, .asked = one_region};
    EXPECT_TRUE(meets(patient(Retries::js), bare).naps.empty()) << "nine times without a delay";
    EXPECT_EQ(meets(patient(Retries::dotnet), bare).naps, Naps(6, Duration{5s}));
    const Script contended{.code = {449}, .asked = {.does = Does::write}};
    EXPECT_EQ(meets(patient(Retries::js), contended).attempts, 1);
    EXPECT_EQ(meets(patient(Retries::dotnet), contended).naps.back(), 1s) << "no jitter at the cap";
}

// By the columns of docs/reference/cosmos-transcripts.md; the one of @azure/cosmos is measured.
TEST(CosmosPlans, named_after_sdks_ask_as_many_other_regions_as_those) {
    const struct {
        StatusCode code;
        int dotnet, java, js;
    } reads[] = {
        {{503}, 1, 2, 1},       {{503, 21008}, 1, 2, 1}, {{503, 9}, 1, 2, 1},
        {{500}, 1, 0, 0},       {{410, 1022}, 1, 0, 0},  {{408}, 0, 0, 0},
        {{410}, 0, 0, 0},       {{410, 21005}, 0, 0, 0}, {{410, 1002}, 0, 0, 0},
        {{502}, 0, 0, 0},       {{504}, 0, 0, 0},        {{404, 1013}, 0, 0, 0},
        {{404, 1023}, 0, 0, 0}, {{429}, 0, 0, 0},        {{500, 1007}, 1, 0, 0},
    };
    for (const auto& [code, dotnet, java, js] : reads) {
        const Script script{.code = code, .asked = three_regions};
        EXPECT_EQ(meets(patient(Retries::dotnet), script).moves, dotnet) << to_string(code);
        EXPECT_EQ(meets(patient(Retries::java), script).moves, java) << to_string(code);
        EXPECT_EQ(meets(patient(Retries::js), script).moves, js) << to_string(code);
    }
    // A write that was not processed, where every region takes writes.
    Asked asked{.does = Does::write, .regions = 3, .regions_left = 2, .multi_write = true};
    for (const Retries retries : {Retries::dotnet, Retries::js}) {
        const auto moves = [&](StatusCode code) {
            return meets(patient(retries), {.code = code, .asked = asked, .safety = Safety::once})
                .moves;
        };
        EXPECT_EQ(moves({503}), 1) << to_string(retries);
        EXPECT_EQ(moves({410}), 0) << to_string(retries);
    }
    // In one write region nothing is repeated.
    asked.multi_write = false;
    for (const Retries retries : {Retries::dotnet, Retries::java, Retries::js})
        for (const StatusCode code : {StatusCode{503}, StatusCode{410}})
            EXPECT_EQ(
                meets(patient(retries), {.code = code, .asked = asked, .safety = Safety::once})
                    .attempts,
                1)
                << to_string(retries) << ' ' << to_string(code);
}

}  // namespace
}  // namespace perdure::cosmos
