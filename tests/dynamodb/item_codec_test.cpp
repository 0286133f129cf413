// SPDX-License-Identifier: Apache-2.0
//
// Does an item come back from its text as it was, and nothing else as an item?
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "perdure/dynamodb/json.hpp"

namespace perdure::dynamodb {
namespace {

// A literal with the zeros in it.
template <std::size_t N>
std::string all_of(const char (&literal)[N]) {
    return {literal, N - 1};
}

Value nested(int levels) {
    Value value{1};
    for (int i = 0; i < levels; ++i) value = i % 2 ? Value{Item{{"m", value}}} : Value{List{value}};
    return value;
}

TEST(ItemCodec, writes_each_type_with_its_letters) {
    const struct {
        Value value;
        std::string_view json, plain;
    } cases[] = {
        {"text", R"({"S":"text"})", R"("text")"},
        {"", R"({"S":""})", R"("")"},
        {1299, R"({"N":"1299"})", "1299"},
        {Number::as_written("1.50"), R"({"N":"1.50"})", "1.50"},
        {Number::as_written("+.5"), R"({"N":"+.5"})", "0.5"},
        {Number::as_written("1E3"), R"({"N":"1E3"})", "1E3"},
        {Number::as_written("nan"), R"({"N":"nan"})", R"("nan")"},
        {true, R"({"BOOL":true})", "true"},
        {false, R"({"BOOL":false})", "false"},
        {null, R"({"NULL":true})", "null"},
        {Binary{all_of("\xff\x00")}, R"({"B":"/wA="})", R"("/wA=")"},
        {Binary{""}, R"({"B":""})", R"("")"},
        {StringSet{"a", "b"}, R"({"SS":["a","b"]})", R"(["a","b"])"},
        {NumberSet{1, 2.5}, R"({"NS":["1","2.5"]})", "[1,2.5]"},
        {BinarySet{Binary{"a"}}, R"({"BS":["YQ=="]})", R"(["YQ=="])"},
        {List{}, R"({"L":[]})", "[]"},
        {List{1, "a", null}, R"({"L":[{"N":"1"},{"S":"a"},{"NULL":true}]})", R"([1,"a",null])"},
        {Item{}, R"({"M":{}})", "{}"},
        {Item{{"a", 1}, {"b", "c"}}, R"({"M":{"a":{"N":"1"},"b":{"S":"c"}}})",
         R"({"a":1,"b":"c"})"},
    };
    for (const auto& [value, json, plain] : cases) {
        const Item item{{"a", value}, {"z", value}};
        const auto of_both = [](std::string_view one) {
            return "{\"a\":" + std::string{one} + ",\"z\":" + std::string{one} + "}";
        };
        EXPECT_EQ(to_json(item), of_both(json));
        EXPECT_EQ(to_plain_json(item), of_both(plain));
        if (json == R"({"N":"nan"})") {
            EXPECT_FALSE(item_from_json(to_json(item)).has_value());
            continue;
        }
        EXPECT_EQ(item_from_json(to_json(item)).value(), item) << json;
    }
    EXPECT_EQ(to_json({}), "{}");
}

TEST(ItemCodec, escapes_what_json_must_escape_and_reads_every_escape) {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7";
    for (std::size_t shift = 0; shift < 9; ++shift) {
        const std::string text = std::string(shift, 'x') + all;
        const Item item{{text, text}, {"n", 1}};
        ASSERT_EQ(item_from_json(to_json(item)).value(), item);
        ASSERT_EQ(item_from_plain_json(to_plain_json(item)).value(), item);
    }
    EXPECT_EQ(to_json({{"\"\\\b\f\n\r\t\x01\x1f\x7f", 1}}),
              "{\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\":{\"N\":\"1\"}}");
    EXPECT_EQ(item_from_json(R"({"\u0061\/":{"\u0053":"\ud83d\udc27\u00e4"}})").value(),
              (Item{{"a/", "\xf0\x9f\x90\xa7\xc3\xa4"}}));
}

TEST(ItemCodec, takes_white_space_where_json_has_it) {
    const Item item{{"a", "b "}, {"l", List{1, true}}};
    EXPECT_EQ(item_from_json(" {\n \"a\" : {\t\"S\" :\r\"b \" } , \"l\":{\"L\":[ {\"N\": \"1\" } ,"
                             "{\"BOOL\" : true } ] } } \n")
                  .value(),
              item);
    EXPECT_EQ(item_from_plain_json(" { \"a\" : \"b \" , \"l\" : [ 1 , true ] } ").value(), item);
}

TEST(ItemCodec, brings_32_levels_back) {
    const Item item{{"deep", nested(32)}, {"after", 1}};
    ASSERT_TRUE(check(item).has_value());
    EXPECT_EQ(item_from_json(to_json(item)).value(), item);
}

TEST(ItemCodec, refuses_to_follow_hostile_depth) {
    for (const int levels : {66, 1000, 200'000}) {
        std::string json = "{\"a\":", plain = json;
        for (int i = 0; i < levels; ++i) json += "{\"L\":[", plain += '[';
        json += "{\"S\":\"x\"}", plain += '1';
        for (int i = 0; i < levels; ++i) json += "]}", plain += ']';
        EXPECT_FALSE(item_from_json(json + "}").has_value()) << levels;
        EXPECT_FALSE(item_from_plain_json(plain + "}").has_value()) << levels;
        EXPECT_FALSE(
            item_from_json(std::string(static_cast<std::size_t>(levels), '{')).has_value());
    }
}

TEST(ItemCodec, refuses_what_is_no_item_and_repeats_nothing_of_it) {
    const std::string hostile[] = {
        "",
        " ",
        "null",
        "1",
        "\"secret\"",
        "[]",
        "{",
        "}",
        "{}}",
        "{} {}",
        "{},",
        "{}x",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1}",
        "{\"a\":\"secret\"}",
        "{\"a\":null}",
        "{\"a\":[]}",
        "{\"a\":{}}",
        R"({"a":{"S":"x"},})",
        R"({"a":{"S":"x",}})",
        R"({"a":{"S":"x"} "b":{"S":"y"}})",
        R"({"a":{"X":"secret"}})",
        R"({"a":{"s":"secret"}})",
        R"({"a":{"t":"secret"}})",
        R"({"a":{"M":"secret"},"b":{"S":"x"}})",
        R"({"a":{"BOOL":true "b"}})",
        R"({"a":{"BOOL":falsey}})",
        R"({"a":{"S":"x"]})",
        R"({"a":{"":"secret"}})",
        R"({"a":{"S":1}})",
        R"({"a":{"S":null}})",
        R"({"a":{"S":["secret"]}})",
        R"({"a":{"S":{}}})",
        R"({"a":{"N":1}})",
        R"({"a":{"N":"secret"}})",
        R"({"a":{"N":""}})",
        R"({"a":{"N":"1 "}})",
        R"({"a":{"B":"YQ"}})",
        R"({"a":{"B":"YQ=a"}})",
        R"({"a":{"B":"YR=="}})",
        R"({"a":{"B":"YQ==\n"}})",
        R"({"a":{"B":"Y=="}})",
        R"({"a":{"B":"===="}})",
        R"({"a":{"B":"YWI-"}})",
        R"({"a":{"B":1}})",
        R"({"a":{"BOOL":"true"}})",
        R"({"a":{"BOOL":1}})",
        R"({"a":{"BOOL":truex}})",
        R"({"a":{"BOOL":null}})",
        R"({"a":{"NULL":false}})",
        R"({"a":{"NULL":null}})",
        R"({"a":{"NULL":"true"}})",
        R"({"a":{"SS":"secret"}})",
        R"({"a":{"SS":[1]}})",
        R"({"a":{"SS":{"S":"x"}}})",
        R"({"a":{"NS":[1]}})",
        R"({"a":{"NS":["x"]}})",
        R"({"a":{"BS":["*"]}})",
        R"({"a":{"L":{}}})",
        R"({"a":{"L":["secret"]}})",
        R"({"a":{"L":[{"S":"x"},]}})",
        R"({"a":{"L":[{"S":"x"}}})",
        R"({"a":{"L":[{"S":"x"}]})",
        R"({"a":{"M":[]}})",
        R"({"a":{"M":"secret"}})",
        R"({"a":{"M":{"b":1}}})",
        R"({"a":{"S":"x","N":"1"}})",
        R"({"a":{"S":"x","S":"x"}})",
        R"({"a":{"S":"x"},"a":{"S":"y"}})",
        R"({"a":{"S":"x"},"\u0061":{"S":"y"}})",
        R"({"a":{"M":{"b":{"S":"x"},"b":{"S":"x"}}}})",
        "{\"a\":{\"S\":\"secret\xff\"}}",
        "{\"a\":{\"S\":\"\xed\xa0\x80\"}}",
        "{\"\xc3\":{\"S\":\"secret\"}}",
        "{\"a\":{\"S\":\"line\nend\"}}",
        all_of("{\"a\":{\"S\":\"\0\"}}"),
        R"({"a":{"S":"\ud800"}})",
        R"({"a":{"S":"\x"}})",
        R"({"a":{"S":"\u12"}})",
        R"({"a":{"S":"x})",
        R"({'a':{'S':'x'}})",
        "\xef\xbb\xbf{}",
        "<html>secret</html>",
        all_of("{\"a\":{\"S\":\"x\"}}\0"),
    };
    for (const std::string& json : hostile) {
        const auto item = item_from_json(json);
        ASSERT_FALSE(item.has_value()) << json;
        EXPECT_EQ(item.error().cause, Cause::invalid);
        EXPECT_EQ(item.error().code, "unreadable-json");
        EXPECT_EQ(item.error().effect, Effect::none);
        EXPECT_EQ(to_string(item.error()).find("secret"), std::string::npos) << json;
    }
}

TEST(ItemCodec, sees_the_end_and_the_first_escape_of_a_text_wherever_they_are) {
    for (std::size_t length = 0; length < 70; ++length) {
        const std::string text(length, 'x');
        const Item item{{"a", text}, {"b", text + "\"}"}, {"c", Binary{text}}, {"d", List{text}}};
        const auto read = item_from_json(to_json(item));
        ASSERT_TRUE(read.has_value()) << length;
        EXPECT_EQ(*read, item) << length;
    }
}

TEST(ItemCodec, tells_names_apart_that_begin_and_end_alike) {
    std::string json = "{";
    for (int i = 10; i < 60; ++i) json += "\"a" + std::to_string(i) + "z\":{\"N\":\"1\"},";
    const auto read = item_from_json(json + R"("a":{"N":"1"}})");
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->size(), 51U);
    for (const char* const twice : {"a10z", "a41z", "a59z"})
        EXPECT_FALSE(item_from_json(json + "\"" + twice + "\":{\"N\":\"1\"}}").has_value());
}

TEST(ItemCodec, refuses_every_cut_off_text) {
    const std::string json = to_json({{"pk", "a\\b"},
                                      {"n", 12.5},
                                      {"l", List{1, Item{{"m", true}}}},
                                      {"s", StringSet{"x", "y"}},
                                      {"b", Binary{"12345"}}});
    ASSERT_TRUE(item_from_json(json).has_value());
    for (std::size_t length = 0; length < json.size(); ++length)
        EXPECT_FALSE(item_from_json(json.substr(0, length)).has_value()) << json.substr(0, length);
}

TEST(ItemCodec, reads_plain_json_with_every_digit_of_its_numbers) {
    const std::string text =
        R"({"id":12345678901234567890123456789012345678,"x":1.10,"e":1E400,"t":true,"n":null,)"
        R"("l":[1,"a",[],{}],"m":{"k":-0.0}})";
    const auto item = item_from_plain_json(text);
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(item->get<Number>("id").value().text(), "12345678901234567890123456789012345678");
    EXPECT_EQ(item->get<Number>("x").value().text(), "1.10");
    EXPECT_EQ(item->get<Number>("e").value().text(), "1E400");
    EXPECT_EQ(item->get<Item>("m").value().get<Number>("k").value().text(), "-0.0");
    EXPECT_FALSE(check(*item).has_value()) << "1E400 can be read, not stored";
    EXPECT_EQ(to_plain_json(*item), text);
}

TEST(ItemCodec, refuses_plain_text_that_is_not_json) {
    for (const std::string_view bad : {"01",
                                       "+1",
                                       ".5",
                                       "5.",
                                       "1e",
                                       "1e+",
                                       "--1",
                                       "0x1",
                                       "NaN",
                                       "tru",
                                       "truee",
                                       "nul",
                                       "None",
                                       "1 2",
                                       "[1,]",
                                       "[1 2]",
                                       "{\"a\":1,\"a\":2}",
                                       "'a'",
                                       "\"\\x\"",
                                       "",
                                       "]",
                                       "1}"}) {
        EXPECT_FALSE(item_from_plain_json("{\"a\":" + std::string{bad} + "}").has_value()) << bad;
    }
    EXPECT_FALSE(item_from_plain_json("[1]").has_value());
}

TEST(ItemCodec, reads_large_and_small_texts_in_turn) {
    for (const std::size_t size : {10U, 5'000U, 300'000U, 10U, 3'000'000U, 100U}) {
        const Item item{{"a", std::string(size, 'x')}, {"b", Binary{std::string(size, '\x80')}}};
        ASSERT_EQ(item_from_json(to_json(item)).value(), item);
    }
    Item many;
    for (int i = 0; i < 5000; ++i) many.set("attribute" + std::to_string(i), i);
    ASSERT_EQ(item_from_json(to_json(many)).value(), many);
}

class Writer {
public:
    explicit Writer(std::uint64_t seed) : random_{seed} {}

    Item item(int levels) {
        Item item;
        const std::uint64_t count = random_() % (random_() % 20 == 0 ? 80 : 6);
        for (std::uint64_t i = 0; i < count; ++i) item.set(text(), value(levels));
        return item;
    }

private:
    std::string text() {
        static constexpr std::string_view pieces[] = {
            "a", "key", "\"", "\\", "\n", "\x01", "\xc3\xa4", "\xf0\x9f\x90\xa7", "/", " "};
        std::string text;
        for (std::uint64_t i = random_() % 12; i > 0; --i) text += pieces[random_() % 10];
        return text + std::to_string(random_() % 50);
    }
    std::string bytes() {
        std::string bytes;
        for (std::uint64_t i = random_() % 40; i > 0; --i) bytes += static_cast<char>(random_());
        return bytes;
    }
    Number number() {
        switch (random_() % 3) {
            case 0: return static_cast<std::int64_t>(random_());
            case 1: return static_cast<double>(random_()) / 1e7;
            default: return Number::as_written("-0." + std::to_string(random_()) + "E-100");
        }
    }
    Value value(int levels) {
        switch (random_() % (levels > 0 ? 10 : 8)) {
            case 0: return null;
            case 1: return random_() % 2 == 0;
            case 2: return text();
            case 3: return number();
            case 4: return Binary{bytes()};
            case 5: return StringSet{text(), text()};
            case 6: return NumberSet{number(), number(), number()};
            case 7: return BinarySet{Binary{bytes()}};
            case 8: return list(levels - 1);
            default: return item(levels - 1);
        }
    }
    List list(int levels) {
        List list;
        for (std::uint64_t i = random_() % 5; i > 0; --i) list.push_back(value(levels));
        return list;
    }

    std::mt19937_64 random_;
};

TEST(ItemCodec, brings_any_item_back_as_it_was) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const Item item = Writer{seed}.item(6);
        const std::string json = to_json(item);
        const auto back = item_from_json(json);
        ASSERT_TRUE(back.has_value()) << json;
        ASSERT_EQ(*back, item) << json;
        ASSERT_EQ(to_json(*back), json);
        ASSERT_TRUE(item_from_plain_json(to_plain_json(item)).has_value()) << json;
    }
}

}  // namespace
}  // namespace perdure::dynamodb
