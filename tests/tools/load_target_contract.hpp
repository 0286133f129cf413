// SPDX-License-Identifier: Apache-2.0
//
// What every SQL target promises, as tests: SqlTarget. A test program says which databases there are,
// by INSTANTIATE_TEST_SUITE_P with their names and by contract_place() (load_target_case.hpp).
#pragma once

#include <atomic>
#include <deque>
#include <thread>

#include "tools/load_target_case.hpp"

namespace tool::load {

TEST_P(SqlTarget, knows_nothing_of_a_table_that_is_not_there) {
    const auto facts = open()->look();
    ASSERT_TRUE(facts) << to_string(facts.error());
    EXPECT_FALSE(facts->has_value());
}

TEST_P(SqlTarget, tells_what_a_table_is_like) {
    run("create table t (id bigint not null, name varchar(20), size double precision, good "
        "boolean, "
        "day date not null, note varchar(9) default 'x' not null, primary key (id), unique "
        "(name))");
    run("insert into t (id, day) values (1, '2026-01-01')");
    const auto facts = open()->look();
    ASSERT_TRUE(facts) << to_string(facts.error());
    ASSERT_TRUE(*facts);
    std::string told;
    for (const Column& column : (*facts)->columns) {
        told += column.name + ":" + std::string{to_string(column.type)};
        told += column.required ? "! " : column.has_default ? "? " : " ";
    }
    EXPECT_EQ(told, "id:integer! name:text size:real good:boolean day:other! note:text? ");
    EXPECT_THAT((*facts)->unique, ::testing::UnorderedElementsAre("id", "name"));
    EXPECT_EQ((*facts)->rows, 1u);
}

TEST_P(SqlTarget, refuses_a_view_with_a_clear_word) {
    run("create table base (id bigint)");
    run("create view t as select id from base");
    const auto facts = open()->look();
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, "not-loadable");
    EXPECT_THAT(facts.error().message, HasSubstr("view"));
}

TEST_P(SqlTarget, finds_the_types_again_that_it_made) {
    auto target = open();
    Schema schema = test_schema(0);
    schema.columns.push_back({.name = "list", .type = Type::json});
    const auto made = target->create(schema);
    ASSERT_TRUE(made) << to_string(made.error());
    const auto facts = target->look();
    ASSERT_TRUE(facts && *facts);
    ASSERT_EQ((*facts)->columns.size(), schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        EXPECT_EQ((*facts)->columns[i].name, schema.columns[i].name);
        EXPECT_EQ((*facts)->columns[i].type, schema.columns[i].type) << schema.columns[i].name;
    }
    EXPECT_THAT((*facts)->unique, ElementsAre("id"));
    EXPECT_TRUE(target->create(schema)) << "once more does no harm";
}

TEST_P(SqlTarget, writes_rows_and_their_range_as_one) {
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

TEST_P(SqlTarget, gives_every_value_back_as_it_was) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    std::vector<TestRecord> records;
    std::int64_t id = 0;
    for (const char* text : {"", "NULL", "null", "a,b", "{}", "\"", "\\", "\\\"", "'", "a\nb\t",
                             "é😀", " x ", "$1", "?", "--", "%s"})
        records.push_back({.id = ++id, .name = text});
    for (const double real : {0.1, -1e300, 5e-324, 1.7976931348623157e308, 123456789012345678.0})
        records.push_back({.id = ++id, .size = real});
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
    ASSERT_TRUE(found);
    EXPECT_EQ(equal, records.size());
}

TEST_P(SqlTarget, keeps_what_was_rejected_with_place_and_text) {
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

TEST_P(SqlTarget, hands_out_any_number_of_rejections_in_order) {
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

TEST_P(SqlTarget, writes_nothing_of_a_range_that_is_taken) {
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

TEST_P(SqlTarget, lets_only_the_last_who_entered_an_input_go_on_with_it) {
    auto first = ready(std::nullopt);
    auto second = ready(std::nullopt);
    Orders orders{"input.csv"};
    const Order never_entered = orders.make({{1, "one"}});
    const auto early = first->write(never_entered, {});
    ASSERT_FALSE(early);
    EXPECT_EQ(early.error().code, "taken");
    EXPECT_EQ(write(*first, orders.make({{2, "two"}})).written, 1u);
    EXPECT_EQ(write(*second, orders.make({{3, "three"}})).written, 1u);
    const auto late = first->write(orders.make({{4, "four"}}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "taken");
    EXPECT_EQ(late.error().effect, Effect::none);
    EXPECT_TRUE(first->merge("input.csv", 0, orders.end())) << "left to the other";
    EXPECT_EQ(*first->count(), 2u);
    EXPECT_EQ(first->done("input.csv")->size(), 2u);
}

TEST_P(SqlTarget, says_so_when_the_ledger_cannot_be_right) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}, {2, "two"}}));
    write(*target, orders.make({{3, "three"}}));
    run("update perdure_load_range set end_at = end_at + 1 where begin_at = 0");
    const auto done = target->done("input.csv");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "ledger-damaged");
}

TEST_P(SqlTarget, tells_rows_that_are_there_from_those_that_differ) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}, {2, "two"}, {3, std::nullopt}}));
    const Range range = write(*target, orders.make({{1, "one"},         // present
                                                    {2, "zwei"},        // differs
                                                    {3, std::nullopt},  // present
                                                    {4, "four"},        // new
                                                    {4, "four"},        // twice
                                                    {4, "vier"}}));     // and differs
    EXPECT_EQ(range.written, 1u);
    EXPECT_EQ(range.present, 3u);
    EXPECT_EQ(range.rejected, 2u);
    EXPECT_EQ(target->done("input.csv")->back(), range);
    EXPECT_THAT(rows_of(*target),
                ElementsAre(std::pair{"1", "'one' 0 true"}, std::pair{"2", "'two' 0 true"},
                            std::pair{"3", "null 0 true"}, std::pair{"4", "'four' 0 true"}));
    ASSERT_TRUE(target->enter(orders.source()));
    std::string lines;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        lines += std::to_string(one.line) + ": " + one.reason + "; ";
        return {};
    }));
    EXPECT_EQ(lines,
              "5: its key is there with other values; 9: its key is there with other values; ");
}

TEST_P(SqlTarget, writes_all_of_a_long_order_and_counts_what_is_present) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    std::vector<TestRecord> records;
    for (int i = 0; i < 1'773; ++i) records.push_back({.id = i, .name = "n" + std::to_string(i)});
    EXPECT_EQ(write(*target, orders.make(records)).written, records.size());
    Orders again{"again.csv"};
    const Range second = write(*target, again.make(records));
    EXPECT_EQ(second.present, records.size());
    EXPECT_EQ(second.written + second.rejected, 0u);
    EXPECT_EQ(*target->count(), records.size());
}

TEST_P(SqlTarget, blames_the_record_when_the_table_refuses_a_row) {
    run("create table t (id bigint not null primary key, name varchar(5) not null, size double "
        "precision, good boolean, check (size < 100))");
    auto target = open();
    Schema schema = test_schema(std::nullopt);
    schema.columns[1].name = "name";
    target->use(schema);
    ASSERT_TRUE(target->open_ledger());
    Orders orders{"input.csv"};
    EXPECT_EQ(refusal(*target, orders.make({{1, "one"}, {2, std::nullopt}})), "record");
    EXPECT_EQ(refusal(*target, orders.make({{1, "one"}, {2, "two", 1000}})), "record");
    EXPECT_EQ(refusal(*target, orders.make({{1, "one"}, {1, "two"}})), "record");
    if (!is("sqlite")) {
        EXPECT_EQ(refusal(*target, orders.make({{1, "much too long"}})), "record");
    }
    EXPECT_EQ(*target->count(), 0u);
    EXPECT_THAT(*target->done("input.csv"), IsEmpty());
    ASSERT_TRUE(target->enter(orders.source()));
    const auto refused = target->write(orders.make({{1, "secret", 1000}}), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().effect, Effect::none);
    EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
}

TEST_P(SqlTarget, does_not_blame_the_record_for_what_is_wrong_with_the_table) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    run("drop table t");
    const auto gone = target->write(orders.make({{2, "two"}}), {});
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.error().code, "record");
    EXPECT_EQ(gone.error().cause, Cause::invalid);
    EXPECT_EQ(gone.error().effect, Effect::none);
    run("create table t (id bigint)");
    EXPECT_NE(refusal(*target, orders.make({{2, "two"}})), "record");
    EXPECT_EQ(target->done("input.csv")->size(), 1u);
}

TEST_P(SqlTarget, does_not_take_another_unique_value_for_the_key) {
    run("create table t (id bigint not null primary key, name varchar(20) unique, size double "
        "precision, good boolean)");
    auto target = open();
    Schema schema = test_schema(0);
    schema.columns[1].name = "name";
    target->use(schema);
    ASSERT_TRUE(target->open_ledger());
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    EXPECT_EQ(refusal(*target, orders.make({{7, "seven"}, {2, "one"}})), "record");
    const auto alone = target->write(orders.make({{2, "one"}}), {});
    if (alone) {
        EXPECT_EQ(alone->rejected, 1u);
    } else {
        EXPECT_EQ(alone.error().code, "record");
    }
    EXPECT_EQ(*target->count(), 1u);
}

TEST_P(SqlTarget, joins_ranges_that_touch) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    std::vector<Order> all;
    for (int i = 0; i < 4; ++i) all.push_back(orders.make({{i, "x"}}));
    for (const int i : {0, 1, 3}) write(*target, all[static_cast<std::size_t>(i)]);
    EXPECT_FALSE(target->merge("input.csv", 0, orders.end())) << "there is a gap";
    ASSERT_TRUE(target->merge("input.csv", 0, all[1].range.end));
    const auto done = *target->done("input.csv");
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0], (Range{.begin = 0,
                              .end = all[1].range.end,
                              .first_line = 1,
                              .lines = 2,
                              .records = 2,
                              .written = 2,
                              .reached = all[1].range.end}));
    EXPECT_EQ(refusal(*target, all[0]), "taken");
}

TEST_P(SqlTarget, remembers_an_input_until_it_is_told_to_forget) {
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
    ASSERT_TRUE(target->forget("input.csv"));
    EXPECT_FALSE(target->entry("input.csv")->has_value());
    EXPECT_THAT(*target->done("input.csv"), IsEmpty());
    EXPECT_EQ(ask("select count(*) from perdure_load_rejected"), "0");
    EXPECT_EQ(*target->count(), 1u) << "the rows stay";
}

TEST_P(SqlTarget, stops_when_it_is_told_to) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = target->write(orders.make({{1, "one"}}), stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().cause, Cause::cancelled);
    EXPECT_EQ(*target->count(), 0u);
}

struct Losses {
    int writes = 0;
    int threads = 1;
};

// What was told, what the ledger says and what is there must be one and the same.
inline void expect_exact(Target& target, const Losses& size) {
    std::atomic<std::uint64_t> told{0};
    std::deque<Orders> inputs;
    std::vector<std::thread> workers;
    for (int w = 0; w < size.threads; ++w)
        workers.emplace_back([&, w, orders = &inputs.emplace_back("input" + std::to_string(w))] {
            EXPECT_TRUE(target.enter(orders->source()));
            for (int i = 0; i < size.writes / size.threads; ++i) {
                const std::int64_t id = (w * size.writes + i) * 10;
                const Order order = orders->make({{id, "a"}, {id + 1, "b"}, {id + 2, "c"}});
                const auto written = target.write(order, {});
                if (written) told += written->written;
                else ADD_FAILURE() << to_string(written.error());
            }
        });
    for (std::thread& worker : workers) worker.join();
    std::uint64_t noted = 0;
    for (const Orders& orders : inputs) {
        const auto done = target.done(orders.source().name);
        ASSERT_TRUE(done) << to_string(done.error());
        for (const Range& range : *done) noted += range.written;
    }
    EXPECT_EQ(told, static_cast<std::uint64_t>(size.writes) * 3);
    EXPECT_EQ(noted, told);
    EXPECT_EQ(rows_of(target).size(), told);
    const TargetCounts counts = target.counts();
    EXPECT_GE(counts.attempts, static_cast<std::uint64_t>(size.writes));
    EXPECT_GT(counts.retries, 0u);
    EXPECT_GT(counts.asked, 0u);
    EXPECT_EQ(counts.unknown, 0u);
    EXPECT_GT(counts.budget, 0);
}

// Of each step.
inline sql::FaultChances chances(double chance, std::uint64_t seed) {
    const sql::Odds odds{.fail_before = chance / 2, .fail_after = chance / 2};
    return {
        .seed = seed,
        .open = odds,
        .begin = odds,
        .execute = odds,
        .commit = {.fail_before = chance / 3, .fail_after = chance / 3, .half_open = chance / 3},
        .half_open_for = std::chrono::milliseconds{10}};
}

TEST_P(SqlTarget, loses_and_doubles_nothing_while_links_break_at_every_step) {
    const std::uint64_t seed = perdure::system_random().bits();
    SCOPED_TRACE("seed " + std::to_string(seed));
    RecordProperty("seed", std::to_string(seed));
    // Made while nothing fails, so that the counts are those of writes alone.
    ready(std::nullopt);
    const Losses size{.writes = 200, .threads = 8};
    auto target = ready(std::nullopt, {.workers = size.threads, .faults = chances(0.3, seed)});
    expect_exact(*target, size);
}

}  // namespace tool::load
