// SPDX-License-Identifier: Apache-2.0
//
// Does every row of an order end in one place, whatever is there already?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/dynamodb/dynamodb_unit.hpp"
#include "load/target/ledger_ranges.hpp"
#include "tools/load_orders.hpp"

namespace tool::load {
namespace {

namespace dynamodb = perdure::dynamodb;
using dynamodb::Item;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ItemRows keyed() { return {test_schema(0), "t", {{"id", dynamodb::KeyType::number}}}; }

std::string shown(const UnitOutcome& end) {
    std::string told = std::to_string(end.written) + " written, " + std::to_string(end.present) +
                       " present, rejected:";
    for (const Rejected& one : end.rejected) told += ' ' + std::to_string(one.record);
    return told;
}

TEST(UnitRows, write_all_that_is_not_there) {
    const ItemRows rows = keyed();
    Orders orders{"in.csv"};
    const Order order = orders.make({{1, "one"}, {2, "two"}, {3, std::nullopt}});
    const UnitRows unit{rows, order};
    EXPECT_EQ(unit.open().size(), 3u);
    EXPECT_GT(unit.bytes(), 0u);
    EXPECT_EQ(shown(unit.outcome()), "3 written, 0 present, rejected:");
}

TEST(UnitRows, tell_what_is_there_from_what_differs) {
    const ItemRows rows = keyed();
    Orders orders{"in.csv"};
    const Order order = orders.make({{1, "one"}, {2, "zwei"}, {3, "three"}, {1, "uno"}});
    UnitRows unit{rows, order};
    ASSERT_EQ(unit.open().size(), 3u) << "two rows have one key";
    const Item first = unit.open()[0].item;
    Item second = unit.open()[1].item;
    second.set("size", 17);
    unit.met(0, first);
    unit.met(1, second);
    unit.drop_settled();
    ASSERT_EQ(unit.open().size(), 1u);
    EXPECT_EQ(shown(unit.outcome()), "1 written, 1 present, rejected: 1 3");
    EXPECT_EQ(unit.outcome().rejected.front().reason, "its key is there with other values");
}

TEST(UnitRows, take_a_key_once_and_compare_the_others_with_it) {
    const ItemRows rows = keyed();
    Orders orders{"in.csv"};
    const Order order = orders.make({{4, "four"}, {4, "four"}, {4, "vier"}, {5, "five"}});
    const UnitRows unit{rows, order};
    EXPECT_EQ(unit.open().size(), 2u);
    EXPECT_EQ(shown(unit.outcome()), "2 written, 1 present, rejected: 2");
}

TEST(UnitRows, reject_what_cannot_be_an_item_and_what_the_service_refuses) {
    const ItemRows rows = keyed();
    Orders orders{"in.csv"};
    const Order order = orders.make({{1, "one", 1e300}, {2, "two"}, {3, "three"}});
    UnitRows unit{rows, order};
    ASSERT_EQ(unit.open().size(), 2u);
    unit.refuse(1, "because");
    unit.drop_settled();
    const UnitOutcome end = unit.outcome();
    EXPECT_EQ(shown(end), "1 written, 0 present, rejected: 0 2");
    EXPECT_EQ(end.rejected.back().reason, "because");
}

TEST(DynamoLedgerItems, sort_by_offset_and_read_back_what_was_written) {
    EXPECT_LT(place_name(range_prefix("g"), 9), place_name(range_prefix("g"), 10));
    EXPECT_LT(place_name(range_prefix("g"), 10), place_name(range_prefix("g"), UINT64_MAX));
    EXPECT_EQ(fence_name(7), "fence#07");
    const Range range{.begin = 1,
                      .end = 2,
                      .first_line = 3,
                      .lines = 4,
                      .records = 5,
                      .written = 6,
                      .present = 7,
                      .rejected = 8,
                      .reached = UINT64_MAX};
    Item item = ledger_key("t#in.csv", "range");
    write_range(range, item);
    EXPECT_EQ(*read_range(item), range);
    SourceEntry source{.head_bytes = 9, .head = "abc", .format = Format::csv, .header = "a,b"};
    Item entry = ledger_key("t#in.csv", "entry");
    write_source(source, entry);
    SourceEntry back;
    ASSERT_TRUE(read_source(entry, back));
    EXPECT_EQ(back.head, "abc");
    EXPECT_EQ(back.header, "a,b");
    EXPECT_EQ(back.format, Format::csv);
    EXPECT_FALSE(read_range(entry));
}

TEST(DynamoLedgerItems, keep_the_beginning_of_a_record_that_is_too_long_and_say_so) {
    const std::string record(most_of_record + 10, '\xff');
    Item item = ledger_key("t#in.csv", "rejected");
    write_rejection({.offset = 7, .line = 3, .reason = "no", .record = record}, item);
    EXPECT_TRUE(dynamodb::check(item));
    const auto kept = read_rejection(item);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->record, record.substr(0, most_of_record));
    EXPECT_THAT(kept->reason, HasSubstr("only its first"));
    EXPECT_EQ(kept->offset, 7u);
}

TEST(LedgerRanges, join_only_where_they_touch) {
    const std::vector<Range> touching{{.begin = 0, .end = 5, .records = 2, .reached = 9},
                                      {.begin = 5, .end = 8, .records = 1, .reached = 8}};
    EXPECT_EQ(*joined(touching), (Range{.begin = 0, .end = 8, .records = 3, .reached = 9}));
    EXPECT_TRUE(check_apart(touching));
    const std::vector<Range> gap{{.begin = 0, .end = 4}, {.begin = 5, .end = 8}};
    EXPECT_EQ(joined(gap).error().code, "ledger-gap");
    const std::vector<Range> overlap{{.begin = 0, .end = 6}, {.begin = 5, .end = 8}};
    EXPECT_EQ(check_apart(overlap).error().code, "ledger-damaged");
}

}  // namespace
}  // namespace tool::load
