// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/transact_get.hpp"
#include "perdure/dynamodb/transact_write.hpp"

#include <atomic>

#include "dynamodb/scripted_service.hpp"

namespace perdure::dynamodb {
namespace {

const std::string token = R"("ClientRequestToken":"11111111-2222-4333-8444-555555555555")";

TEST(TransactGet, names_its_items_one_by_one) {
    const auto both = TransactGet{}
                          .get("accounts", {{"pk", "a#1"}})
                          .get(GetItem{"audit", {{"pk", 7}}}.projection("#c").name("#c", "cents"))
                          .report_capacity();
    EXPECT_EQ(body(both),
              R"({"TransactItems":[{"Get":{"TableName":"accounts","Key":{"pk":{"S":"a#1"}}}},)"
              R"({"Get":{"TableName":"audit","Key":{"pk":{"N":"7"}},"ProjectionExpression":"#c",)"
              R"("ExpressionAttributeNames":{"#c":"cents"}}}],"ReturnConsumedCapacity":"TOTAL"})");
    EXPECT_EQ(both.safety(), Safety::read);
    EXPECT_EQ(both.table(), "accounts");
}

TEST(TransactGet, asks_of_no_single_item_what_only_a_single_request_can) {
    EXPECT_EQ(body(TransactGet{}.get(GetItem{"t", {{"pk", "a"}}}.consistent().report_capacity())),
              R"({"TransactItems":[{"Get":{"TableName":"t","Key":{"pk":{"S":"a"}}}}]})");
}

TEST(TransactGet, gives_answers_in_the_order_of_the_questions) {
    const auto three =
        TransactGet{}.get("t", {{"pk", 1}}).get("t", {{"pk", 2}}).get("t", {{"pk", 3}});
    const auto got =
        read(three, R"({"Responses":[{"Item":{"pk":{"N":"1"}}},{},{"Item":{"pk":{"N":"3"}}}],)"
                    R"("ConsumedCapacity":[{"CapacityUnits":4},{"CapacityUnits":2.5}]})");
    ASSERT_TRUE(got) << to_string(got.error());
    ASSERT_EQ(got->items.size(), 3u);
    EXPECT_EQ(got->items[0], (Item{{"pk", 1}}));
    EXPECT_FALSE(got->items[1]);
    EXPECT_EQ(got->items[2], (Item{{"pk", 3}}));
    EXPECT_DOUBLE_EQ(got->capacity, 6.5);
    for (const char* const json :
         {"{}", R"({"Responses":[{},{}]})", R"({"Responses":[{},{},{},{}]})", R"({"Responses":{}})",
          R"({"Responses":[{"Item":1},{},{}]})"})
        EXPECT_TRUE(refuses(three, json)) << json;
}

TEST(TransactWrite, says_what_every_action_is) {
    const auto write = TransactWrite{}
                           .put(PutItem{"orders", {{"pk", "o#1"}}}.condition("version = version"))
                           .update(UpdateItem{"accounts", {{"pk", "a#1"}}}
                                       .update("ADD #c :less")
                                       .condition("#c >= :sum")
                                       .name("#c", "cents")
                                       .value(":less", -100)
                                       .value(":sum", 100))
                           .remove(DeleteItem{"baskets", {{"pk", "b#1"}}}.old_item_when_refused())
                           .check(CheckItem{"owners", {{"pk", "x"}}, "#s = :open"}
                                      .name("#s", "state")
                                      .value(":open", "open")
                                      .old_item_when_refused())
                           .report_capacity();
    EXPECT_EQ(body(write),
              R"({"TransactItems":[{"Put":{"TableName":"orders","Item":{"pk":{"S":"o#1"}},)"
              R"("ConditionExpression":"version = version"}},)"
              R"({"Update":{"TableName":"accounts","Key":{"pk":{"S":"a#1"}},)"
              R"("UpdateExpression":"ADD #c :less","ConditionExpression":"#c >= :sum",)"
              R"("ExpressionAttributeNames":{"#c":"cents"},)"
              R"("ExpressionAttributeValues":{":less":{"N":"-100"},":sum":{"N":"100"}}}},)"
              R"({"Delete":{"TableName":"baskets","Key":{"pk":{"S":"b#1"}},)"
              R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},)"
              R"({"ConditionCheck":{"TableName":"owners","Key":{"pk":{"S":"x"}},)"
              R"("ConditionExpression":"#s = :open","ExpressionAttributeNames":{"#s":"state"},)"
              R"("ExpressionAttributeValues":{":open":{"S":"open"}},)"
              R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}],)" +
                  token + R"(,"ReturnConsumedCapacity":"TOTAL"})");
    EXPECT_EQ(write.safety(), Safety::guarded);
    EXPECT_EQ(write.table(), "orders");
    EXPECT_EQ(write.size(), 4u);
}

TEST(TransactWrite, asks_of_no_action_what_only_a_single_request_can) {
    EXPECT_EQ(
        body(TransactWrite{}.put(PutItem{"t", {{"pk", "a"}}}.returns_old().report_capacity())),
        R"({"TransactItems":[{"Put":{"TableName":"t","Item":{"pk":{"S":"a"}}}}],)" + token + "}");
    EXPECT_EQ(body(TransactWrite{}.update(UpdateItem{"t", {{"pk", "a"}}}
                                              .update("REMOVE b")
                                              .returns(Returns::all_new)
                                              .report_capacity())),
              R"({"TransactItems":[{"Update":{"TableName":"t","Key":{"pk":{"S":"a"}},)"
              R"("UpdateExpression":"REMOVE b"}}],)" +
                  token + "}");
}

TEST(TransactWrite, takes_a_token_of_the_caller_s) {
    const auto one = [] { return TransactWrite{}.remove(DeleteItem{"t", {{"pk", "a"}}}); };
    EXPECT_NE(body(one().token("order-7")).find(R"("ClientRequestToken":"order-7")"),
              std::string::npos);
    for (const std::string& bad : {std::string{}, std::string(37, 'x')})
        EXPECT_EQ(body(one().token(bad)), "refused: a transaction's token has 1 to 36 characters");
    EXPECT_EQ(body(one().token("a b")), "refused: a transaction's token is made of visible ASCII");
}

TEST(TransactWrite, has_one_to_a_hundred_actions) {
    TransactWrite many;
    EXPECT_EQ(body(many), "refused: a transaction needs at least one action");
    for (int i = 0; i < 100; ++i) many.put(PutItem{"t", {{"pk", i}}});
    EXPECT_EQ(body(many).substr(0, 18), R"({"TransactItems":[)");
    many.put(PutItem{"t", {{"pk", 100}}});
    EXPECT_EQ(body(many), "refused: a transaction has at most 100 actions, this one has 101");
}

TEST(TransactWrite, names_the_action_that_cannot_be_sent) {
    EXPECT_EQ(body(TransactWrite{}
                       .put(PutItem{"t", {{"pk", "a"}}})
                       .check(CheckItem{"t", {{"pk", "b"}}, ""})),
              "refused: action 1: a check needs a condition");
    EXPECT_EQ(body(TransactWrite{}.put(PutItem{"", {{"pk", "a"}}})),
              "refused: action 0: the table has no name");
    EXPECT_EQ(body(TransactGet{}.get("t", {})),
              "refused: action 0: a key has one or two attributes");
}

TEST(TransactWrite, reads_what_it_cost) {
    const auto one = TransactWrite{}.remove(DeleteItem{"t", {{"pk", "a"}}});
    const auto done =
        read(one, R"({"ConsumedCapacity":[{"CapacityUnits":2},{"CapacityUnits":3}]})");
    ASSERT_TRUE(done);
    EXPECT_DOUBLE_EQ(done->capacity, 5);
    EXPECT_TRUE(read(one, "{}"));
    EXPECT_TRUE(refuses(one, "<html>"));
    EXPECT_TRUE(refuses(one, R"({"ConsumedCapacity":{"CapacityUnits":2}})"));
}

TEST(TransactWrite, is_repeated_with_the_same_token_when_its_answer_is_lost) {
    std::atomic<int> asked = 0;
    Service service{[&](const Told&) { return ++asked == 1 ? http::status(500) : said("{}"); }, 3};
    const auto done = service.client().send(TransactWrite{}.put(PutItem{"t", {{"pk", "a"}}}));
    ASSERT_TRUE(done) << to_string(done.error());
    const auto heard = service.heard();
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0].body, heard[1].body);
}

TEST(TransactWrite, cancelled_after_a_lost_answer_does_not_claim_that_nothing_was_done) {
    std::atomic<int> asked = 0;
    Service service{[&](const Told&) {
                        return ++asked == 1 ? http::status(500)
                                            : refused_reply("TransactionCanceledException",
                                                            R"(,"CancellationReasons":[{"Code":)"
                                                            R"("ConditionalCheckFailed"}])");
                    },
                    3};
    const auto done = service.client().send(TransactWrite{}.put(PutItem{"t", {{"pk", "a"}}}));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::conflict);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_EQ(service.heard().size(), 2u);
}

TEST(TransactWrite, says_why_it_was_cancelled_action_by_action) {
    Service service{[](const Told&) {
        return http::status(
            400, R"({"__type":"x#TransactionCanceledException","Message":"no",)"
                 R"("CancellationReasons":[{"Code":"None"},{"Code":"ConditionalCheckFailed",)"
                 R"("Message":"it failed","Item":{"pk":{"S":"b"}}}]})");
    }};
    ServiceError error;
    CallOptions options;
    options.error = &error;
    const auto done = service.client().send(TransactWrite{}
                                                .put(PutItem{"t", {{"pk", "a"}}})
                                                .check(CheckItem{"t", {{"pk", "b"}}, "n = n"}),
                                            options);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::conflict);
    EXPECT_EQ(done.error().effect, Effect::none);
    ASSERT_EQ(error.cancellation.size(), 2u);
    EXPECT_EQ(error.cancellation[1].code, "ConditionalCheckFailed");
    EXPECT_EQ(error.cancellation[1].item, (Item{{"pk", "b"}}));
}

}  // namespace
}  // namespace perdure::dynamodb
