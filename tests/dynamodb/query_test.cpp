// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/query.hpp"

#include "dynamodb/scripted_service.hpp"
#include "perdure/dynamodb/scan.hpp"

namespace perdure::dynamodb {
namespace {

TEST(Query, says_what_it_looks_for) {
    EXPECT_EQ(body(Query{"orders"}.key("pk = :pk").value(":pk", "c#7")),
              R"({"TableName":"orders","KeyConditionExpression":"pk = :pk",)"
              R"("ExpressionAttributeValues":{":pk":{"S":"c#7"}}})");
}

TEST(Query, says_everything_it_was_told) {
    const auto query = Query{"orders"}
                           .key("pk = :pk AND #n > :n")
                           .name("#n", "number")
                           .value(":pk", "c#7")
                           .value(":n", 12)
                           .index("by-number")
                           .filter("total > :n")
                           .projection("pk, #n")
                           .limit(20)
                           .backward()
                           .start_after({{"pk", "c#7"}, {"number", 40}})
                           .report_capacity();
    EXPECT_EQ(body(query),
              R"({"TableName":"orders","KeyConditionExpression":"pk = :pk AND #n > :n",)"
              R"("ScanIndexForward":false,"IndexName":"by-number","FilterExpression":"total > :n",)"
              R"("ProjectionExpression":"pk, #n","ExpressionAttributeNames":{"#n":"number"},)"
              R"("ExpressionAttributeValues":{":pk":{"S":"c#7"},":n":{"N":"12"}},"Limit":20,)"
              R"("ExclusiveStartKey":{"pk":{"S":"c#7"},"number":{"N":"40"}},)"
              R"("ReturnConsumedCapacity":"TOTAL"})");
    EXPECT_EQ(query.safety(), Safety::read);
    EXPECT_EQ(query.table(), "orders");
}

TEST(Query, may_count_only_and_read_consistently) {
    EXPECT_EQ(body(Query{"t"}.key("pk = :a").value(":a", 1).count_only().consistent()),
              R"({"TableName":"t","KeyConditionExpression":"pk = :a",)"
              R"("ExpressionAttributeValues":{":a":{"N":"1"}},"Select":"COUNT",)"
              R"("ConsistentRead":true})");
}

TEST(Query, can_be_built_up_in_steps) {
    Query query{"t"};
    query.key("pk = :a").value(":a", "x");
    query.limit(3);
    EXPECT_EQ(body(query), R"({"TableName":"t","KeyConditionExpression":"pk = :a",)"
                           R"("ExpressionAttributeValues":{":a":{"S":"x"}},"Limit":3})");
}

TEST(Query, that_cannot_be_meant_is_not_sent) {
    const auto sound = Query{"t"}.key("pk = :a").value(":a", "x");
    const std::pair<Query, std::string> cases[] = {
        {Query{"t"}, "refused: a query needs a key condition: key(…)"},
        {Query{""}.key("a"), "refused: the table has no name"},
        {Query{sound}.limit(0), "refused: a page's limit must be at least 1"},
        {Query{sound}.start_after({}), "refused: start_after() needs the key of an item"},
        {Query{sound}.count_only().projection("a"),
         "refused: count_only() gives no attributes; leave projection() out"},
        {Query{sound}.value("b", 1), "refused: a value's placeholder begins with a colon"},
    };
    for (const auto& [query, said] : cases) EXPECT_EQ(body(query), said);
}

TEST(Query, reads_a_page) {
    const auto page = read(
        Query{"t"},
        R"({"Count":2,"Items":[{"pk":{"S":"a"},"n":{"N":"1"}},{"pk":{"S":"b"}}],"ScannedCount":7,)"
        R"("LastEvaluatedKey":{"pk":{"S":"b"}},"ConsumedCapacity":{"TableName":"t","CapacityUnits":1.5},)"
        R"("SomethingNew":[1,{"a":null}]})");
    ASSERT_TRUE(page) << to_string(page.error());
    ASSERT_EQ(page->items.size(), 2u);
    EXPECT_EQ(page->items[0], (Item{{"pk", "a"}, {"n", 1}}));
    EXPECT_EQ(page->count, 2);
    EXPECT_EQ(page->scanned, 7);
    EXPECT_EQ(page->next, (Item{{"pk", "b"}}));
    EXPECT_DOUBLE_EQ(page->capacity, 1.5);
}

TEST(Query, an_empty_page_need_not_be_the_last) {
    const auto page =
        read(Query{"t"}, R"({"Items":[],"Count":0,"LastEvaluatedKey":{"pk":{"S":"b"}}})");
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->items.empty());
    EXPECT_TRUE(page->next);
    const auto last = read(Query{"t"}, R"({"Count":12,"ScannedCount":12})");
    ASSERT_TRUE(last);
    EXPECT_EQ(last->count, 12);
    EXPECT_FALSE(last->next);
}

TEST(Query, refuses_pages_that_make_no_sense) {
    for (const char* const json :
         {"", "[]", "{", R"({"Items":{}})", R"({"Items":[1]})", R"({"Items":[{"pk":{"Q":"a"}}]})",
          R"({"Count":"2"})", R"({"Count":-1})", R"({"LastEvaluatedKey":{}})",
          R"({"LastEvaluatedKey":"a"})", R"({"ConsumedCapacity":[]})", R"({"Items":[]}x)"})
        EXPECT_TRUE(refuses(Query{"t"}, json)) << json;
}

TEST(Scan, says_which_part_it_reads) {
    EXPECT_EQ(body(Scan{"orders"}), R"({"TableName":"orders"})");
    EXPECT_EQ(body(Scan{"orders"}.segment(2, 8).limit(5).filter("n = :n").value(":n", 1)),
              R"({"TableName":"orders","FilterExpression":"n = :n",)"
              R"("ExpressionAttributeValues":{":n":{"N":"1"}},"Limit":5,"Segment":2,)"
              R"("TotalSegments":8})");
    EXPECT_EQ(body(Scan{"orders"}.segment(0, 1)),
              R"({"TableName":"orders","Segment":0,"TotalSegments":1})");
}

TEST(Scan, refuses_segments_that_are_none) {
    for (const auto& [which, of] : {std::pair{8, 8}, {-1, 8}, {0, -1}, {1, 0}, {0, 1'000'001}})
        EXPECT_EQ(body(Scan{"t"}.segment(which, of)),
                  "refused: a segment's number is 0 or more and less than their number, at most "
                  "1000000")
            << which << " of " << of;
}

}  // namespace
}  // namespace perdure::dynamodb
