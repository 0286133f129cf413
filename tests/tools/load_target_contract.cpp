// SPDX-License-Identifier: Apache-2.0
//
// What does every target promise, whatever it is?
#include <algorithm>
#include <deque>
#include <thread>

#include "tools/load_target_case.hpp"

namespace tool::load {
namespace {

TEST_P(LoadContract, knows_nothing_of_a_table_that_is_not_there) {
    auto target = open();
    const auto facts = target->look();
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_FALSE(facts->has_value());
    const auto done = target->done("never.csv");
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_THAT(*done, IsEmpty());
    EXPECT_FALSE(target->entry("never.csv")->has_value());
}

TEST_P(LoadContract, writes_rows_and_their_range_as_one) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Order first = orders.make({{1, "one", 0.5}, {2, std::nullopt, 2, false}});
    Range expected = first.range;
    expected.written = 2;
    EXPECT_EQ(write(*target, first), expected);
    EXPECT_THAT(rows_of(*target),
                ElementsAre(std::pair{"1", "'one' 0.5 true"}, std::pair{"2", "null 2 false"}));
    const Order second = orders.make({{3, "three"}});
    write(*target, second);
    const auto done = target->done("input.csv");
    ASSERT_TRUE(done);
    ASSERT_EQ(done->size(), 2u);
    EXPECT_EQ((*done)[0], expected);
    EXPECT_EQ((*done)[1].begin, second.range.begin);
    EXPECT_EQ(*target->count(), 3u);
}

TEST_P(LoadContract, gives_every_value_back_as_it_was) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    std::vector<TestRecord> records;
    std::int64_t id = 0;
    for (const char* text : {"", "NULL", "null", "a,b", "{}", "\"", "\\", "\\\"", "'", "a\nb\t",
                             "é😀", " x ", "$1", "?", "--", "%s"})
        records.push_back({.id = ++id, .name = text});
    for (const double real : {0.1, -1e30, 123456789012345678.0})
        records.push_back({.id = ++id, .size = real});
    for (const double real : place->extremes()) records.push_back({.id = ++id, .size = real});
    records.push_back({.id = INT64_MIN});
    records.push_back({.id = INT64_MAX});
    const Order order = orders.make(records);
    EXPECT_EQ(write(*target, order).written, records.size());
    std::vector<Value> keys;
    for (std::size_t i = 0; i < order.count; ++i) keys.push_back(order.rows->row(i)[0]);
    std::size_t equal = 0;
    const auto found = target->find(keys, [&](std::span<const Value> back) -> Result<void> {
        for (std::size_t i = 0; i < order.count; ++i) {
            const auto sent = order.rows->row(i);
            if (sent[0].integer != back[0].integer) continue;
            for (std::size_t c = 0; c < 4; ++c)
                EXPECT_TRUE(same(test_schema(0).columns[c].type, sent[c], back[c]))
                    << shown(sent[c]) << " became " << shown(back[c]);
            ++equal;
        }
        return {};
    });
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(equal, records.size());
}

TEST_P(LoadContract, keeps_what_was_rejected_with_place_and_text) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    SourceEntry entry = orders.source();
    entry.header = "id;name";
    entry.format = Format::csv;
    ASSERT_TRUE(target->enter(entry));
    write(*target, orders.make({{1, "fine"}}));
    const Range range = write(
        *target, orders.with_rejected({{2, "fine"}, {3, std::string{"br\xffken"}}}, "because"));
    EXPECT_EQ(range.written, 1u);
    EXPECT_EQ(range.rejected, 1u);
    std::string kept;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        kept += std::to_string(one.offset) + ":" + std::to_string(one.line) + " " + one.reason +
                " " + one.record + " " + one.header + (one.format == Format::csv ? " csv" : "") +
                "|";
        return {};
    }));
    EXPECT_EQ(kept, "14:3 because 3;br\xffken id;name csv|");
}

TEST_P(LoadContract, hands_out_any_number_of_rejections_in_order) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    for (int i = 0; i < 250; ++i) write(*target, orders.with_rejected({{i, "x"}}, "no"));
    std::vector<std::uint64_t> lines;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        lines.push_back(one.line);
        return {};
    }));
    EXPECT_EQ(lines.size(), 250u);
    EXPECT_TRUE(std::ranges::is_sorted(lines));
}

TEST_P(LoadContract, writes_nothing_of_a_range_that_is_taken) {
    auto target = ready(std::nullopt);
    auto other = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Order order = orders.make({{1, "one"}});
    write(*target, order);
    EXPECT_EQ(refusal(*other, order), "taken");
    EXPECT_EQ(*target->count(), 1u);
    Orders elsewhere{"other.csv"};
    EXPECT_EQ(refusal(*other, elsewhere.make({{1, "one"}})), "written");
}

TEST_P(LoadContract, lets_only_the_last_who_entered_an_input_go_on_with_it) {
    auto first = ready(std::nullopt);
    auto second = ready(std::nullopt, 2);
    Orders orders{"input.csv"};
    const auto early = first->write(orders.make({{1, "one"}}), {});
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, "taken");
    EXPECT_EQ(write(*first, orders.make({{2, "two"}})).written, 1u);
    EXPECT_EQ(write(*second, orders.make({{3, "three"}})).written, 1u);
    const Order more = orders.make({{4, "four"}});
    const auto late = first->write(more, {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "taken");
    EXPECT_EQ(late.error().effect, Effect::none);
    EXPECT_TRUE(first->merge("input.csv", 0, orders.end())) << "left to the other";
    EXPECT_EQ(*first->count(), 2u);
    EXPECT_EQ(first->done("input.csv")->size(), 2u);
    EXPECT_EQ(write(*first, more).written, 1u) << "who enters again holds it again";
    EXPECT_EQ(second->write(orders.make({{5, "five"}}), {}).error().code, "taken");
}

TEST_P(LoadContract, tells_rows_that_are_there_from_those_that_differ) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}, {2, "two"}, {3, std::nullopt}}));
    for (const char* with : {"a key that nobody expected", "a look beforehand"}) {
        SCOPED_TRACE(with);
        const std::int64_t fresh = with[2] == 'k' ? 4 : 5;
        const Range range = write(*target, orders.make({{1, "one"},         // present
                                                        {2, "zwei"},        // differs
                                                        {3, std::nullopt},  // present
                                                        {fresh, "new"},     // new
                                                        {fresh, "new"},     // twice
                                                        {fresh, "neu"}}));  // and differs
        EXPECT_EQ(range.written, 1u);
        EXPECT_EQ(range.present, 3u);
        EXPECT_EQ(range.rejected, 2u);
        EXPECT_EQ(target->done("input.csv")->back(), range);
    }
    EXPECT_EQ(rows_of(*target).at("2"), "'two' 0 true");
    EXPECT_EQ(*target->count(), 5u);
    std::string lines;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        lines += std::to_string(one.line) + ' ';
        EXPECT_EQ(one.reason, "its key is there with other values");
        return {};
    }));
    EXPECT_EQ(lines, "5 9 11 15 ");
}

TEST_P(LoadContract, does_not_blame_the_record_for_what_is_wrong_with_the_table) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    place->drop_table();
    const auto gone = target->write(orders.make({{2, "two"}}), {});
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.error().code, "record") << to_string(gone.error());
    EXPECT_EQ(gone.error().effect, Effect::none);
    EXPECT_EQ(target->done("input.csv")->size(), 1u);
}

TEST_P(LoadContract, joins_ranges_that_touch_however_many) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    std::vector<Order> all;
    for (int i = 0; i < 250; ++i) all.push_back(orders.make({{i, "x"}}));
    ASSERT_TRUE(target->enter(orders.source()));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i != 248) {
            ASSERT_TRUE(target->write(all[i], {}));
        }
    const auto gap = target->merge("input.csv", 0, orders.end());
    ASSERT_FALSE(gap);
    EXPECT_EQ(gap.error().code, "ledger-gap");
    ASSERT_TRUE(target->merge("input.csv", 0, all[247].range.end));
    const auto done = *target->done("input.csv");
    ASSERT_EQ(done.size(), 2u);
    Range expected = all[247].range;  // with its digest, and the latest of the times
    expected.begin = 0;
    expected.first_line = 1;
    expected.lines = expected.records = expected.written = 248;
    EXPECT_EQ(done[0], expected);
    EXPECT_EQ(done[1].begin, all[249].range.begin);
    EXPECT_EQ(target->write(all[0], {}).error().code, "taken");
}

std::uint64_t records_in(const Result<std::vector<Range>>& done) {
    std::uint64_t records = 0;
    for (const Range& range : done.value_or(std::vector<Range>{})) records += range.records;
    return records;
}

TEST_P(LoadContract, loses_no_range_when_another_enters_while_they_are_joined) {
    auto first = ready(std::nullopt);
    auto second = ready(std::nullopt, 2);
    Orders orders{"input.csv"};
    std::int64_t written = 0;
    for (int round = 0; round < 30 && !HasFailure(); ++round) {
        ASSERT_TRUE(first->enter(orders.source()));
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(first->write(orders.make({{++written, "x"}}), {}));
        }
        std::thread joining{[&] {
            const auto joined = first->merge("input.csv", 0, orders.end());
            EXPECT_TRUE(joined) << to_string(joined.error());
        }};
        EXPECT_TRUE(second->enter(orders.source()));
        const auto seen = second->done("input.csv");
        joining.join();
        EXPECT_EQ(records_in(seen), written);
        EXPECT_EQ(records_in(second->done("input.csv")), written);
    }
}

TEST_P(LoadContract, remembers_an_input_until_it_is_told_to_forget) {
    auto target = open();
    EXPECT_FALSE(target->entry("input.csv")->has_value()) << "before there is a ledger";
    EXPECT_THAT(*target->done("input.csv"), IsEmpty());
    target = ready(std::nullopt);
    EXPECT_FALSE(target->entry("input.csv")->has_value());
    const SourceEntry first{.name = "input.csv",
                            .head_bytes = 7,
                            .head = "0123456789abcdef",
                            .rows_before = 3,
                            .format = Format::csv,
                            .header = "a,b"};
    EXPECT_EQ(target->enter(first)->head, first.head);
    const auto second = target->enter({.name = "input.csv", .head = "other"});
    EXPECT_EQ(second->head, first.head);
    EXPECT_EQ(second->rows_before, 3u);
    EXPECT_EQ(second->header, "a,b");
    EXPECT_EQ(second->format, Format::csv);
    EXPECT_EQ((*target->entry("input.csv"))->head_bytes, 7u);
    Orders orders{"input.csv"};
    write(*target, orders.with_rejected({{1, "x"}, {2, "y"}}, "no"));
    auto other = ready(std::nullopt);
    const auto forgotten = other->forget("input.csv");
    ASSERT_TRUE(forgotten) << to_string(forgotten.error());
    EXPECT_FALSE(target->entry("input.csv")->has_value());
    EXPECT_EQ(place->ledger_items("input.csv"), 0u);
    EXPECT_EQ(target->write(orders.make({{3, "z"}}), {}).error().code, "taken");
    EXPECT_EQ(*target->count(), 1u) << "the rows stay";
    ASSERT_TRUE(other->enter(orders.source()));
    EXPECT_THAT(*other->done("input.csv"), IsEmpty());
}

TEST_P(LoadContract, writes_from_many_threads_what_each_was_given) {
    constexpr int threads = 8;
    auto target = ready(0, threads);
    std::deque<Orders> orders;
    for (int i = 0; i < threads; ++i) orders.emplace_back("input" + std::to_string(i));
    for (const Orders& one : orders) ASSERT_TRUE(target->enter(one.source()));
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            for (int i = 0; i < 20; ++i) {
                const auto written = target->write(
                    orders[static_cast<std::size_t>(t)].make({{t * 1000 + i, "x"}}), {});
                EXPECT_TRUE(written) << to_string(written.error());
            }
        });
    for (std::thread& worker : workers) worker.join();
    EXPECT_EQ(*target->count(), threads * 20u);
    EXPECT_GE(target->counts().attempts, threads * 20u);
    EXPECT_GT(target->counts().budget, 0);
}

TEST_P(LoadContract, stops_when_it_is_told_to) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    ASSERT_TRUE(target->enter(orders.source()));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = target->write(orders.make({{1, "one"}}), stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().cause, perdure::Cause::cancelled);
    EXPECT_EQ(*target->count(), 0u);
}

}  // namespace
}  // namespace tool::load
