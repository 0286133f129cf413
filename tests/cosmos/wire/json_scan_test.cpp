// SPDX-License-Identifier: Apache-2.0
//
// Does our reader of JSON take and refuse what another one does?
#include "cosmos/wire/json_scan.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <random>
#include <string>
#include <string_view>

namespace perdure::cosmos {
namespace {

bool is_ours(std::string_view json) {
    JsonScan scan{json};
    return is_utf8(json) && !scan.skip() && !scan.end();
}

bool is_theirs(std::string_view json) {
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    return parser.parse(simdjson::padded_string{json}).get(element) == simdjson::SUCCESS;
}

TEST(JsonScan, agrees_with_another_reader_on_texts_with_one_character_changed) {
    const std::string whole =
        R"( {"a":[1,-2.5e+3 ,0,{"b":null}],"c\n":"x\u00e9\\\"y","d":[true,false,[]],"":{} ,"e":"0123456789abcdef0123456789"} )";
    ASSERT_TRUE(is_ours(whole));
    ASSERT_TRUE(is_theirs(whole));
    constexpr std::string_view letters = "{}[]\",:\\ 01e.-+tfn\n\x01ux\xff";
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char letter : letters) {
            std::string changed = whole;
            changed[at] = letter;
            ASSERT_EQ(is_ours(changed), is_theirs(changed)) << changed;
        }
        const std::string_view cut = std::string_view{whole}.substr(0, at);
        ASSERT_EQ(is_ours(cut), is_theirs(cut)) << cut;
    }
}

TEST(JsonScan, agrees_with_another_reader_on_random_texts) {
    constexpr unsigned seed = 20261116;
    SCOPED_TRACE(seed);
    std::mt19937 random{seed};
    constexpr std::string_view pieces[] = {
        "{",    "}",    "[", "]",    ",",    ":",  "\"a\"", "\"\\u00e9\"", "1", "-0.5",
        "true", "null", " ", "\"\"", "1e-5", "{}", "[]",    "\"b\":",      "0"};
    int good = 0;
    for (int i = 0; i < 50'000; ++i) {
        std::string json;
        for (auto count = random() % 8; count-- > 0;) json += pieces[random() % std::size(pieces)];
        ASSERT_EQ(is_ours(json), is_theirs(json)) << json;
        good += is_ours(json) ? 1 : 0;
    }
    EXPECT_GT(good, 500);
}

TEST(JsonScan, unescapes_as_another_reader_does) {
    for (const std::string_view json : {R"("")", R"("plain")", R"("\"\\\/\b\f\n\r\t")",
                                        R"("\u0041\u00fc\u6771\ud83d\ude00")", R"("a\u0000b")"}) {
        std::string text;
        JsonScan scan{json};
        ASSERT_FALSE(scan.string(text)) << json;
        simdjson::dom::parser parser;
        const std::string_view theirs =
            parser.parse(simdjson::padded_string{json}).get_string().value();
        EXPECT_EQ(text, theirs) << json;
    }
    std::string text;
    JsonScan scan{R"("\ud83d\ud83dx\ude00\ud83d")"};
    ASSERT_FALSE(scan.string(text));
    EXPECT_EQ(text, "\xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(JsonScan, finds_the_end_of_strings_of_every_length_and_place) {
    for (std::size_t length = 0; length < 70; ++length)
        for (const std::string_view end : {"\"", "\\n\"", "\x01\"", ""}) {
            const std::string json = "\"" + std::string(length, 'x') + std::string{end};
            std::string text;
            JsonScan scan{json};
            const bool read = scan.string(text) == fine;
            EXPECT_EQ(read, end == "\"" || end == "\\n\"") << json;
            if (!read) continue;
            EXPECT_EQ(text.size(), length + (end.size() == 1 ? 0 : 1)) << json;
        }
}

TEST(JsonScan, passes_over_what_nobody_takes) {
    std::string seen;
    std::int64_t number = 0;
    JsonScan scan{R"({"a":{"x":[1,2]}, "\u0062" : 7 ,"c":[3]})"};
    const Trouble trouble = scan.members([&](std::string_view name) {
        seen += name;
        if (name == "b") return scan.integer(number);
        (void)scan.next();
        return fine;
    });
    EXPECT_EQ(trouble, fine);
    EXPECT_EQ(scan.end(), fine);
    EXPECT_EQ(seen, "abc");
    EXPECT_EQ(number, 7);
}

}  // namespace
}  // namespace perdure::cosmos
