// SPDX-License-Identifier: Apache-2.0
#include "doctor/chance.hpp"

#include <gtest/gtest.h>

#include "doctor/facts.hpp"
#include "doctor/levels.hpp"
#include "doctor/timeline.hpp"

namespace tool::doctor {
namespace {

TEST(Levels, answer_within_a_thirtysecond_and_count_what_lies_above) {
    Levels levels;
    for (std::uint64_t i = 1; i <= 100'000; ++i) levels.add(i * 1000);
    for (const double q : {0.01, 0.5, 0.9, 0.99, 1.0}) {
        const double exact = q * 1e8;
        EXPECT_NEAR(static_cast<double>(levels.quantile(q)), exact, exact / 32) << q;
    }
    EXPECT_NEAR(static_cast<double>(levels.above(50'000'000)), 50'000, 50'000 / 16.0);
    EXPECT_EQ(Levels{}.quantile(0.5), 0U);
}

TEST(Levels, merged_are_the_same_as_added_to_one) {
    Levels left, right, both;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        (i % 3 == 0 ? left : right).add(i * i, i % 4 + 1);
        both.add(i * i, i % 4 + 1);
    }
    left.merge(right);
    EXPECT_EQ(left.count(), both.count());
    for (const double q : {0.1, 0.5, 0.99}) EXPECT_EQ(left.quantile(q), both.quantile(q));
}

TEST(Chance, is_fishers_exact_test) {
    // The lady tasting tea: 3 of 4 right has a chance of 17/70, 4 of 4 of 1/70.
    EXPECT_NEAR(by_chance({3, 4}, {1, 4}), 17.0 / 70, 1e-9);
    EXPECT_NEAR(by_chance({4, 4}, {0, 4}), 1.0 / 70, 1e-9);
    EXPECT_DOUBLE_EQ(by_chance({0, 0}, {5, 9}), 1);
    EXPECT_LT(by_chance({3000, 10'000}, {2000, 190'000}), 1e-100);
    EXPECT_GT(by_chance({500, 10'000}, {9500, 190'000}), 0.4);
}

TEST(Chance, knows_how_little_a_few_cases_prove) {
    EXPECT_LT(at_least({1, 100}), 0.002);
    EXPECT_GT(at_least({1000, 100'000}), 0.009);
    EXPECT_EQ(at_least({0, 100}), 0);
    // One line for ten calls is one observation.
    const Share known = known_from(10, {50, 100});
    EXPECT_EQ(known.part, 5U);
    EXPECT_EQ(known.of, 10U);
}

TEST(Timeline, doubles_its_slots_and_loses_no_call) {
    Timeline line{16};
    for (std::int64_t i = 999; i >= 0; --i) line.at(i * second).calls += 1;
    std::uint64_t calls = 0;
    for (const auto& [at, slot] : line.slots()) calls += slot.calls;
    EXPECT_EQ(calls, 1000U);
    EXPECT_LE(line.slots().size(), 16U);
    EXPECT_EQ(line.width(), 64 * second);
}

TEST(Timeline, forgives_one_blip_and_no_state) {
    Timeline blip{100}, state{100};
    for (std::int64_t i = 0; i < 60; ++i) {
        blip.at(i * second).calls = state.at(i * second).calls = 100;
        if (i == 30 || i == 31) blip.at(i * second).affected = 40;
        if (i >= 30 && i < 45) state.at(i * second).affected = 40;
    }
    EXPECT_EQ(blip.affected_without_blips().part, 0U);
    EXPECT_GT(state.affected_without_blips().value(), 0.04);
}

std::vector<Counted> fleet(std::size_t hosts, Share share) {
    std::vector<Counted> groups;
    for (std::size_t i = 0; i < hosts; ++i)
        groups.push_back({"host-" + std::to_string(i), share, share.value()});
    return groups;
}

TEST(Subset, is_one_sick_host_in_fleets_of_any_size) {
    struct Case {
        std::size_t hosts;
        Share usual, sick;
    };
    for (const auto& [hosts, usual, sick] :
         {Case{2, {1, 250}, {60, 250}}, Case{60, {0, 8}, {4, 8}}, Case{60, {33, 3300}, {500, 3300}},
          Case{10, {200, 20'000}, {2000, 20'000}}}) {
        auto groups = fleet(hosts, usual);
        groups.back().share = sick;
        groups.back().steady = sick.value();
        const Subset found = subset_of(groups, hosts / 2);
        ASSERT_EQ(found.names.size(), 1U) << hosts;
        EXPECT_EQ(found.names[0], groups.back().name);
        EXPECT_LT(found.chance, 0.001);
    }
}

TEST(Subset, is_empty_where_chance_explains_it) {
    // One failure here and there in a small run looks like a rate of an eighth.
    auto groups = fleet(60, {0, 8});
    for (std::size_t i = 0; i < 6; ++i) groups[i * 7].share.part = 1;
    EXPECT_TRUE(subset_of(groups, 30).names.empty());
    // Ten calls by one line.
    auto sampled = fleet(20, {0, 100});
    for (Counted& one : sampled) one.lines = {0, 10};
    sampled[3].share.part = 10;
    sampled[3].lines.part = 1;
    EXPECT_TRUE(subset_of(sampled, 10).names.empty());
    EXPECT_TRUE(subset_of(fleet(1, {9, 10}), 1).names.empty());
    EXPECT_TRUE(subset_of({}, 0).names.empty());
}

TEST(Subset, leaves_out_what_was_bad_for_a_moment_only) {
    auto groups = fleet(12, {2, 500});
    groups[5].share.part = 200;  // its worst stretch of time held nearly all of them
    EXPECT_TRUE(subset_of(groups, 6).names.empty());
}

TEST(Subset, holds_several_that_are_alike) {
    auto groups = fleet(12, {2, 500});
    for (const std::size_t i : {1U, 4U, 7U, 9U}) {
        groups[i].share.part = 200;
        groups[i].steady = 0.4;
    }
    EXPECT_EQ(subset_of(groups, 6).names.size(), 4U);
}

TEST(Rhythm, is_found_by_the_clock_and_not_in_one_blip) {
    Timeline every_minute{4096}, once{4096};
    constexpr std::int64_t begin = 1'794'000'000 / 60 * 60;
    for (std::int64_t i = 0; i < 600; ++i) {
        const std::int64_t time = (begin + i) * second;
        for (Timeline* line : {&every_minute, &once}) line->at(time).calls = 50;
        if (i % 60 == 17) every_minute.at(time).affected = 20;
        if (i == 77) once.at(time).affected = 20;
    }
    const Rhythm found = rhythm_of(every_minute, 1'000'000'000);
    EXPECT_EQ(found.period, 60 * second);
    EXPECT_EQ(found.phase, 17 * second);
    EXPECT_EQ(found.repeats, 1);
    EXPECT_LT(found.chance, 1e-9);
    EXPECT_LT(rhythm_of(once, 1'000'000'000).repeats, 0.2);
}

}  // namespace
}  // namespace tool::doctor
