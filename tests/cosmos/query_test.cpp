// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/query.hpp"

#include "cosmos/describing.hpp"
#include "cosmos/orders.hpp"
#include "perdure/cosmos/wire/limits.hpp"

namespace perdure::cosmos {
namespace {

TEST(Query, goes_to_one_partition_or_to_all) {
    EXPECT_EQ(told(Query{orders, "SELECT * FROM c"}.in(PartitionKey{"A"})),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "x-ms-documentdb-isquery: True\n"
              "Content-Type: application/query+json\n\n"
              R"({"query":"SELECT * FROM c","parameters":[]})");
    EXPECT_EQ(told(Query{orders, "SELECT * FROM c"}),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-query-enablecrosspartition: True\n"
              "x-ms-documentdb-isquery: True\n"
              "Content-Type: application/query+json\n\n"
              R"({"query":"SELECT * FROM c","parameters":[]})");
    EXPECT_EQ(told(Query{orders, "q"}.in_range("7", EffectiveRange{"", "1F"})),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-query-enablecrosspartition: True\n"
              "x-ms-documentdb-partitionkeyrangeid: 7\n"
              "x-ms-read-key-type: EffectivePartitionKeyRange\n"
              "x-ms-start-epk: \n"
              "x-ms-end-epk: 1F\n"
              "x-ms-documentdb-isquery: True\n"
              "Content-Type: application/query+json\n\n"
              R"({"query":"q","parameters":[]})");
}

TEST(Query, says_whose_session_counts) {
    Envelope envelope;
    const Query keyed = Query{orders, "q"}.in(PartitionKey{"A"});
    ASSERT_TRUE(keyed.describe(envelope, these_facts));
    ASSERT_NE(envelope.key, nullptr);
    EXPECT_EQ(*envelope.key, PartitionKey{"A"});
    Envelope ranged;
    const Query in_range = Query{orders, "q"}.in_range("7");
    ASSERT_TRUE(in_range.describe(ranged, these_facts));
    EXPECT_EQ(ranged.key, nullptr);
    EXPECT_EQ(ranged.range, "7");
}

TEST(Query, carries_its_parameters_as_json) {
    const Query query = Query{orders, "SELECT \"x\""}
                            .with("@s", "it's \"ü\"\n")
                            .with("@i", std::int64_t{9007199254740993})
                            .with("@u", std::uint64_t{18446744073709551615U})
                            .with("@d", 0.1)
                            .with("@b", false)
                            .with("@n", nullptr)
                            .with("@r", Value::raw(R"([1,{"a":2}])"));
    EXPECT_EQ(body_of(query), R"({"query":"SELECT \"x\"","parameters":[)"
                              R"({"name":"@s","value":"it's \"ü\"\u000a"},)"
                              R"({"name":"@i","value":9007199254740993},)"
                              R"({"name":"@u","value":18446744073709551615},)"
                              R"({"name":"@d","value":0.1},)"
                              R"({"name":"@b","value":false},)"
                              R"({"name":"@n","value":null},)"
                              R"({"name":"@r","value":[1,{"a":2}]}]})");
}

TEST(Query, passes_wishes_on_as_headers) {
    const std::string text = told(Query{orders, "q"}
                                      .in(PartitionKey{"A"})
                                      .page_size(50)
                                      .after(R"({"token":"+RID:~x#RT:1"})")
                                      .continuation_limit_kb(1)
                                      .consistency(Consistency::bounded_staleness)
                                      .metrics());
    for (const std::string_view line :
         {"x-ms-max-item-count: 50\n", "x-ms-continuation: {\"token\":\"+RID:~x#RT:1\"}\n",
          "x-ms-documentdb-responsecontinuationtokenlimitinkb: 1\n",
          "consistency: BoundedStaleness\n", "x-ms-documentdb-populatequerymetrics: True\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Query, is_refused_when_it_cannot_be_meant) {
    EXPECT_EQ(refusal(Query{orders, ""}), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, "\xc3"}), "invalid-value");
    EXPECT_EQ(refusal(Query{{"a/b", "c"}, "q"}), "invalid-id");
    EXPECT_EQ(refusal(Query{orders, "q"}.in(PartitionKey{})), "invalid-partition-key");
    EXPECT_EQ(refusal(Query{orders, "q"}.in(PartitionKey{"A"}).in_range("0")), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, "q"}.with("x", 1)), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, "q"}.with("@", 1)), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, "q"}.with("@x", Value::raw("1}"))), "invalid-value");
    EXPECT_EQ(refusal(Query{orders, "q"}.with("@x", Value::raw(""))), "invalid-value");
    EXPECT_EQ(refusal(Query{orders, "q"}.with("@x", Value::raw(R"(1,"b":2)"))), "invalid-value");
    EXPECT_EQ(refusal(Query{orders, "q"}.page_size(0)), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, "q"}.continuation_limit_kb(0)), "invalid-request");
    EXPECT_EQ(refusal(Query{orders, std::string(largest_request, 'x')}), "request-too-large");
}

TEST(Query, gives_a_page_with_its_documents_as_they_came) {
    const auto page = answered(
        Query{orders, "q"},
        {.body =
             R"({"_rid":"x","Documents":[{"a": 12345678901234567890.10}, 7, "ü", null],"_count":4})",
         .headers = {{"x-ms-continuation", "more"}, {"x-ms-documentdb-query-metrics", "a=1;b=2"}},
         .charge = 2.75});
    ASSERT_TRUE(page) << to_string(page.error());
    EXPECT_EQ(page->documents, (std::vector<std::string>{R"({"a": 12345678901234567890.10})", "7",
                                                         "\"ü\"", "null"}));
    EXPECT_EQ(page->next, "more");
    EXPECT_EQ(page->metrics, "a=1;b=2");
    EXPECT_EQ(page->charge, 2.75);
}

TEST(Query, gives_an_empty_page_that_is_not_the_last) {
    const auto page = answered(Query{orders, "q"}, {.body = R"({"Documents":[],"_count":0})",
                                                    .headers = {{"x-ms-continuation", "more"}}});
    ASSERT_TRUE(page);
    EXPECT_TRUE(page->documents.empty());
    EXPECT_EQ(page->next, "more");
}

TEST(Query, does_not_take_another_text_for_a_page) {
    for (const std::string_view bad : {"", "<html>", "[]", "{}", R"({"Documents":{}})",
                                       R"({"Documents":[1,)", R"({"Documents":[1]} x)"})
        EXPECT_TRUE(cannot_read(Query{orders, "q"}, {.body = std::string{bad}})) << bad;
}

}  // namespace
}  // namespace perdure::cosmos
