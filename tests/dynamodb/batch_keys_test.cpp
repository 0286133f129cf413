// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/batch_keys.hpp"

#include <gtest/gtest.h>

namespace perdure::dynamodb {
namespace {

const Failure throttled_entry{.cause = Cause::throttled, .code = "UnprocessedItems"};

BatchKeys orders_and_users() { return {{{"orders", {"pk", "sk"}}, {"users", {"id"}}}, "dynamodb"}; }

Value number(const char* text) { return Number::as_written(text); }

TEST(BatchKeys, take_for_the_same_what_the_service_takes_for_the_same) {
    const struct {
        const char* what;
        Item first, second;
        bool same;
    } cases[] = {
        {"the same text", {{"pk", "a"}, {"sk", 1}}, {{"pk", "a"}, {"sk", 1}}, true},
        {"in another order", {{"pk", "a"}, {"sk", 1}}, {{"sk", 1}, {"pk", "a"}}, true},
        {"1.0 and 1", {{"pk", number("1.0")}, {"sk", 1}}, {{"pk", 1}, {"sk", 1}}, true},
        {"1e2 and 100", {{"pk", "a"}, {"sk", number("1e2")}}, {{"pk", "a"}, {"sk", 100}}, true},
        {"-0 and 0", {{"pk", number("-0")}, {"sk", 1}}, {{"pk", 0}, {"sk", 1}}, true},
        {"text and number", {{"pk", "1"}, {"sk", 1}}, {{"pk", 1}, {"sk", 1}}, false},
        {"text and binary", {{"pk", "a"}, {"sk", 1}}, {{"pk", Binary{"a"}}, {"sk", 1}}, false},
        {"another sort key", {{"pk", "a"}, {"sk", 1}}, {{"pk", "a"}, {"sk", 2}}, false},
        {"parts that join alike", {{"pk", "ab"}, {"sk", "c"}}, {{"pk", "a"}, {"sk", "bc"}}, false},
    };
    for (const auto& [what, first, second, same] : cases) {
        SCOPED_TRACE(what);
        BatchKeys keys = orders_and_users();
        keys.add(0, first);
        keys.add(0, second);
        EXPECT_EQ(keys.size(), same ? 1u : 2u);
    }
}

TEST(BatchKeys, of_different_tables_are_different) {
    BatchKeys keys = orders_and_users();
    keys.add(0, {{"pk", "a"}});
    keys.add(1, {{"pk", "a"}});
    EXPECT_EQ(keys.size(), 2u);
}

TEST(BatchKeys, send_the_last_entry_and_let_the_earlier_ones_share_its_fate) {
    BatchKeys keys = orders_and_users();
    for (const char* id : {"a", "b", "a", "c", "a", "b"}) keys.add(1, {{"id", id}});
    ASSERT_EQ(keys.size(), 3u);
    EXPECT_EQ(keys.entry(0), 4u);
    EXPECT_EQ(keys.entry(1), 5u);
    EXPECT_EQ(keys.entry(2), 3u);

    BatchTotals sent{
        .items = 3, .done = 2, .leftovers = {{0, throttled_entry}}, .rounds = 2, .sends = 7};
    const BatchTotals totals = keys.account(sent);
    EXPECT_EQ(totals.items, 6u);
    EXPECT_EQ(totals.done, 3u);
    EXPECT_EQ(totals.sends, 7u);
    ASSERT_EQ(totals.leftovers.size(), 3u);
    EXPECT_EQ(totals.leftovers[0].index, 0u);
    EXPECT_EQ(totals.leftovers[1].index, 2u);
    EXPECT_EQ(totals.leftovers[2].index, 4u);
    for (const Leftover& left : totals.leftovers) EXPECT_EQ(left.failure, throttled_entry);
}

TEST(BatchKeys, put_refused_entries_into_their_places_and_let_them_replace_nothing) {
    BatchKeys keys = orders_and_users();
    keys.add(1, {{"id", "a"}});
    keys.refuse({.cause = Cause::too_large, .code = "item-too-large"});
    keys.add(1, {{"id", "b"}});
    EXPECT_EQ(keys.entry(0), 0u);
    EXPECT_EQ(keys.key(1), std::nullopt);
    EXPECT_EQ(keys.key(2), 1u);
    const BatchTotals totals = keys.account({.items = 2, .done = 2});
    EXPECT_EQ(totals.items, 3u);
    EXPECT_EQ(totals.done, 2u);
    ASSERT_EQ(totals.leftovers.size(), 1u);
    EXPECT_EQ(totals.leftovers[0].index, 1u);
    EXPECT_EQ(totals.leftovers[0].failure.stop, Stop::permanent);
    EXPECT_EQ(totals.leftovers[0].failure.effect, Effect::none);
    EXPECT_EQ(totals.leftovers[0].failure.attempts, 0);
    EXPECT_EQ(totals.leftovers[0].failure.dependency, "dynamodb");
}

TEST(BatchKeys, are_found_again_only_in_the_chunk_that_was_sent) {
    BatchKeys keys = orders_and_users();
    for (const int id : {1, 2, 3}) keys.add(1, {{"id", id}});
    const Chunk chunk{{2, 0}};
    EXPECT_EQ(keys.position(chunk, 1, {{"id", number("3.00")}}), 0u);
    EXPECT_EQ(keys.position(chunk, 1, {{"id", 1}}), 1u);
    for (const Item& unknown : {Item{{"id", 2}}, Item{{"id", 4}}, Item{{"id", "1"}}, Item{}}) {
        const auto found = keys.position(chunk, 1, unknown);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().cause, Cause::corrupt);
    }
}

TEST(BatchKeys, know_a_table_by_its_name_and_by_its_arn) {
    const std::string arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/orders";
    const BatchKeys by_name = orders_and_users();
    EXPECT_EQ(by_name.table("users"), 1u);
    EXPECT_EQ(by_name.table(arn), 0u);
    EXPECT_EQ(by_name.table("others").error().cause, Cause::corrupt);
    const BatchKeys by_arn{{{arn, {"pk"}}}, ""};
    EXPECT_EQ(by_arn.table("orders"), 0u);
    EXPECT_EQ(by_arn.table(arn), 0u);
}

TEST(BatchKeys, are_refused_where_the_service_would_refuse_them) {
    const KeyNames names{"pk", "sk"};
    const std::string long_pk(2048, 'x'), long_sk(1024, 'x');
    const struct {
        const char* what;
        Item item;
        bool usable;
    } cases[] = {
        {"whole", {{"pk", "a"}, {"sk", 1}, {"total", 3}}, true},
        {"as long as can be", {{"pk", long_pk}, {"sk", long_sk}}, true},
        {"binary", {{"pk", Binary{"a"}}, {"sk", 1}}, true},
        {"no sort key", {{"pk", "a"}, {"total", 3}}, false},
        {"nothing", {}, false},
        {"empty text", {{"pk", ""}, {"sk", 1}}, false},
        {"empty binary", {{"pk", "a"}, {"sk", Binary{}}}, false},
        {"a truth", {{"pk", true}, {"sk", 1}}, false},
        {"null", {{"pk", null}, {"sk", 1}}, false},
        {"a list", {{"pk", List{1}}, {"sk", 1}}, false},
        {"a long partition key", {{"pk", long_pk + "x"}, {"sk", 1}}, false},
        {"a long sort key", {{"pk", "a"}, {"sk", long_sk + "x"}}, false},
        {"no number", {{"pk", "a"}, {"sk", number("1..0")}}, false},
    };
    for (const auto& [what, item, usable] : cases) {
        SCOPED_TRACE(what);
        const auto key = usable_key(item, names);
        EXPECT_EQ(key.has_value(), usable);
        if (usable) {
            EXPECT_EQ(key->size(), 2u);
        } else {
            EXPECT_EQ(key.error().cause, Cause::invalid);
            EXPECT_EQ(key.error().effect, Effect::none);
        }
    }
}

}  // namespace
}  // namespace perdure::dynamodb
