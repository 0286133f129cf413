// SPDX-License-Identifier: Apache-2.0
//
// What every SQL target promises beside what all targets do, as tests: SqlTarget. A test program says
// which databases there are, by INSTANTIATE_TEST_SUITE_P with their names and by contract_place()
// (load_sql_target_case.hpp).
#pragma once

#include <atomic>
#include <deque>
#include <thread>

#include "tools/load_sql_target_case.hpp"

namespace tool::load {

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

TEST_P(SqlTarget, tells_how_much_a_column_holds) {
    run("create table t (a varchar(20), b char(3), c decimal(10,2), d text, e bigint)");
    const auto facts = open()->look();
    ASSERT_TRUE(facts && *facts);
    const auto& columns = (*facts)->columns;
    // SQLite ignores lengths.
    EXPECT_EQ(columns[0].most_characters, is("sqlite") ? SIZE_MAX : 20u);
    EXPECT_EQ(columns[1].most_characters, is("sqlite") ? SIZE_MAX : 3u);
    EXPECT_EQ(columns[2].most_whole, is("sqlite") ? INT64_MAX : 8);
    EXPECT_EQ(columns[2].most_fraction, is("sqlite") ? INT64_MAX : 2);
    for (const std::size_t i : {3u, 4u}) EXPECT_EQ(columns[i].most_characters, SIZE_MAX);
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
    for (const Type type :
         {Type::json, Type::numeric, Type::date, Type::timestamp, Type::timestamptz, Type::uuid})
        schema.columns.push_back({.name = std::string{to_string(type)} + "s", .type = type});
    const auto made = target->create(schema);
    ASSERT_TRUE(made) << to_string(made.error());
    const auto facts = target->look();
    ASSERT_TRUE(facts && *facts);
    ASSERT_EQ((*facts)->columns.size(), schema.columns.size());
    for (std::size_t i = 0; i < schema.columns.size(); ++i) {
        EXPECT_EQ((*facts)->columns[i].name, schema.columns[i].name);
        const Column& there = (*facts)->columns[i];
        // Of the server's own types other texts are taken too.
        EXPECT_EQ(there.type == Type::other ? there.made_for : there.type, schema.columns[i].type)
            << schema.columns[i].name;
    }
    EXPECT_THAT((*facts)->unique, ElementsAre("id"));
    EXPECT_TRUE(target->create(schema)) << "once more does no harm";
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

TEST_P(SqlTarget, does_not_blame_the_record_for_columns_that_are_gone) {
    auto target = ready(std::nullopt);
    Orders orders{"input.csv"};
    write(*target, orders.make({{1, "one"}}));
    run("drop table t");
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
                const std::int64_t id = (std::int64_t{w} * size.writes + i) * 10;
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
    static_cast<void>(ready(std::nullopt));
    const Losses size{.writes = 200, .threads = 8};
    auto target = ready(std::nullopt, {.workers = size.threads, .faults = chances(0.3, seed)});
    expect_exact(*target, size);
}

}  // namespace tool::load
