// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/any_operation.hpp"

#include <fstream>
#include <iterator>

#include "dynamodb/operation_table.hpp"
#include "dynamodb/scripted_service.hpp"
#include "dynamodb/vectors.hpp"

namespace perdure::dynamodb {
namespace {

TEST(AnyOperation, is_as_safe_as_its_name_and_token_say) {
    const std::tuple<const char*, const char*, Safety> cases[] = {
        {"DescribeTimeToLive", "{}", Safety::read},
        {"ListSomethingNew", "{}", Safety::read},
        {"DescribeSomethingNew", "{}", Safety::read},
        {"Query", "{}", Safety::read},
        {"BatchWriteItem", "{}", Safety::idempotent},
        {"TagResource", "{}", Safety::idempotent},
        {"PutItem", "{}", Safety::once},
        {"UpdateItem", "{}", Safety::once},
        {"ExecuteStatement", "{}", Safety::once},
        {"CreateSomethingNew", "{}", Safety::once},
        {"TransactWriteItems", "{}", Safety::once},
        {"TransactWriteItems", R"({"ClientRequestToken":""})", Safety::once},
        {"TransactWriteItems", R"({"a":{"ClientRequestToken":"x"}})", Safety::once},
        {"TransactWriteItems", R"({"ClientRequestToken":"x"})", Safety::guarded},
        {"ExecuteTransaction", R"({"ClientRequestToken":"x"})", Safety::guarded},
        {"ExportTableToPointInTime", R"({"ClientRequestToken":"x"})", Safety::once},
        {"ExportTableToPointInTime", R"({"ClientToken":"x"})", Safety::guarded},
        {"CreateTable", "{}", Safety::guarded},
    };
    for (const auto& [name, json, safety] : cases)
        EXPECT_EQ(AnyOperation(name, json).safety(), safety) << name << ' ' << json;
    EXPECT_EQ(AnyOperation("UpdateItem").safety(Safety::idempotent).safety(), Safety::idempotent);
}

TEST(AnyOperation, sends_its_json_as_it_is) {
    const AnyOperation one{"UpdateTimeToLive", R"( { "TableName" : "orders", "n":1.50 } )"};
    EXPECT_EQ(body(one), R"( { "TableName" : "orders", "n":1.50 } )");
    EXPECT_EQ(one.operation(), "UpdateTimeToLive");
    EXPECT_EQ(one.table(), "orders");
    EXPECT_EQ(body(AnyOperation{"DescribeLimits"}), "{}");
}

TEST(AnyOperation, with_a_name_that_would_break_the_header_is_not_sent) {
    for (const std::string name : {"", "Get Item", "GetItem\r\nX: y", "a.b", "Gét"})
        EXPECT_EQ(body(AnyOperation{name}),
                  "refused: an operation's name is made of letters: DescribeTimeToLive")
            << name;
    EXPECT_TRUE(body(AnyOperation{std::string(129, 'a')}).starts_with("refused"));
}

TEST(AnyOperation, without_a_json_object_is_not_sent) {
    for (const std::string json : {"", "[]", "null", "{", "{}{}", R"({"TableName":7})"})
        EXPECT_TRUE(body(AnyOperation{"DescribeLimits", json})
                        .starts_with("refused: the JSON of DescribeLimits cannot be sent: "))
            << json;
}

TEST(AnyOperation, gives_the_answer_as_it_came) {
    const auto got = read(AnyOperation{"DescribeLimits"}, R"({ "a" : 1.50 })");
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, R"({ "a" : 1.50 })");
    EXPECT_TRUE(refuses(AnyOperation{"DescribeLimits"}, "<html>"));
}

TEST(AnyOperation, goes_the_way_of_every_call) {
    Service service{[](const Told& told) {
        return told.operation == "DescribeLimits" ? said(R"({"AccountMaxReadCapacityUnits":80000})")
                                                  : refused_reply("UnknownOperationException");
    }};
    const auto limits = service.client().send(AnyOperation{"DescribeLimits"});
    ASSERT_TRUE(limits) << to_string(limits.error());
    EXPECT_EQ(*limits, R"({"AccountMaxReadCapacityUnits":80000})");
    const auto none = wait_for(service.client().start(AnyOperation{"MakeCoffee"}));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().cause, Cause::invalid);
    EXPECT_EQ(none.error().code, "UnknownOperationException");
}

TEST(AnyOperation, that_may_not_be_repeated_says_unknown_when_its_answer_is_lost) {
    Service service{[](const Told&) { return http::status(500); }, 3};
    const auto done = service.client().send(AnyOperation{"ExecuteStatement"});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, Stop::unsafe);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(service.heard().size(), 1u);
    EXPECT_FALSE(service.client().send(AnyOperation{"ExecuteStatement"}.safety(Safety::read)));
    EXPECT_EQ(service.heard().size(), 4u);
}

TEST(OperationTable, tells_items_from_tables) {
    EXPECT_EQ(plane_of("PutItem"), Plane::data);
    EXPECT_EQ(plane_of("Query"), Plane::data);
    EXPECT_EQ(plane_of("SearchVectors"), Plane::data);
    EXPECT_EQ(safety_of("SearchVectors", Token::missing), Safety::read);
    EXPECT_EQ(plane_of("CreateTable"), Plane::control);
    EXPECT_EQ(plane_of("SomethingNew"), Plane::control);
    EXPECT_EQ(find_operation("Put"), nullptr);
    EXPECT_EQ(find_operation(""), nullptr);
    EXPECT_EQ(find_operation("zzz"), nullptr);
}

TEST(OperationTable, stands_in_the_docs_row_by_row) {
    const std::string page = contents(std::filesystem::path{PERDURE_SOURCE_DIR} /
                                      "docs/reference/dynamodb-operations.md");
    ASSERT_FALSE(page.empty());
    std::size_t rows = 0;
    for (std::size_t at = page.find("\n| `"); at != std::string::npos;
         at = page.find("\n| `", at + 1))
        ++rows;
    EXPECT_EQ(rows, operations().size());
    for (const OperationRow& row : operations()) {
        const std::string token = row.token.empty() ? "" : "`" + std::string{row.token} + "`";
        const std::string line = "\n| `" + std::string{row.name} + "` | " +
                                 (row.plane == Plane::data ? "data" : "control") + " | " +
                                 std::string{to_string(row.safety)} + " | " + token + " | " +
                                 std::string{row.why} + " |\n";
        EXPECT_NE(page.find(line), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace perdure::dynamodb
