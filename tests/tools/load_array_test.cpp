// SPDX-License-Identifier: Apache-2.0
//
// Are the elements of a JSON array records, the same ones whatever pieces the array is read in?
#include <gmock/gmock.h>

#include <random>

#include "load/source/json_record_fault.hpp"
#include "load/source/reading.hpp"
#include "load/source/rejected_file.hpp"
#include "load_source_case.hpp"

namespace tool::load {
namespace {

using perdure::Cause;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using LoadArray = SourceCase;

TEST_F(LoadArray, gives_out_each_element_with_the_line_it_begins_in) {
    const struct {
        const char* bytes;
        Texts records;
    } cases[] = {
        {"[]", {}},
        {"\xef\xbb\xbf \n[ \n ] \n\n", {}},
        {R"([{"id":1},{"id":2}])", {R"({"id":1}@1)", R"({"id":2}@1)"}},
        {"[\n{\"id\":1},\n{\"id\":2}\n]\n", {"{\"id\":1}@2", "{\"id\":2}@3"}},
        {"\n[\r\n  {\r\n    \"id\": 1\r\n  }\r\n  , {\"id\": 2}]",
         {"{\r\n    \"id\": 1\r\n  }@3", "{\"id\": 2}@6"}},
        {R"([{"a":"]},{\"[\\"},{"a":[[{"b":"\\\""}],{}]}])",
         {R"({"a":"]},{\"[\\"}@1)", R"({"a":[[{"b":"\\\""}],{}]}@1)"}},
        {R"([1, "a\"]",null ,[2,{"a":3}],true])",
         {"1@1", R"("a\"]"@1)", "null@1", R"([2,{"a":3}]@1)", "true@1"}},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.bytes);
        for (const std::size_t records : {1u, 2u, 1000u})
            EXPECT_EQ(rest(*open({.path = file("a.json", at.bytes)}), {.records = records}),
                      at.records);
        EXPECT_EQ(rest(*open({.path = file("a.json.gz", packed(at.bytes))})), at.records);
    }
}

TEST_F(LoadArray, rejects_what_stands_in_the_wrong_place_and_goes_on) {
    const std::string comma = ": is a comma with no element beside it";
    const struct {
        const char* bytes;
        Texts records;
    } cases[] = {
        {"[{}{}\n{}]", {"{}@1", "{}@1: has no comma before it", "{}@2: has no comma before it"}},
        {"[{},\n]", {"{}@1", ",@1" + comma}},
        {"[{},\n,{}]", {"{}@1", ",@1" + comma, "{}@2"}},
        {"[,{}]", {",@1" + comma, "{}@1"}},
        {"[,]", {",@1" + comma}},
        {"[,,{},,,]", {",@1" + comma, "{}@1", ",@1" + comma, ",@1" + comma, ",@1" + comma}},
        {"[1{}\"x\"2]",
         {"1@1", "{}@1: has no comma before it", "\"x\"@1: has no comma before it",
          "2@1: has no comma before it"}},
        {"[}, :]", {"}@1", ":@1"}},
    };
    for (const auto& at : cases) {
        SCOPED_TRACE(at.bytes);
        EXPECT_EQ(rest(*open({.path = file("a.json", at.bytes)})), at.records);
        EXPECT_EQ(rest(*open({.path = file("a.json", at.bytes)}), {.records = 1}), at.records);
    }
}

TEST_F(LoadArray, gives_the_reason_for_every_element_that_is_no_record) {
    const auto source = open({.path = file("a.json", R"([{"a":1}{"a":2},3,,{"a":})"
                                                     "]")});
    Batch batch;
    ASSERT_TRUE(*source->next(batch, {}));
    const Schema schema{.columns = {{.name = "a", .type = Type::integer}}};
    Rows rows;
    read_rows(batch, source->header(), schema, rows);
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(rows.row(0)[0].integer, 1);
    Texts reasons;
    for (const Rejected& one : rows.rejected) reasons.push_back(one.reason);
    EXPECT_THAT(reasons, ElementsAre("has no comma before it", "is no JSON object",
                                     "is a comma with no element beside it",
                                     "not JSON: column 6: expected a value"));
}

TEST_F(LoadArray, stops_where_the_array_was_cut_off_and_gives_out_what_is_before) {
    for (const char* end :
         {"", " ", ",", ", ", ",{", ",\n{\"a\":\"]}", ",{\"a\":\"\\", ",12", ",[1]"}) {
        SCOPED_TRACE(end);
        const auto path = file("a.json", std::string{"[{\"a\":1}"} + end);
        const auto records = rest(*open({.path = path}));
        ASSERT_GE(records.size(), 2);
        EXPECT_EQ(records.front(), "{\"a\":1}@1");
        EXPECT_THAT(records.back(), HasSubstr("ends before the closing bracket of its array"));
        const auto again = open({.path = path});
        ASSERT_TRUE(again->skip_to({8, 1}));
        EXPECT_THAT(rest(*again).back(), HasSubstr("a.json: line "));
    }
    const auto source = open({.path = file("b.json", "[\n{\"a\"")});
    Batch batch;
    const auto sampled = source->sample(batch, {});
    ASSERT_FALSE(sampled);
    EXPECT_EQ(sampled.error().cause, Cause::corrupt);
    EXPECT_THAT(sampled.error().message, HasSubstr("b.json: line 2: the input ends before"));
}

TEST_F(LoadArray, stops_at_text_behind_the_closing_bracket) {
    for (const char* behind : {"[{}]", "x", "\n\n]", ","}) {
        SCOPED_TRACE(behind);
        const auto path = file("a.json", std::string{"[{\"a\":1}\n]"} + behind);
        EXPECT_THAT(rest(*open({.path = path})),
                    ElementsAre("{\"a\":1}@1", HasSubstr("text follows the closing bracket")));
    }
    EXPECT_THAT(rest(*open({.path = file("b.json", "[]\n\nx")})),
                ElementsAre(HasSubstr("b.json: line 3: text follows")));
}

TEST_F(LoadArray, stops_at_an_element_that_is_too_long_and_names_line_and_limit) {
    const std::string bytes = "[{},\n{\"a\":\"" + std::string(5000, 'x') + "\"},\n{}]";
    const auto source = open({.path = file("a.json", bytes), .longest_record = 4096});
    EXPECT_THAT(rest(*source),
                ElementsAre("{}@1", HasSubstr("a.json: line 2: an element of the array is longer "
                                              "than 4096 bytes")));
    const std::string huge = "[{},\n\n{\"a\":\"" + std::string(17 << 20, 'x') + "\"}]";
    EXPECT_THAT(rest(*open({.path = file("b.json", huge)})),
                ElementsAre("{}@1", HasSubstr("b.json: line 3: an element of the array is longer "
                                              "than 16 MiB")));
    const std::string long_one = "{\"a\":\"" + std::string(9 << 20, 'x') + "\"}";
    EXPECT_THAT(rest(*open({.path = file("c.json", "[" + long_one + ",{}]")})),
                ElementsAre(long_one + "@1", "{}@1"));
}

TEST_F(LoadArray, goes_on_behind_the_last_element_of_an_array_that_grew) {
    for (const std::string& end : {std::string{"]"}, std::string{"\n]\n"}, std::string{",]"}}) {
        SCOPED_TRACE(end);
        const auto before = open({.path = file("a.json", "[{\"a\":1},\n{\"a\":2}" + end)});
        Batch batch;
        ASSERT_TRUE(*before->next(batch, {}));
        const Mark mark{batch.end, batch.first_line + batch.lines};
        for (const std::string& bytes : {std::string{"[{\"a\":1},\n{\"a\":2},\n{\"a\":3}]"}}) {
            const auto now = open({.path = file("a.json", bytes)});
            ASSERT_TRUE(now->skip_to(mark));
            EXPECT_THAT(rest(*now), ElementsAre("{\"a\":3}@3"));
            const auto zipped = open({.path = file("a.gz", packed(bytes))});
            ASSERT_TRUE(zipped->skip_to(mark));
            EXPECT_THAT(rest(*zipped), ElementsAre("{\"a\":3}@3"));
        }
        const auto same = open({.path = file("a.json", "[{\"a\":1},\n{\"a\":2}" + end)});
        ASSERT_TRUE(same->skip_to(mark));
        EXPECT_FALSE(*same->next(batch, {}));
    }
}

// Values and what is between them, good and bad, as an array of about that many elements.
std::string random_array(std::mt19937& dice, int elements) {
    static const char* const values[] = {
        "{}",          R"({"a":[1,{"b":"]"}]})", "7",      "\"x,\"",
        "{\n\"a\":1}", R"({"s":"\"{\\"})",       "[\n[]]", "null"};
    static const char* const between[] = {",", ", ", "\n,\n", " ,\r\n", ",,", " ", ","};
    std::string bytes = dice() % 2 ? "[" : "\n[ ";
    for (int i = 0; i < elements; ++i) {
        if (i > 0) bytes += between[dice() % std::size(between)];
        bytes += values[dice() % std::size(values)];
    }
    return bytes + (dice() % 2 ? "]" : " \n]\n");
}

TEST_F(LoadArray, splits_the_same_from_every_border_of_a_batch) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 dice{seed};
        const std::string bytes = random_array(dice, 80);
        const SourceOptions options{.path = file("a", seed % 3 ? bytes : packed(bytes))};
        const Texts all = rest(*open(options));
        ASSERT_GE(all.size(), 80);
        const BatchLimits limits{.records = 1 + dice() % 9, .bytes = 1 + dice() % 60};
        const auto source = open(options);
        Batch batch;
        std::size_t given = 0;
        while (*source->next(batch, limits)) {
            const auto again = open(options);
            ASSERT_TRUE(again->skip_to({batch.begin, batch.first_line}));
            ASSERT_EQ(rest(*again, {.records = 1 + dice() % 9}),
                      Texts(all.begin() + static_cast<std::ptrdiff_t>(given), all.end()));
            given += batch.records.size();
        }
        EXPECT_EQ(given, all.size());
    }
}

TEST_F(LoadArray, puts_a_rejected_element_of_several_lines_into_one_line_of_the_side_file) {
    const std::string line = rejected_line("a.json", {.line = 3,
                                                      .reason = "r",
                                                      .record = "{\r\n  \"a\": \"x\"\n}",
                                                      .format = Format::json_array});
    EXPECT_THAT(
        line,
        StartsWith(R"({"perdure.rejected":{"file":"a.json","line":3,"reason":"r"},"record":{)"));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_TRUE(scan_whole_json(line).good());
}

}  // namespace
}  // namespace tool::load
