// SPDX-License-Identifier: Apache-2.0
//
// What can a query cost? Memory in proportion to its text and its parameters, whatever it repeats.
#include <gtest/gtest.h>

#include <string>

#include "query_weight.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {
namespace {

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

std::optional<Query> read(const std::string& text, std::string& problem,
                          const std::string& parameters = "[]") {
    Json body = Json::object();
    body.set("query", Json::text(text));
    body.set("parameters", Json::parse(parameters).value());
    return Query::read(body, problem);
}

TEST(QueryBounds, of_a_long_path_in_a_long_list_are_those_of_its_text) {
    std::string problem;
    const std::string path = "c" + repeated(".abcdefgh", 100);
    const std::string text =
        "SELECT * FROM c WHERE " + path + " IN (" + repeated("1,", 10'000) + "1)";
    const auto query = read(text, problem);
    ASSERT_TRUE(query) << problem;
    const QueryWeight weight = weight_of(*query);
    EXPECT_LE(weight.parts, text.size());
    EXPECT_LE(weight.bytes, text.size());
    Json item = Json::parse("1").value();
    for (int i = 0; i < 100; ++i) {
        Json outer = Json::object();
        outer.set("abcdefgh", item);
        item = std::move(outer);
    }
    EXPECT_TRUE(query->fits(item));
}

TEST(QueryBounds, of_a_parameter_that_stands_in_many_places_count_it_once) {
    std::string problem;
    const std::string parameters =
        R"([{"name":"@p","value":")" + std::string(100'000, 'x') + R"("},{"name":"@p","value":2}])";
    const std::string text = "SELECT * FROM c WHERE c.v IN (" + repeated("@p,", 10'000) + "@p)";
    const auto query = read(text, problem, parameters);
    ASSERT_TRUE(query) << problem;
    EXPECT_LE(weight_of(*query).bytes, text.size() + parameters.size());
}

TEST(QueryBounds, refuse_what_is_longer_than_the_service_takes) {
    std::string problem;
    const std::string begin = "SELECT * FROM c WHERE c.a = 1";
    EXPECT_TRUE(read(begin + std::string(longest_query - begin.size(), ' '), problem));
    EXPECT_FALSE(read(begin + std::string(longest_query - begin.size() + 1, ' '), problem));
    EXPECT_NE(problem.find("512 KB"), std::string::npos) << problem;
    problem.clear();
    EXPECT_FALSE(read("SELECT * FROM c WHERE c" + repeated(".a", 128) + " = 1", problem));
    EXPECT_NE(problem, "");
    problem.clear();
    EXPECT_TRUE(read("SELECT c.a" + repeated(",c.a", 999) + " FROM c", problem)) << problem;
    EXPECT_FALSE(read("SELECT c.a" + repeated(",c.a", 1'000) + " FROM c", problem));
}

TEST(QueryBounds, let_brackets_and_nots_go_64_deep) {
    std::string problem;
    const auto nested = [](int depth) {
        return "SELECT * FROM c WHERE " + repeated("NOT (", depth / 2) + "true" +
               repeated(")", depth / 2);
    };
    EXPECT_TRUE(read(nested(64), problem)) << problem;
    EXPECT_FALSE(read(nested(66), problem));
    EXPECT_FALSE(read(nested(100'000), problem));
}

}  // namespace
}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
