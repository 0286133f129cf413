// SPDX-License-Identifier: Apache-2.0
//
// Would a broken law be noticed, and is recovery told as it is meant?
#include "perdure/sim/account.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "runs.hpp"
#include "varied_scenarios.hpp"

namespace perdure::testing {
namespace {

using namespace sim;

TEST(Laws, are_noticed_when_broken) {
    const Account sound = run(small_storm(plain_plan(3, 300ms, {})), 1);
    ASSERT_TRUE(broken_laws(sound).empty());
    struct Case {
        const char* law;
        std::function<void(Account&)> forge;
    };
    const std::vector<Case> cases{
        {"calls by second", [](Account& a) { ++a.calls; }},
        {"successes by second", [](Account& a) { --a.calls_ok; }},
        {"more calls ended", [](Account& a) { a.calls_failed = a.calls; }},
        {"more calls succeeded in a second", [](Account& a) { a.seconds[2].ok = 10'000; }},
        {"clients sent more", [](Account& a) { a.seconds[2].attempts += 1'000'000; }},
        {"did not all leave", [](Account& a) { ++a.services[0].served; }},
        {"more work was wasted",
         [](Account& a) { a.services[0].wasted = a.services[0].served + 1; }},
        {"Little", [](Account& a) { ++a.services[0].area; }},
        {"neither lost nor", [](Account& a) { ++a.lost; }},
    };
    for (const auto& [law, forge] : cases) {
        Account forged = sound;
        forge(forged);
        bool named = false;
        for (const std::string& text : broken_laws(forged))
            named = named || text.find(law) != std::string::npos;
        EXPECT_TRUE(named) << law;
    }
}

Account with_successes(const std::vector<std::uint32_t>& of_hundred) {
    Account account;
    for (const std::uint32_t ok : of_hundred) account.seconds.push_back({.offered = 100, .ok = ok});
    return account;
}

TEST(Recovery, is_the_first_of_five_good_seconds_after_the_trigger) {
    const Account account = with_successes({100, 10, 10, 97, 100, 96, 97, 98, 99, 100, 97, 0});
    EXPECT_EQ(recovery(account, {.after = 2s}), std::optional<Duration>{4s});
    EXPECT_EQ(recovery(account, {.after = 2s, .seconds = 2}), std::optional<Duration>{1s});
    EXPECT_EQ(recovery(account, {.after = 2s, .until = 10s}), std::nullopt);
    EXPECT_EQ(recovery(account, {.after = 2s, .share = 1, .seconds = 2}), std::nullopt);
    EXPECT_EQ(recovery(with_successes({}), {}), std::nullopt);
}

TEST(Recovery, takes_no_time_where_nothing_was_wrong) {
    EXPECT_EQ(recovery(with_successes({99, 99, 99, 99, 99, 99}), {.after = 1s}),
              std::optional<Duration>{0s});
}

TEST(Account, counts_nothing_of_the_warm_up) {
    Scenario scenario = small_storm(plain_plan(3, 300ms, {}));
    scenario.warm_up = 0s;
    const Account all = run(scenario, 1);
    EXPECT_EQ(all.offered, all.calls);
    scenario.warm_up = 6s;
    const Account later = run(scenario, 1);
    EXPECT_EQ(later.calls, all.calls);
    EXPECT_EQ(later.offered,
              static_cast<std::uint64_t>(over_seconds(all, 6s, 12s, &Second::offered)));
    EXPECT_EQ(later.ok, static_cast<std::uint64_t>(over_seconds(all, 6s, 12s, &Second::ok)));
}

}  // namespace
}  // namespace perdure::testing
