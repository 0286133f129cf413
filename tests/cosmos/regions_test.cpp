// SPDX-License-Identifier: Apache-2.0
#include "cosmos/regions.hpp"

#include <gtest/gtest.h>

#include "cosmos/start.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "time/tenths.hpp"

namespace perdure::cosmos {
namespace {

using Names = std::vector<std::string>;

testing::FixedRandom exact{0};  // marks for `mark_for`, not longer

Location place(const std::string& name) {
    const auto url = http::parse_url("https://acct-" + region_key(name) + ".db.example:443/");
    return {.name = name, .endpoint = *url};
}

const http::Url given = http::parse_url("https://acct.db.example:443/").value();

Regions::Choice with_given(Regions::Choice choice = {}) {
    choice.given = given;
    return choice;
}

AccountDocument document(const Names& writable, const Names& readable) {
    AccountDocument made;
    for (const std::string& name : writable) made.writable.push_back(place(name));
    for (const std::string& name : readable) made.readable.push_back(place(name));
    return made;
}

const Names three{"East US", "West US", "North Europe"};

AccountDocument multi_write() {
    AccountDocument made = document(three, three);
    made.multi_write = true;
    return made;
}

struct Account {
    explicit Account(Regions::Choice choice = {},
                     const AccountDocument& first = document({"East US"}, three),
                     Random& random = exact)
        : regions{with_given(std::move(choice)),
                  [](const std::string&) -> Result<std::shared_ptr<http::Route>> {
                      return std::shared_ptr<http::Route>{};
                  },
                  random} {
        regions.learn(first);
    }

    static std::string joined(const RegionList& list) {
        std::string all;
        for (const Region* const region : list) all += (all.empty() ? "" : ", ") + region->name;
        return all;
    }
    std::string reads(TimePoint now = start) { return joined(regions.now(now)->reads); }
    std::string writes(TimePoint now = start) { return joined(regions.now(now)->writes); }
    const Region& at(const std::string& name) { return *regions.at(name, place(name).endpoint); }
    void lose(const std::string& name, TimePoint now = start) {
        regions.mark(at(name), Mark::lost, now);
    }

    Regions regions;
};

TEST(Regions, are_unknown_until_a_document_has_been_read) {
    Regions regions{with_given(),
                    [](const std::string&) -> Result<std::shared_ptr<http::Route>> {
                        return std::shared_ptr<http::Route>{};
                    },
                    exact};
    EXPECT_FALSE(regions.known());
    EXPECT_EQ(regions.now(start), nullptr);
    regions.learn(document({"East US"}, three));
    EXPECT_TRUE(regions.known());
    EXPECT_NE(regions.now(start), nullptr);
}

TEST(Regions, that_cannot_be_connected_to_are_not_known) {
    Regions regions{with_given(),
                    [](const std::string&) -> Result<std::shared_ptr<http::Route>> {
                        return fail({.cause = Cause::invalid});
                    },
                    exact};
    regions.learn(document({"East US"}, three));
    EXPECT_FALSE(regions.known());
    EXPECT_EQ(regions.now(start), nullptr);
}

TEST(Regions, that_have_left_the_account_are_not_looked_for) {
    Account account;
    account.lose("West US");
    account.lose("North Europe");
    EXPECT_EQ(account.regions.lost(start).size(), 2u);
    account.regions.learn(document({"East US"}, {"East US", "North Europe"}));
    EXPECT_EQ(Account::joined(account.regions.lost(start)), "North Europe");
}

TEST(Regions, are_read_in_the_order_the_user_prefers) {
    const struct {
        Names preferred, excluded;
        std::string reads;
    } cases[] = {
        {{}, {}, "East US, West US, North Europe"},
        {{"West US", "East US"}, {}, "West US, East US"},
        // Spaces and case do not count. The write region stands in where no preferred one is left.
        {{"northeurope", "WESTUS"}, {}, "North Europe, West US, East US"},
        {{"Mars", "West US"}, {}, "West US, East US"},
        {{"West US"}, {"East US"}, "West US"},
        {{"Mars"}, {}, "East US, West US, North Europe"},  // a wish that names none is no wish
        {{}, {"eastus"}, "West US, North Europe"},
        {{"West US", "East US"}, {"West US"}, "East US"},
        {{}, three, "East US, West US, North Europe"},  // none left is no choice
        {{"West US", "West US"}, {}, "West US, East US"},
    };
    for (const auto& [preferred, excluded, reads] : cases) {
        Account account{{.preferred = preferred, .excluded = excluded}};
        EXPECT_EQ(account.reads(), reads);
    }
}

TEST(Regions, are_written_to_where_the_account_says_whatever_the_user_prefers) {
    Account account{{.preferred = {"West US"}}};
    EXPECT_EQ(account.writes(), "East US, West US, North Europe");
    EXPECT_FALSE(account.regions.now(start)->multi_write);
}

TEST(Regions, are_all_written_to_by_preference_where_the_account_allows_it) {
    Account account{{.preferred = {"North Europe", "East US"}}, multi_write()};
    EXPECT_EQ(account.writes(), "North Europe, East US");
    EXPECT_TRUE(account.regions.now(start)->multi_write);

    EXPECT_EQ(account.reads(), "North Europe, East US");

    Account modest{{.preferred = {"North Europe"}, .writes = Writes::first_region}, multi_write()};
    EXPECT_FALSE(modest.regions.now(start)->multi_write);
    EXPECT_EQ(modest.writes().substr(0, 7), "East US");
}

TEST(Regions, that_are_lost_come_last_until_their_mark_expires) {
    Account account{{.options = {.mark_for = 1min}}};
    account.lose("East US");
    EXPECT_EQ(account.reads(), "West US, North Europe, East US");
    EXPECT_EQ(account.writes(), "West US, North Europe, East US");
    EXPECT_EQ(account.reads(start + 59s), "West US, North Europe, East US");
    EXPECT_EQ(account.reads(start + 1min), "East US, West US, North Europe");
    EXPECT_TRUE(account.regions.lost(start + 1min).empty());
}

// How long East US comes last among the regions for writes.
Duration mark_of(Mark mark, Random& random) {
    Account account{{.options = {.mark_for = 1min}}, document({"East US"}, three), random};
    account.regions.mark(account.at("East US"), mark, start);
    Duration wait{};
    while (account.writes(start + wait).ends_with("East US")) wait += 10ms;
    return wait;
}

TEST(Regions, are_marked_for_up_to_a_tenth_longer) {
    testing::FixedRandom least{0}, most{1};
    for (const Mark mark : {Mark::lost, Mark::no_writes}) {
        EXPECT_EQ(mark_of(mark, least), 60s);
        EXPECT_EQ(mark_of(mark, most), 66s);
    }
}

TEST(Regions, that_a_fleet_has_lost_are_not_asked_by_all_at_once) {
    SeededRandom random{2};
    std::vector<Duration> waits(100);
    for (Duration& wait : waits) wait = mark_of(Mark::lost, random);
    EXPECT_LT(fullest_tenth(waits, 60s, 66s), 0.3) << "seed 2";
}

TEST(Regions, that_were_lost_longest_ago_come_first_among_the_lost) {
    Account account;
    account.lose("East US", start);
    account.lose("North Europe", start - 1s);
    EXPECT_EQ(account.reads(), "West US, North Europe, East US");
}

TEST(Regions, that_are_all_lost_are_asked_in_the_order_of_the_document) {
    Account account;
    for (const std::string& name : {three[1], three[0], three[2]}) account.lose(name);
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
    EXPECT_EQ(account.writes(), "East US, West US, North Europe");
}

// The service goes on naming a region for minutes after it is gone.
TEST(Regions, keep_their_marks_over_every_new_document) {
    Account account;
    account.lose("East US");
    for (int i = 0; i < 3; ++i) {
        account.regions.learn(document({"East US"}, {"East US", "West US"}));
        EXPECT_EQ(account.reads(), "West US, East US");
        account.regions.learn(document({"West US"}, {"West US"}));
        EXPECT_EQ(account.reads(), "West US");
    }
    account.regions.learn(document({"East US"}, three));
    EXPECT_EQ(account.reads(), "West US, North Europe, East US");
}

TEST(Regions, stay_as_they_were_where_a_document_says_nothing) {
    AccountDocument first = multi_write();
    first.hedging_disabled = true;
    first.consistency = Consistency::eventual;
    Account account{{}, first};
    account.regions.learn(document(three, {}));
    account.regions.learn(document({}, three));
    const auto topology = account.regions.now(start);
    EXPECT_TRUE(topology->multi_write);
    EXPECT_FALSE(topology->may_hedge);
    EXPECT_EQ(topology->consistency, Consistency::eventual);
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
    EXPECT_EQ(account.writes(), "East US, West US, North Europe");

    AccountDocument next = multi_write();
    next.hedging_disabled = false;
    next.multi_write = false;
    account.regions.learn(next);
    EXPECT_TRUE(account.regions.now(start)->may_hedge);
    EXPECT_FALSE(account.regions.now(start)->multi_write);
}

// After a failover the document may name the old write region for a while.
TEST(Regions, that_refuse_writes_are_passed_over_for_writes_only) {
    Account account;
    account.regions.mark(account.at("East US"), Mark::no_writes, start);
    EXPECT_EQ(account.writes(), "West US, North Europe, East US");
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
    EXPECT_TRUE(account.regions.lost(start).empty());
    account.regions.mark(account.at("West US"), Mark::no_writes, start + 1s);
    EXPECT_EQ(account.writes(start + 1s), "North Europe, East US, West US");
}

TEST(Regions, that_take_a_write_again_lose_that_mark) {
    Account account;
    account.regions.mark(account.at("East US"), Mark::no_writes, start);
    account.lose("West US");
    account.regions.note_write(account.at("East US"));
    EXPECT_EQ(account.writes(), "East US, North Europe, West US");
    account.regions.note_write(account.at("West US"));  // and any other
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
}

TEST(Regions, are_lost_after_a_row_of_timeouts_without_an_answer_between_them) {
    Account account{{.options = {.timeouts_to_mark = 3}}};
    const Region& east = account.at("East US");
    for (int i = 0; i < 2; ++i) account.regions.note_timeout(east, start - 1s, 1s, start);
    account.regions.note_answer(east, start);
    for (int i = 0; i < 2; ++i) account.regions.note_timeout(east, start - 1s, 1s, start);
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
    account.regions.note_timeout(east, start - 1s, 1s, start);
    EXPECT_EQ(account.reads(), "West US, North Europe, East US");

    Account patient{{.options = {.timeouts_to_mark = 0}}};
    for (int i = 0; i < 100; ++i)
        patient.regions.note_timeout(patient.at("East US"), start - 1s, 1s, start);
    EXPECT_EQ(patient.reads(), "East US, West US, North Europe");
}

// Three calls with 30 ms, or a burst of them, would else move the reads of everybody.
TEST(Regions, are_not_lost_to_callers_in_a_hurry_until_these_have_waited_for_a_second) {
    Account account;
    const Region& east = account.at("East US");
    TimePoint now = start;
    const auto hurried = [&](int times, Duration apart) {
        for (int i = 0; i < times; ++i) {
            account.regions.note_timeout(east, now - 10ms, 1s, now);
            now += apart;
        }
    };
    hurried(99, 10ms);
    EXPECT_EQ(account.reads(now), "East US, West US, North Europe");
    account.regions.note_answer(east, now);
    hurried(500, 0ms);
    EXPECT_EQ(account.reads(now), "East US, West US, North Europe") << "five seconds at once";
    account.regions.note_answer(east, now);
    hurried(101, 10ms);
    EXPECT_EQ(account.reads(now), "West US, North Europe, East US");
}

TEST(Regions, that_lose_five_races_in_a_row_against_copies_are_read_last_for_a_while) {
    Account account{{.options = {.probe_every = 30s}}};
    const Region& east = account.at("East US");
    for (int i = 0; i < 4; ++i) account.regions.note_lost_race(east, start);
    for (int i = 0; i < 4; ++i) account.regions.note_lost_race(account.at("West US"), start);
    EXPECT_EQ(account.reads(), "East US, West US, North Europe") << "each region for itself";
    account.regions.note_lost_race(east, start);
    EXPECT_EQ(account.reads(), "West US, North Europe, East US");
    EXPECT_EQ(account.writes(), "East US, West US, North Europe");
    EXPECT_TRUE(account.regions.lost(start).empty());
    EXPECT_EQ(account.reads(start + 30s), "East US, West US, North Europe");
}

TEST(Regions, that_fail_in_a_row_come_before_those_that_are_lost) {
    Account account;
    account.lose("East US");
    const auto topology = account.regions.now(start);
    for (int i = 0; i < 3; ++i) account.at("West US").reads->failed_here(start, exact);
    RegionList list = topology->reads;
    sort_by_health(list, *topology, Does::read, start,
                   [](const Region& region) { return RegionHealth{.place = region.reads.get()}; });
    EXPECT_EQ(Account::joined(list), "North Europe, West US, East US");
}

TEST(Regions, that_answer_a_probe_are_in_their_place_again) {
    Account account;
    account.lose("East US");
    account.lose("West US");
    EXPECT_EQ(account.regions.lost(start).size(), 2u);
    account.regions.found_again(account.at("East US"));
    EXPECT_EQ(account.reads(), "East US, North Europe, West US");
    EXPECT_EQ(account.regions.lost(start).size(), 1u);
}

TEST(Regions, are_sorted_anew_only_when_something_changes) {
    Account account;
    const auto first = account.regions.now(start);
    EXPECT_EQ(account.regions.now(start + 1h), first);
    account.regions.note_answer(account.at("East US"), start);
    EXPECT_EQ(account.regions.now(start + 1h), first);
    account.lose("East US", start + 1h);
    EXPECT_NE(account.regions.now(start + 1h), first);
}

TEST(Regions, are_one_only_for_a_client_that_keeps_to_its_endpoint) {
    Account account;
    account.regions.settle_for(account.at("West US"));
    EXPECT_EQ(account.reads(), "West US");
    EXPECT_EQ(account.writes(), "West US");
}

// --- addresses that are not the account's ---

Location at_url(const std::string& name, std::string_view url) {
    return {.name = name, .endpoint = http::parse_url(url).value()};
}

TEST(Regions, outside_the_account_s_domain_are_dropped_and_the_others_stay) {
    Account account;
    AccountDocument next = document({"East US"}, {"East US", "West US"});
    next.readable.push_back(at_url("Mars", "https://acct-mars.evil.example/"));
    next.readable.push_back(at_url("Moon", "http://acct-moon.db.example/"));
    const auto unused = account.regions.learn(next);
    EXPECT_EQ(account.reads(), "East US, West US");
    ASSERT_EQ(unused.size(), 2u);
    EXPECT_EQ(unused[0].location.name, "Mars");
    EXPECT_EQ(unused[0].why, LocationCheck::other_host);
    EXPECT_EQ(unused[1].location.name, "Moon");
    EXPECT_EQ(unused[1].why, LocationCheck::weaker_scheme);
}

TEST(Regions, that_are_all_dropped_leave_the_given_endpoint) {
    AccountDocument evil;
    evil.writable = {at_url("East US", "http://10.9.9.9/")};
    Account both{{}, evil};
    EXPECT_EQ(both.reads(), "global");
    EXPECT_EQ(both.writes(), "global");
    EXPECT_TRUE(both.regions.single());

    // Only for writes: an older document's region may not take them any more.
    Account account;
    AccountDocument next = document({}, three);
    next.writable = evil.writable;
    account.regions.learn(next);
    EXPECT_EQ(account.reads(), "East US, West US, North Europe");
    EXPECT_EQ(account.regions.now(start)->write_region->name, "global");
    EXPECT_EQ(account.regions.now(start)->write_region->url, "https://acct.db.example");
}

TEST(Regions, composed_from_a_name_are_checked_as_well) {
    const auto local = http::parse_url("https://acct.local/").value();
    Regions regions{{.given = local},
                    [](const std::string&) -> Result<std::shared_ptr<http::Route>> {
                        return std::shared_ptr<http::Route>{};
                    },
                    exact};
    EXPECT_EQ(regions.at("East US", regional_endpoint(local, "East US").value()), nullptr);
    EXPECT_NE(regions.at("global", local), nullptr);
}

TEST(Regions, are_the_same_object_as_long_as_their_address_is) {
    Account account;
    const Region& east = account.at("East US");
    account.regions.learn(document({"eastus"}, three));
    EXPECT_EQ(&account.at("east us"), &east);
    AccountDocument moved = document({"East US"}, {"West US"});
    moved.writable[0].endpoint.host = "acct-moved.db.example";
    account.regions.learn(moved);
    EXPECT_NE(account.regions.now(start)->write_region, &east);
}

}  // namespace
}  // namespace perdure::cosmos
