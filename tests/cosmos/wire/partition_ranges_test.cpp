// SPDX-License-Identifier: Apache-2.0
//
// Does every key have its range, through splits, merges and answers that are not whole?
#include "perdure/cosmos/wire/partition_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::cosmos {
namespace {

using Ranges = std::vector<PartitionRange>;

std::string ids(std::span<const PartitionRange> ranges) {
    std::string made;
    for (const PartitionRange& range : ranges) made += (made.empty() ? "" : " ") + range.id;
    return made;
}

TEST(PartitionRanges, are_read_as_the_service_and_its_imitators_write_them) {
    const auto read = parse_ranges(
        R"({"_rid":"x","PartitionKeyRanges":[{"_rid":"y","id":"1","_etag":"\"e\"","minInclusive":"",)"
        R"("maxExclusive":"05C1","ridPrefix":1,"throughputFraction":0.5,"status":"online",)"
        R"("parents":["0"],"_ts":1},{"id":2,"minInclusive":"05C1","maxExclusive":"FF",)"
        R"("parents":null}],"_count":2})");
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(*read, (Ranges{{"1", "", "05C1", {"0"}}, {"2", "05C1", "FF", {}}}));
    EXPECT_TRUE(parse_ranges(R"({"PartitionKeyRanges":[]})")->empty());
}

TEST(PartitionRanges, that_cannot_be_read_are_corrupt) {
    const std::string deep(500, '[');
    for (const std::string_view json :
         {std::string_view{}, std::string_view{"[]"}, std::string_view{"{}"},
          std::string_view{R"({"PartitionKeyRanges":{}})"},
          std::string_view{R"({"PartitionKeyRanges":[1]})"},
          std::string_view{R"({"PartitionKeyRanges":[{"minInclusive":"","maxExclusive":"FF"}]})"},
          std::string_view{R"({"PartitionKeyRanges":[{"id":"0"}]})"},
          std::string_view{
              R"({"PartitionKeyRanges":[{"id":"0","minInclusive":"FF","maxExclusive":""}]})"},
          std::string_view{
              R"({"PartitionKeyRanges":[{"id":"0","minInclusive":"","maxExclusive":"ff"}]})"},
          std::string_view{
              R"({"PartitionKeyRanges":[{"id":"0,1","minInclusive":"","maxExclusive":"FF"}]})"},
          std::string_view{
              R"({"PartitionKeyRanges":[{"id":1.5,"minInclusive":"","maxExclusive":"FF"}]})"},
          std::string_view{R"({"PartitionKeyRanges":[],"PartitionKeyRanges":[]})"},
          std::string_view{R"({"PartitionKeyRanges":[]}x)"},
          std::string_view{R"({"PartitionKeyRanges":[)"}, std::string_view{deep}}) {
        const auto read = parse_ranges(json);
        ASSERT_FALSE(read) << json;
        EXPECT_EQ(read.error().cause, Cause::corrupt);
        EXPECT_EQ(read.error().code, "unreadable-answer");
    }
}

RoutingMap three() {
    return RoutingMap::from({{"2", "0A", "1F", {}}, {"0", "", "0A", {}}, {"1", "1F", "FF", {}}})
        .value();
}

TEST(RoutingMap, finds_the_range_of_every_key) {
    const RoutingMap map = three();
    EXPECT_EQ(ids(map.all()), "0 2 1");
    EXPECT_EQ(map.at("").id, "0");
    EXPECT_EQ(map.at("09FFFFFF").id, "0");
    EXPECT_EQ(map.at("0A").id, "2");
    EXPECT_EQ(map.at("1EFF").id, "2");
    EXPECT_EQ(map.at("1F").id, "1");
    EXPECT_EQ(map.at("FFFF").id, "1");
    EXPECT_EQ(map.find("2")->min, "0A");
    EXPECT_EQ(map.find("7"), nullptr);
}

TEST(RoutingMap, finds_those_that_share_a_key_with_a_range) {
    const RoutingMap map = three();
    EXPECT_EQ(ids(map.overlapping("", "FF")), "0 2 1");
    EXPECT_EQ(ids(map.overlapping("", "0A")), "0");
    EXPECT_EQ(ids(map.overlapping("", "0A00")), "0 2");
    EXPECT_EQ(ids(map.overlapping("0A", "1F")), "2");
    EXPECT_EQ(ids(map.overlapping("0B", "0C")), "2");
    EXPECT_EQ(ids(map.overlapping("1E", "20")), "2 1");
    EXPECT_EQ(ids(map.overlapping("0A", "0A")), "");
    EXPECT_EQ(ids(map.overlapping("20", "10")), "");
    const EffectiveRange prefix = prefix_range(PartitionKey{"tenant"});
    const auto found = map.overlapping(prefix.min, prefix.max);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, map.at(prefix.min).id);
}

TEST(RoutingMap, is_none_where_ranges_leave_a_hole_overlap_or_end_early) {
    for (const Ranges& ranges : {
             Ranges{},
             Ranges{{"0", "", "0A", {}}},
             Ranges{{"0", "0A", "FF", {}}},
             Ranges{{"0", "", "0A", {}}, {"1", "0B", "FF", {}}},
             Ranges{{"0", "", "0A", {}}, {"1", "09", "FF", {}}},
             Ranges{{"0", "", "FF", {}}, {"1", "", "FF", {}}},
             Ranges{{"0", "", "FF", {"0"}}},
             Ranges{{"0", "", "FF", {}}, {"1", "", "0A", {"0"}}},
             Ranges{{"0", "", "FF", {"1"}}, {"1", "", "FF", {"0"}}},
         })
        EXPECT_FALSE(RoutingMap::from(ranges)) << ids(ranges);
}

TEST(RoutingMap, follows_a_split_by_its_changes_alone) {
    const RoutingMap before = three();
    const auto after = before.with({{"3", "0A", "14", {"2"}}, {"4", "14", "1F", {"2"}}});
    ASSERT_TRUE(after);
    EXPECT_EQ(ids(after->all()), "0 3 4 1");
    EXPECT_TRUE(after->is_gone("2"));
    EXPECT_FALSE(after->is_gone("1"));
    EXPECT_EQ(after->find("2"), nullptr);
    const auto children = after->children_of("2");
    ASSERT_EQ(children.size(), 2U);
    EXPECT_EQ(children[0]->id, "3");
    EXPECT_EQ(children[1]->id, "4");
    EXPECT_EQ(ids(before.all()), "0 2 1") << "the old map is as it was";
    EXPECT_FALSE(before.with({{"3", "0A", "14", {"2"}}})) << "half a split";
}

TEST(RoutingMap, does_not_bring_back_a_range_that_is_gone) {
    const auto after = three().with({{"3", "0A", "14", {"2"}}, {"4", "14", "1F", {"2"}}});
    const auto again = after->with({{"2", "0A", "1F", {}}});
    ASSERT_TRUE(again);
    EXPECT_EQ(ids(again->all()), "0 3 4 1");
}

TEST(RoutingMap, follows_a_merge_and_a_change_of_one_range) {
    const auto merged = three().with({{"5", "0A", "FF", {"2", "1"}}});
    ASSERT_TRUE(merged);
    EXPECT_EQ(ids(merged->all()), "0 5");
    EXPECT_EQ(merged->children_of("1").size(), 1U);
    const auto same = merged->with({{"5", "0A", "FF", {"2", "1"}}});
    ASSERT_TRUE(same) << "told twice";
    EXPECT_EQ(ids(same->all()), "0 5");
    EXPECT_TRUE(merged->with({}));
}

TEST(RoutingMap, knows_grandparents_too) {
    const auto map = RoutingMap::from({{"0", "", "FF", {}},
                                       {"1", "", "10", {"0"}},
                                       {"2", "10", "FF", {"0"}},
                                       {"3", "10", "20", {"0", "2"}},
                                       {"4", "20", "FF", {"0", "2"}}});
    ASSERT_TRUE(map);
    EXPECT_EQ(ids(map->all()), "1 3 4");
    EXPECT_EQ(map->children_of("0").size(), 3U);
    EXPECT_TRUE(map->is_gone("0"));
}

}  // namespace
}  // namespace perdure::cosmos
