// SPDX-License-Identifier: Apache-2.0
//
// What may be concluded from an item that was read to find out whether a write was done? Not more than
// the read can have seen.
#include <string>

#include "staged.hpp"

namespace perdure::cosmos {
namespace {

using chaos::FaultEnding;
using chaos::Strikes;

CreateOnce create_once(const std::string& id) { return {orders, item_json(id), PartitionKey{"A"}}; }

GatewayFault loses_answer(const std::string& method, std::uint64_t which) {
    return {.method = method,
            .resource = "docs",
            .from = which,
            .to = which,
            .strikes = Strikes::after_applying,
            .ending = FaultEnding::reset};
}
GatewayFault is_reset(const std::string& method) {
    return {.method = method, .resource = "docs", .ending = FaultEnding::reset};
}

class Questions : public BothWays {
protected:
    static std::size_t reads_of_items(Stage& stage) {
        (void)stage.told();
        std::size_t count = 0;
        for (const auto& one : stage.items()) count += one.method == "GET" ? 1u : 0u;
        return count;
    }
};
INSTANTIATE_TEST_SUITE_P(Both, Questions, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(Questions, that_find_nothing_prove_nothing_where_reads_promise_nothing) {
    const struct {
        chaos::GatewayConsistency level;
        Effect effect;
    } cases[] = {{chaos::GatewayConsistency::session, Effect::none},
                 {chaos::GatewayConsistency::strong, Effect::none},
                 {chaos::GatewayConsistency::bounded_staleness, Effect::unknown},
                 {chaos::GatewayConsistency::eventual, Effect::unknown}};
    for (const auto& [level, effect] : cases) {
        chaos::GatewayOptions account = account_of(1);
        account.consistency = level;
        Stage stage{account};
        Client client{stage.options_for()};
        stage->plan({is_reset("POST")});
        const auto made = ask(client, create_once("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, effect) << to_string(made.error());
    }
}

TEST_P(Questions, are_asked_with_what_this_client_has_seen_however_weak_its_reads_are) {
    Stage stage{account_of(1)};
    ClientOptions options = stage.options_for();
    options.consistency = Consistency::eventual;
    Client client{options};
    stage->plan({loses_answer("POST", 1)});
    const auto made = ask(client, create_once("1"), {.session = "0:1#1"});
    ASSERT_TRUE(made) << to_string(made.error());
    (void)stage.told();
    const auto question = stage.items().back();
    EXPECT_EQ(question.method, "GET");
    EXPECT_FALSE(question.session_token.empty());
    EXPECT_NE(question.session_token, "0:1#1");
}

TEST_P(Questions, whose_answer_comes_late_say_no_more_than_when_they_were_asked) {
    Stage stage{account_of(1)};
    ClientOptions options = stage.options_for();
    options.settle = 100ms;
    Client client{options};
    GatewayFault late{.method = "GET", .resource = "docs", .to = 1, .delay = 150ms};
    late.strikes = Strikes::after_applying;
    stage->plan({is_reset("POST"), late});
    const auto made = ask(client, create_once("1"));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::none) << to_string(made.error());
    EXPECT_GE(reads_of_items(stage), 2u);
}

TEST_P(Questions, that_find_anothers_item_need_not_wait_for_ones_own) {
    Stage stage{account_of(1)};
    ClientOptions options = stage.options_for();
    options.settle = 1h;
    Client client{options};
    ASSERT_TRUE(ask(client, create_once("1")));  // another call
    GatewayFault once = is_reset("POST");
    once.to = 1;
    stage->plan({once});
    const auto made = ask(client, create_once("1"));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().cause, Cause::conflict);
    EXPECT_EQ(made.error().effect, Effect::none) << to_string(made.error());
}

// "1" is another's. The answer to the creation of "2" is lost; "3" must never be tried.
TEST(QuestionsAfterAChange, are_about_the_request_as_it_is_now) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    ASSERT_TRUE(client.send(create_once("1")));
    GatewayFault first = is_reset("POST");
    first.to = 1;
    stage->plan({first, loses_answer("POST", 2)});  // of those that the first rule left
    CreateOnce request = create_once("1");
    int next = 2;
    const auto other_id = [&](const Failure&) {
        request = create_once(std::to_string(next++));
        return true;
    };
    const auto made = client.send(request, {.amend = other_id});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_TRUE(made->found_out);
    EXPECT_EQ(stage.times_written("2"), 1u);
    EXPECT_EQ(stage.times_written("3"), 0u);
}

TEST_P(Questions, that_find_a_write_done_give_no_etag_that_may_be_anothers) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    stage->plan({loses_answer("POST", 1)});
    const auto made = ask(client, create_once("1"));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_TRUE(made->found_out);
    EXPECT_EQ(made->etag, "");
    EXPECT_FALSE(ask(
        client, ReplaceItem{orders, "1", PartitionKey{"A"}, item_json("1")}.if_match(made->etag)));
    stage->plan({loses_answer("POST", 1)});
    const auto whole = ask(client, create_once("2").returning_item());
    ASSERT_TRUE(whole) << to_string(whole.error());
    EXPECT_TRUE(whole->found_out);
    EXPECT_NE(whole->etag, "");  // of the item that came with it
    EXPECT_NE(whole->json, "");
}

TEST_P(Questions, are_not_asked_about_half_an_answer_and_it_is_no_word_of_the_services) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    GatewayFault half = loses_answer("POST", 1);
    half.ending = FaultEnding::half_answer;
    stage->plan({half});
    const auto made = ask(client, create_of("1").returning_item());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error());
}

}  // namespace
}  // namespace perdure::cosmos
