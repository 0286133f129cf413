// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/batch.hpp"

#include "cosmos/describing.hpp"
#include "cosmos/orders.hpp"
#include "perdure/cosmos/wire/limits.hpp"

namespace perdure::cosmos {
namespace {

TEST(Batch, is_one_request_with_all_its_operations) {
    const Batch batch = Batch{orders, key_a}
                            .create(R"({"id":"1","pk":"A"})")
                            .upsert(R"({"id":"2","pk":"A"})")
                            .read("3")
                            .replace("4", R"({"id":"4","pk":"A"})", "\"e\"")
                            .remove("5", "\"f\"")
                            .patch("6", Patch{}.set("/n", 1));
    EXPECT_EQ(told(batch),
              "POST /dbs/shop/colls/orders/docs\n"
              "docs dbs/shop/colls/orders\n"
              "x-ms-documentdb-partitionkey: [\"A\"]\n"
              "x-ms-cosmos-is-batch-request: True\n"
              "x-ms-cosmos-batch-atomic: True\n"
              "x-ms-cosmos-batch-ordered: True\n"
              "x-ms-cosmos-batch-continue-on-error: False\n"
              "Content-Type: application/json\n\n"
              R"([{"operationType":"Create","resourceBody":{"id":"1","pk":"A"}},)"
              R"({"operationType":"Upsert","resourceBody":{"id":"2","pk":"A"}},)"
              R"({"operationType":"Read","id":"3"},)"
              R"({"operationType":"Replace","id":"4","ifMatch":"\"e\"",)"
              R"("resourceBody":{"id":"4","pk":"A"}},)"
              R"({"operationType":"Delete","id":"5","ifMatch":"\"f\""},)"
              R"({"operationType":"Patch","id":"6",)"
              R"("resourceBody":{"operations":[{"op":"set","path":"/n","value":1}]}}])");
}

TEST(Batch, is_repeated_only_if_it_cannot_do_anything_twice) {
    EXPECT_EQ((Batch{orders, key_a}.read("1").read("2").safety()), Safety::read);
    EXPECT_EQ((Batch{orders, key_a}.read("1").remove("2").safety()), Safety::once);
    EXPECT_EQ((Batch{orders, key_a}.create("{}").marked_by(R"({"id":"m"})").safety()),
              Safety::guarded);
}

TEST(Batch, is_refused_when_the_service_would_refuse_it) {
    const std::string item = R"({"id":"1"})";
    Batch many{orders, key_a};
    for (int i = 0; i < 100; ++i) many.read("1");
    EXPECT_EQ(refusal(many), "sent");
    EXPECT_EQ(refusal(Batch{many}.marked_by(item)), "invalid-request");
    EXPECT_EQ(refusal(Batch{many}.read("1")), "invalid-request");

    const std::string half = R"({"id":"1","x":")" + std::string(largest_request / 2, 'x') + "\"}";
    EXPECT_EQ(refusal(Batch{orders, key_a}.create(half)), "sent");
    EXPECT_EQ(refusal(Batch{orders, key_a}.create(half).create(half)), "request-too-large");

    EXPECT_EQ(refusal(Batch{orders, key_a}), "invalid-request");
    EXPECT_EQ(refusal(Batch{orders, PartitionKey{}}.read("1")), "invalid-partition-key");
    EXPECT_EQ(refusal(Batch{orders, key_a}.create("{}")), "invalid-request");
    EXPECT_EQ(refusal(Batch{orders, key_a}.create("nonsense")), "invalid-item");
    EXPECT_EQ(refusal(Batch{orders, key_a}.read("a/b")), "invalid-id");
    EXPECT_EQ(refusal(Batch{orders, key_a}.replace("2", item)), "invalid-request");
    EXPECT_EQ(refusal(Batch{orders, key_a}.remove("2", "")), "invalid-request");
    EXPECT_EQ(refusal(Batch{orders, key_a}.patch("2", Patch{})), "invalid-request");
    EXPECT_EQ(refusal(Batch{orders, key_a}.read("2").marked_by("{}")), "invalid-request");
}

TEST(Batch, gives_a_result_for_each_operation) {
    const Batch batch = Batch{orders, key_a}.create(R"({"id":"1"})").read("1");
    const auto done = answered(batch, {.body = R"([{"statusCode":201,"eTag":"\"e\""},)"
                                               R"({"statusCode":200,"resourceBody":{"id":"1"}}])"});
    ASSERT_TRUE(done) << to_string(done.error());
    ASSERT_EQ(done->results.size(), 2u);
    EXPECT_EQ(done->results[0].etag, "\"e\"");
    EXPECT_EQ(done->results[1].body, R"({"id":"1"})");
    EXPECT_EQ(done->charge, 1.5);
    EXPECT_FALSE(done->found_out);
}

TEST(Batch, does_not_take_an_answer_that_contradicts_itself) {
    const Batch batch = Batch{orders, key_a}.create(R"({"id":"1"})").read("1");
    EXPECT_TRUE(cannot_read(batch, {.body = R"([{"statusCode":201}])"}));
    EXPECT_TRUE(cannot_read(batch, {.body = R"([{"statusCode":409},{"statusCode":424}])"}));
    EXPECT_TRUE(cannot_read(batch, {.body = "<html>"}));
}

TEST(Batch, is_told_apart_by_an_item_of_its_own) {
    const Batch batch =
        Batch{orders, key_a}.create(R"({"id":"1"})").marked_by(R"({"id":"job-1","pk":"A"})");
    const std::string marker =
        R"({"id":"job-1","pk":"A","perdure_writer":")" + std::string{call_id} + "\"}";
    EXPECT_NE(body_of(batch).find(R"("resourceBody":)" + marker + "}]"), std::string::npos);

    const auto done = answered(batch, {.body = R"([{"statusCode":201},{"statusCode":201}])"});
    ASSERT_TRUE(done);
    EXPECT_EQ(done->results.size(), 1u);

    ASSERT_TRUE(batch.has_question());
    EXPECT_NE(told(*batch.question()).find("/docs/job-1\n"), std::string::npos);
    auto landed = batch.landed(there(marker), these_facts);
    ASSERT_EQ(landed.verdict(), Verdict::yes);
    EXPECT_TRUE(landed.value().found_out);
    EXPECT_EQ(batch.landed(std::nullopt, these_facts).verdict(), Verdict::pending);
    EXPECT_EQ(batch.landed(there(R"({"perdure_writer":"x"})"), these_facts).verdict(), Verdict::no);
    EXPECT_EQ(batch.landed(there(R"({"id":"job-1"})"), these_facts).verdict(), Verdict::unknown);
    EXPECT_FALSE((Batch{orders, key_a}.read("1").has_question()));
}

}  // namespace
}  // namespace perdure::cosmos
