// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/scripted_service.hpp"
#include "perdure/dynamodb/create_table.hpp"
#include "perdure/dynamodb/delete_table.hpp"
#include "perdure/dynamodb/describe_table.hpp"
#include "perdure/dynamodb/list_tables.hpp"

namespace perdure::dynamodb {
namespace {

TEST(CreateTable, is_paid_by_the_request_unless_told_otherwise) {
    EXPECT_EQ(body(CreateTable{"orders", "pk"}),
              R"({"TableName":"orders",)"
              R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],)"
              R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
              R"("BillingMode":"PAY_PER_REQUEST"})");
    EXPECT_EQ(body(CreateTable{"orders", "pk", {"sk", KeyType::binary}}.provisioned(5, 2)),
              R"({"TableName":"orders",)"
              R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
              R"({"AttributeName":"sk","AttributeType":"B"}],)"
              R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},)"
              R"({"AttributeName":"sk","KeyType":"RANGE"}],"BillingMode":"PROVISIONED",)"
              R"("ProvisionedThroughput":{"ReadCapacityUnits":5,"WriteCapacityUnits":2}})");
}

TEST(CreateTable, defines_each_attribute_once_however_many_keys_have_it) {
    EXPECT_EQ(
        body(CreateTable{"t", "pk"}
                 .global_index("by-n", {"n", KeyType::number}, "pk")
                 .global_index("by-m", "m")),
        R"({"TableName":"t",)"
        R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},)"
        R"({"AttributeName":"n","AttributeType":"N"},{"AttributeName":"m","AttributeType":"S"}],)"
        R"("KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"GlobalSecondaryIndexes":[)"
        R"({"IndexName":"by-n","KeySchema":[{"AttributeName":"n","KeyType":"HASH"},)"
        R"({"AttributeName":"pk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}},)"
        R"({"IndexName":"by-m","KeySchema":[{"AttributeName":"m","KeyType":"HASH"}],)"
        R"("Projection":{"ProjectionType":"ALL"}}],"BillingMode":"PAY_PER_REQUEST"})");
    const std::string provisioned =
        body(CreateTable{"t", "pk"}.provisioned(1, 1).global_index("i", "m"));
    EXPECT_NE(
        provisioned.find(R"("Projection":{"ProjectionType":"ALL"},"ProvisionedThroughput":{)"),
        std::string::npos);
}

TEST(CreateTable, that_cannot_be_meant_is_not_sent) {
    const std::pair<CreateTable, std::string> cases[] = {
        {CreateTable{"", "pk"}, "refused: the table has no name"},
        {CreateTable{"a b", "pk"},
         "refused: a table's name is made of a-z, A-Z, 0-9, '_', '-' and '.'"},
        {CreateTable{"t", ""}, "refused: a key attribute has no name"},
        {CreateTable{"t", "a", "a"}, "refused: a key names the attribute a twice"},
        {CreateTable{"t", "a"}.global_index("", "b"), "refused: an index has no name"},
        {CreateTable{"t", "a"}.global_index("i", {"a", KeyType::number}),
         "refused: the key attribute a has two types"},
        {CreateTable{"t", "a"}.provisioned(0, 1),
         "refused: provisioned capacity is at least 1 for reads and for writes"},
    };
    for (const auto& [create, said] : cases) EXPECT_EQ(body(create), said);
}

TEST(CreateTable, is_guarded_by_the_name_and_deleting_ends_in_the_same_state) {
    EXPECT_EQ(CreateTable("t", "pk").safety(), Safety::guarded);
    EXPECT_EQ(DeleteTable{"t"}.safety(), Safety::idempotent);
    EXPECT_EQ(DescribeTable{"t"}.safety(), Safety::read);
    EXPECT_EQ(ListTables{}.safety(), Safety::read);
}

const std::string description =
    R"({"AttributeDefinitions":[{"AttributeName":"n","AttributeType":"N"},)"
    R"({"AttributeName":"x","AttributeType":"B"},{"AttributeName":"pk","AttributeType":"S"}],)"
    R"("TableName":"orders","KeySchema":[{"AttributeName":"n","KeyType":"RANGE"},)"
    R"({"KeyType":"HASH","AttributeName":"pk"}],"TableStatus":"ACTIVE","CreationDateTime":1.7e9,)"
    R"("ItemCount":12,"TableSizeBytes":3456,"BillingModeSummary":{"BillingMode":"PROVISIONED"}})";

TEST(DescribeTable, reads_what_matters_and_keeps_the_rest) {
    EXPECT_EQ(body(DescribeTable{"orders"}), R"({"TableName":"orders"})");
    const auto table = read(DescribeTable{"orders"}, R"({"Table":)" + description + "}");
    ASSERT_TRUE(table) << to_string(table.error());
    EXPECT_EQ(table->name, "orders");
    EXPECT_EQ(table->status, TableStatus::active);
    EXPECT_EQ(table->key, (std::vector<KeyAttribute>{{"pk"}, {"n", KeyType::number}}));
    EXPECT_EQ(table->items, 12);
    EXPECT_EQ(table->bytes, 3456);
    EXPECT_EQ(table->json, description);
}

TEST(DescribeTable, knows_the_states_of_a_table) {
    const std::pair<std::string, TableStatus> cases[] = {
        {"CREATING", TableStatus::creating}, {"UPDATING", TableStatus::updating},
        {"DELETING", TableStatus::deleting}, {"ACTIVE", TableStatus::active},
        {"ARCHIVED", TableStatus::other},    {"SOMETHING_NEW", TableStatus::other},
    };
    for (const auto& [word, status] : cases) {
        const auto table =
            read(DescribeTable{"t"}, R"({"Table":{"TableStatus":")" + word + R"("}})");
        ASSERT_TRUE(table) << word;
        EXPECT_EQ(table->status, status) << word;
    }
}

TEST(DescribeTable, refuses_what_describes_no_table) {
    for (const char* const json :
         {"{}", R"({"Table":[]})", R"({"Table":{"ItemCount":"many"}})",
          R"({"Table":{"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}})",
          R"({"Table":{"KeySchema":[{"AttributeName":"a","KeyType":"HASH"}],)"
          R"("AttributeDefinitions":[{"AttributeName":"a","AttributeType":"Q"}]}})",
          R"({"TableDescription":{"TableStatus":"ACTIVE"}})", R"({"Table":{)"})
        EXPECT_TRUE(refuses(DescribeTable{"t"}, json)) << json;
}

TEST(DeleteTable, is_answered_with_what_goes) {
    EXPECT_EQ(body(DeleteTable{"orders"}), R"({"TableName":"orders"})");
    const auto gone =
        read(DeleteTable{"orders"},
             R"({"TableDescription":{"TableName":"orders","TableStatus":"DELETING"}})");
    ASSERT_TRUE(gone);
    EXPECT_EQ(gone->status, TableStatus::deleting);
    EXPECT_EQ(body(DeleteTable{"a\nb"}),
              "refused: a table's name is made of a-z, A-Z, 0-9, '_', '-' and '.'");
}

TEST(ListTables, may_begin_in_the_middle) {
    EXPECT_EQ(body(ListTables{}), "{}");
    EXPECT_EQ(body(ListTables{}.start_after("b").limit(7)),
              R"({"ExclusiveStartTableName":"b","Limit":7})");
    EXPECT_EQ(body(ListTables{}.limit(101)), "refused: a page has 1 to 100 names of tables");
    const auto tables =
        read(ListTables{}, R"({"TableNames":["a","b"],"LastEvaluatedTableName":"b"})");
    ASSERT_TRUE(tables);
    EXPECT_EQ(tables->names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(tables->next, "b");
    for (const char* const json :
         {R"({"TableNames":[1]})", R"({"LastEvaluatedTableName":""})", "[]"})
        EXPECT_TRUE(refuses(ListTables{}, json)) << json;
}

// Loses the first answer, then refuses.
Service loses_then_refuses(std::string code) {
    return Service{[code = std::move(code), asked = 0](const Told&) mutable {
                       return ++asked == 1 ? http::status(500) : refused_reply(code);
                   },
                   3};
}

TEST(CreateTable, takes_nobody_s_table_for_its_own_when_an_answer_was_lost) {
    Service service = loses_then_refuses("ResourceInUseException");
    const auto made = service.client().send(CreateTable{"t", "pk"});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().cause, Cause::conflict);
    EXPECT_EQ(made.error().effect, Effect::unknown);
    EXPECT_EQ(service.order(), "CreateTable CreateTable");
}

TEST(DeleteTable, that_finds_nothing_after_a_lost_answer_may_have_done_it) {
    Service service = loses_then_refuses("ResourceNotFoundException");
    const auto gone = service.client().send(DeleteTable{"t"});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().cause, Cause::not_found);
    EXPECT_EQ(gone.error().effect, Effect::unknown);
    EXPECT_EQ(service.order(), "DeleteTable DeleteTable");
}

}  // namespace
}  // namespace perdure::dynamodb
