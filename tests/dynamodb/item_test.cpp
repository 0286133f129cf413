// SPDX-License-Identifier: Apache-2.0
//
// Is an item pleasant to write, exact to read, and refused where the service would refuse it?
#include "perdure/dynamodb/item.hpp"

#include "../../src/dynamodb/item_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "time/colliding_names.hpp"

namespace perdure::dynamodb {
namespace {

Item an_order() {
    return {{"pk", "o#1"},         {"total", 1299}, {"paid", true}, {"tags", StringSet{"a"}},
            {"lines", List{1, 2}}, {"gone", null}};
}

std::vector<std::string> names_of(const Item& item) {
    std::vector<std::string> names;
    for (const auto& [name, value] : item) names.push_back(name);
    return names;
}

Value nested_to(int levels) {
    Value value{1};
    for (int i = 0; i < levels; ++i) value = i % 2 ? Value{Item{{"m", value}}} : Value{List{value}};
    return value;
}

TEST(Item, is_read_as_it_was_written) {
    const Item order = an_order();
    EXPECT_EQ(order.size(), 6U);
    EXPECT_EQ(order.get<std::string>("pk").value(), "o#1");
    EXPECT_EQ(order.get<std::int64_t>("total").value(), 1299);
    EXPECT_EQ(order.get<unsigned>("total").value(), 1299U);
    EXPECT_EQ(order.get<bool>("paid").value(), true);
    EXPECT_TRUE(order.get<StringSet>("tags").value().has("a"));
    EXPECT_EQ(order.get<List>("lines").value().size(), 2U);
    EXPECT_EQ(order.get<std::optional<std::string>>("pk").value(), "o#1");
    EXPECT_EQ(order.get<std::optional<std::string>>("gone").value(), std::nullopt);
    EXPECT_EQ(order.get<std::optional<std::string>>("nowhere").value(), std::nullopt);
    EXPECT_TRUE(order.has("gone"));
    EXPECT_FALSE(order.has("nowhere"));
    EXPECT_EQ(order.find("nowhere"), nullptr);
}

TEST(Item, says_which_attribute_is_not_what_was_asked_for) {
    const Item order = an_order();
    const auto missing = order.get<std::string>("nowhere");
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().code, "attribute-missing");
    EXPECT_EQ(missing.error().message, "attribute \"nowhere\" is missing");
    const auto wrong = order.get<std::int64_t>("pk");
    EXPECT_EQ(wrong.error().code, "attribute-type");
    EXPECT_EQ(wrong.error().message, "attribute \"pk\" is a string, not a number");
    EXPECT_EQ(order.get<std::optional<bool>>("pk").error().code, "attribute-type");
    const auto small = order.get<std::int8_t>("total");
    EXPECT_EQ(small.error().code, "bad-number");
    EXPECT_EQ(small.error().message.find("1299"), std::string::npos);
    const auto long_name = order.get<int>(std::string(5000, 'n') + "\n");
    EXPECT_LT(long_name.error().message.size(), 200U);
}

TEST(Item, keeps_the_order_in_which_it_was_written) {
    Item item{{"b", 1}, {"a", 2}, {"b", 3}};
    EXPECT_EQ(names_of(item), (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(item.get<int>("b").value(), 3);
    item.set("c", 4).set("a", "other");
    EXPECT_EQ(names_of(item), (std::vector<std::string>{"b", "a", "c"}));
    EXPECT_EQ(item.get<std::string>("a").value(), "other");
    EXPECT_TRUE(item.remove("b"));
    EXPECT_FALSE(item.remove("b"));
    EXPECT_EQ(names_of(item), (std::vector<std::string>{"a", "c"}));
    *item.find("c") = 5;
    EXPECT_EQ(item.get<int>("c").value(), 5);
    item.clear();
    EXPECT_TRUE(item.empty());
}

TEST(Item, stays_right_with_thousands_of_attributes) {
    Item item;
    const int many = 20000;
    for (int i = 0; i < many; ++i) item.set("a" + std::to_string(i), i);
    for (int i = 0; i < many; i += 7) item.set("a" + std::to_string(i), -i);
    ASSERT_EQ(item.size(), static_cast<std::size_t>(many));
    const Item copy = item;
    Item moved = std::move(item);
    for (int i = 0; i < many; ++i)
        ASSERT_EQ(moved.get<int>("a" + std::to_string(i)).value(), i % 7 ? i : -i);
    EXPECT_EQ(copy, moved);
    EXPECT_FALSE(moved.has("a20000"));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(moved.remove("a" + std::to_string(i)));
    EXPECT_NE(copy, moved);
    EXPECT_FALSE(moved.has("a99"));
    EXPECT_TRUE(moved.has("a100"));
}

TEST(Item, is_built_in_linear_time_also_of_names_that_were_made_to_collide) {
    const std::vector<std::string> names = testing::colliding_names(4000);
    Item item;
    for (const std::string& name : names) item.set(name, 1);
    ASSERT_EQ(item.size(), names.size());
    std::size_t searched = 0;
    for (const std::string& name : names) searched += detail::slots_searched(item, name);
    EXPECT_GE(searched, names.size());
    EXPECT_LE(searched, 4 * names.size());
}

TEST(Item, does_what_a_plain_list_of_pairs_does) {
    const unsigned seed = 7;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    Item item;
    std::vector<std::pair<std::string, int>> model;
    for (int step = 0; step < 20000; ++step) {
        const std::string name = "n" + std::to_string(random() % 60);
        const auto at = std::find_if(model.begin(), model.end(),
                                     [&](const auto& pair) { return pair.first == name; });
        if (random() % 3 == 0) {
            ASSERT_EQ(item.remove(name), at != model.end());
            if (at != model.end()) model.erase(at);
        } else {
            item.set(name, step);
            if (at != model.end()) at->second = step;
            else model.emplace_back(name, step);
        }
        ASSERT_EQ(item.size(), model.size());
        if (step % 100) continue;
        std::size_t i = 0;
        for (const auto& [key, value] : item) {
            ASSERT_EQ(key, model[i].first);
            ASSERT_EQ(value, model[i++].second);
        }
    }
}

TEST(Item, is_the_same_key_whatever_the_order_and_the_way_its_numbers_are_written) {
    const Item key{{"pk", "a"}, {"sk", 10}};
    const Item again{{"sk", Number::as_written("1e1")}, {"pk", "a"}};
    EXPECT_TRUE(same_key(key, again));
    EXPECT_EQ(key_text(key), key_text(again));
    const Item others[] = {{{"pk", "a"}, {"sk", 11}},
                           {{"pk", "a"}, {"sk", "10"}},
                           {{"pk", "a"}},
                           {{"pk", "b"}, {"sk", 10}},
                           {{"pk", Binary{"a"}}, {"sk", 10}}};
    for (const Item& other : others) {
        EXPECT_FALSE(same_key(key, other));
        EXPECT_NE(key_text(key), key_text(other));
    }
    EXPECT_NE(key_text({{"a", "1:b"}}), key_text({{"a", "1"}, {"b", ""}}));
}

TEST(Item, is_as_large_as_the_service_counts_it) {
    const struct {
        Item item;
        std::size_t size;
    } cases[] = {
        {{}, 0},
        {{{"pk", "o#1"}}, 5},
        {{{"a", ""}}, 1},
        {{{"n", 1}}, 3},
        {{{"n", 1299}}, 4},
        {{{"n", -12990}}, 5},
        {{{"n", 0}}, 2},
        {{{"b", Binary{"1234"}}}, 5},
        {{{"t", true}}, 2},
        {{{"t", null}}, 2},
        {{{"s", StringSet{"ab", "c"}}}, 4},
        {{{"l", List{}}}, 4},
        {{{"l", List{"ab", true}}}, 9},
        {{{"m", Item{{"k", "v"}}}}, 7},
        {{{"\xc3\xa4", "\xe2\x82\xac"}}, 5},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i)
        EXPECT_EQ(stored_size(cases[i].item), cases[i].size) << "case " << i;
}

TEST(Check, takes_whatever_the_service_takes) {
    const Item good[] = {
        {},
        an_order(),
        {{"empty", ""}, {"bytes", Binary{""}}, {"list", List{}}, {"map", Item{}}},
        {{"deep", nested_to(32)}},
        {{std::string(65535, 'n'), 1}},
        {{"large", std::string(400 * 1024 - 5, 'x')}},
        {{"numbers", NumberSet{1, 1.5, -1, 0}}},
        {{"edge", List{Number::as_written("1e-130"), Number::as_written("9e125")}}},
        {{"\xf0\x9f\x90\xa7", "\xe2\x82\xac\0"}},
    };
    for (std::size_t i = 0; i < std::size(good); ++i) {
        const auto checked = check(good[i]);
        EXPECT_TRUE(checked.has_value()) << i << ": " << to_string(checked.error());
    }
}

TEST(Check, refuses_what_the_service_refuses_and_says_where) {
    const std::string secret = "secret";
    const struct {
        Item item;
        std::string message;
    } cases[] = {
        {{{"", secret}}, "an attribute name may not be empty"},
        {{{"m", Item{{"", secret}}}}, "m: an attribute name may not be empty"},
        {{{std::string(65536, 'n'), 1}},
         "(65536 bytes): an attribute name has at most 65535 bytes"},
        {{{"s", StringSet{}}}, "s: a set may not be empty"},
        {{{"l", List{1, NumberSet{}}}}, "l[1]: a set may not be empty"},
        {{{"s", StringSet{secret, "b", secret}}}, "s: a set may not have duplicates"},
        {{{"s", NumberSet{1, Number::as_written("1.0")}}}, "s: a set may not have duplicates"},
        {{{"b", BinarySet{Binary{"a"}, Binary{"a"}}}}, "b: a set may not have duplicates"},
        {{{"a", List{Item{{"b", Number::as_written("1e126")}}}}},
         "a[0].b: number is out of range (1e-130 to 9.99e125)"},
        {{{"n", 1e300}}, "n: number is out of range (1e-130 to 9.99e125)"},
        {{{"n", std::numeric_limits<double>::quiet_NaN()}}, "n: is no number"},
        {{{"n", Number::as_written(std::string(39, '1'))}},
         "n: number has more than 38 significant digits"},
        {{{"t", "secret\xff"}}, "t: text is not UTF-8"},
        {{{"t", StringSet{"\xed\xa0\x80"}}}, "t: text is not UTF-8"},
        {{{"m", Item{{"\xc3", secret}}}}, "m.(not UTF-8): an attribute name is not UTF-8"},
    };
    for (const auto& [item, message] : cases) {
        const auto checked = check(item);
        ASSERT_FALSE(checked.has_value()) << message;
        EXPECT_EQ(checked.error().message, message);
        EXPECT_EQ(checked.error().cause, Cause::invalid);
        EXPECT_EQ(checked.error().effect, Effect::none);
        EXPECT_EQ(checked.error().origin, Origin::application);
        EXPECT_EQ(checked.error().code, "bad-item");
        EXPECT_EQ(to_string(checked.error()).find(secret), std::string::npos);
    }
}

TEST(Check, refuses_more_than_32_levels) {
    for (const int levels : {33, 40, 500}) {
        const auto checked = check({{"deep", nested_to(levels)}});
        ASSERT_FALSE(checked.has_value());
        EXPECT_NE(checked.error().message.find("nested deeper than 32 levels"), std::string::npos);
    }
}

TEST(Check, refuses_more_than_400_kilobytes) {
    const auto checked = check({{"large", std::string(400 * 1024 - 4, 'x')}});
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().cause, Cause::too_large);
    EXPECT_EQ(checked.error().effect, Effect::none);
    EXPECT_EQ(checked.error().code, "item-too-large");
    EXPECT_NE(checked.error().message.find("409601"), std::string::npos);
}

}  // namespace
}  // namespace perdure::dynamodb
