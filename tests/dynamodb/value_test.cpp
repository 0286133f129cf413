// SPDX-License-Identifier: Apache-2.0
//
// Is a value of the type it was made from, and read as nothing else?
#include "perdure/dynamodb/value.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::dynamodb {
namespace {

TEST(Value, has_the_type_of_what_it_is_made_from) {
    const std::string text = "text";
    const char* const pointer = "pointer";
    const char* const nowhere = nullptr;
    const struct {
        Value value;
        Type type;
        std::string_view letters;
    } cases[] = {
        {{}, Type::none, "NULL"},
        {null, Type::none, "NULL"},
        {nullptr, Type::none, "NULL"},
        {nowhere, Type::none, "NULL"},
        {true, Type::boolean, "BOOL"},
        {"literal", Type::string, "S"},
        {pointer, Type::string, "S"},
        {text, Type::string, "S"},
        {std::string_view{"view"}, Type::string, "S"},
        {"", Type::string, "S"},
        {1, Type::number, "N"},
        {std::int8_t{1}, Type::number, "N"},
        {1ULL, Type::number, "N"},
        {1.5, Type::number, "N"},
        {1.5F, Type::number, "N"},
        {Number{1}, Type::number, "N"},
        {Binary{"bytes"}, Type::binary, "B"},
        {StringSet{"a", "b"}, Type::string_set, "SS"},
        {NumberSet{1, 2.5}, Type::number_set, "NS"},
        {BinarySet{Binary{"a"}}, Type::binary_set, "BS"},
        {List{1, "two", List{}}, Type::list, "L"},
        {Item{{"a", 1}}, Type::map, "M"},
    };
    for (std::size_t i = 0; i < std::size(cases); ++i) {
        EXPECT_EQ(cases[i].value.type(), cases[i].type) << "case " << i;
        EXPECT_EQ(letters(cases[i].value.type()), cases[i].letters) << "case " << i;
    }
}

TEST(Value, is_never_made_by_accident) {
    static_assert(!std::is_constructible_v<Value, char>);
    static_assert(!std::is_constructible_v<Value, char32_t>);
    static_assert(!std::is_constructible_v<Value, int*>);
    static_assert(!std::is_constructible_v<Value, const void*>);
    static_assert(!std::is_constructible_v<Value, std::vector<std::string>>);
    static_assert(!std::is_convertible_v<std::string, Binary>);
    static_assert(std::is_nothrow_move_constructible_v<Value>);
    static_assert(std::is_nothrow_move_assignable_v<Value>);
}

TEST(Value, is_small) { static_assert(sizeof(Value) <= 5 * sizeof(void*)); }

TEST(Value, shows_what_it_holds_only_as_its_own_type) {
    Value value{"text"};
    ASSERT_NE(value.as<std::string>(), nullptr);
    EXPECT_EQ(*value.as<std::string>(), "text");
    EXPECT_EQ(value.as<Binary>(), nullptr);
    EXPECT_EQ(value.as<bool>(), nullptr);
    *value.as<std::string>() += "ual";
    EXPECT_EQ(value, "textual");
    value.emplace<List>().push_back(7);
    EXPECT_EQ(value, (List{7}));
}

TEST(Value, is_read_as_the_types_it_can_be) {
    EXPECT_EQ(Value{"a"}.read<std::string>().value(), "a");
    EXPECT_EQ(Value{true}.read<bool>().value(), true);
    EXPECT_EQ(Value{7}.read<int>().value(), 7);
    EXPECT_EQ(Value{7}.read<double>().value(), 7.0);
    EXPECT_EQ(Value{0.5}.read<float>().value(), 0.5F);
    EXPECT_EQ(Value{7}.read<Number>().value().text(), "7");
    EXPECT_EQ(Value{Binary{"b"}}.read<Binary>().value().bytes(), "b");
    EXPECT_EQ(Value{StringSet{"a"}}.read<StringSet>().value(), StringSet{"a"});
    EXPECT_EQ((Value{List{1, 2}}.read<List>().value()), (List{1, 2}));
    EXPECT_EQ(Value{(Item{{"a", 1}})}.read<Item>().value(), (Item{{"a", 1}}));
    EXPECT_EQ(Value{1}.read<Value>().value(), Value{1});
}

TEST(Value, says_which_type_was_wanted_and_which_is_there_but_not_what_it_says) {
    const auto wrong = Value{"secret"}.read<std::int64_t>();
    ASSERT_FALSE(wrong.has_value());
    EXPECT_EQ(wrong.error().message, "is a string, not a number");
    EXPECT_EQ(wrong.error().code, "attribute-type");
    EXPECT_EQ(wrong.error().cause, Cause::invalid);
    EXPECT_EQ(wrong.error().effect, Effect::none);
    EXPECT_EQ(wrong.error().origin, Origin::application);
    EXPECT_EQ(Value{1}.read<std::string>().error().message, "is a number, not a string");
    EXPECT_EQ(Value{}.read<bool>().error().message, "is null, not a truth");
    EXPECT_EQ(Value{"1"}.read<Binary>().error().message, "is a string, not binary");
}

TEST(Value, is_equal_as_written_with_sets_and_maps_in_any_order) {
    const struct {
        std::string_view when;
        Value a, b;
        bool equal;
    } cases[] = {
        {"the same text", "a", "a", true},
        {"text and binary", "a", Binary{"a"}, false},
        {"text and number", "1", 1, false},
        {"numbers of one value", 1, Number::as_written("1.0"), false},
        {"sets in another order", StringSet{"a", "b"}, StringSet{"b", "a"}, true},
        {"sets of another size", StringSet{"a", "b"}, StringSet{"a"}, false},
        {"sets with other counts", NumberSet{1, 1, 2}, NumberSet{1, 2, 2}, false},
        {"sets of other types", StringSet{"1"}, NumberSet{1}, false},
        {"lists in another order", List{1, 2}, List{2, 1}, false},
        {"maps in another order", Item{{"a", 1}, {"b", 2}}, Item{{"b", 2}, {"a", 1}}, true},
        {"maps of other values", Item{{"a", 1}}, Item{{"a", 2}}, false},
        {"maps of other names", Item{{"a", 1}}, Item{{"b", 1}}, false},
        {"null and false", null, false, false},
    };
    for (const auto& [when, a, b, equal] : cases) {
        EXPECT_EQ(a == b, equal) << when;
        EXPECT_EQ(b == a, equal) << when;
    }
}

TEST(Value, is_the_same_key_where_the_numbers_mean_the_same) {
    EXPECT_TRUE(same_key(Value{1}, Value{Number::as_written("1.00")}));
    EXPECT_FALSE(same_key(Value{1}, Value{"1"}));
    EXPECT_FALSE(same_key(Value{"1.0"}, Value{"1"}));
    EXPECT_TRUE(same_key(Value{Binary{"x"}}, Value{Binary{"x"}}));
}

TEST(Binary, takes_bytes_in_all_their_forms) {
    const std::array<std::uint8_t, 3> numbers{0, 1, 255};
    const std::vector<std::byte> bytes{std::byte{0}, std::byte{1}, std::byte{255}};
    const std::string expected{"\0\1\xff", 3};
    EXPECT_EQ(Binary{numbers}.bytes(), expected);
    EXPECT_EQ(Binary{bytes}.bytes(), expected);
    EXPECT_EQ(Binary{expected}.bytes(), expected);
    EXPECT_EQ(Binary{std::string_view{expected}}.size(), 3U);
}

TEST(Set, keeps_its_order_and_knows_its_elements) {
    StringSet set{"b", "a"};
    set.add("c");
    EXPECT_EQ(*set.begin(), "b");
    EXPECT_EQ(set.size(), 3U);
    EXPECT_TRUE(set.has("a"));
    EXPECT_FALSE(set.has("d"));
    EXPECT_TRUE(StringSet{}.empty());
}

}  // namespace
}  // namespace perdure::dynamodb
