// SPDX-License-Identifier: Apache-2.0
//
// What may be concluded from an item that was read to find out whether a write was done? Not more than
// the read can have seen.
#include <string>

#include "cosmos/quorum.hpp"
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

constexpr std::string_view strategy = "x-ms-cosmos-read-consistency-strategy";
constexpr chaos::GatewayConsistency levels[] = {
    chaos::GatewayConsistency::strong, chaos::GatewayConsistency::bounded_staleness,
    chaos::GatewayConsistency::session, chaos::GatewayConsistency::consistent_prefix,
    chaos::GatewayConsistency::eventual};

// One replica of a region may be behind; a quorum is not. Strong accounts read more than that already.
TEST_P(Questions, read_a_quorum_whatever_the_level_and_are_believed_when_they_find_nothing) {
    for (const auto level : levels) {
        SCOPED_TRACE(static_cast<int>(level));
        chaos::GatewayOptions account = account_of(1);
        account.consistency = level;
        account.record_headers = {std::string{strategy}, "x-ms-consistency-level"};
        Stage stage{account};
        ClientOptions options = stage.options_for();
        options.consistency = Consistency::eventual;  // of reads; a question is none of these
        Client client{options};
        stage->plan({is_reset("POST")});
        const auto made = ask(client, create_once("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, Effect::none) << to_string(made.error());
        (void)stage.told();
        auto questions = stage.items();
        std::erase_if(questions, [](const auto& one) { return one.method != "GET"; });
        ASSERT_FALSE(questions.empty());
        const auto& question = questions.back();
        EXPECT_EQ(question.status, 404);
        const bool strong = level == chaos::GatewayConsistency::strong;
        using Sent = std::vector<std::pair<std::string, std::string>>;
        EXPECT_EQ(question.headers,
                  strong ? Sent{} : (Sent{{std::string{strategy}, "LatestCommitted"}}));
    }
}

// It is not known which level the account has, nor whether this server knows LatestCommitted.
TEST_P(Questions,
       are_not_believed_when_they_find_nothing_at_an_address_whose_account_is_not_known) {
    for (const auto level : levels) {
        chaos::GatewayOptions account = account_of(1);
        account.consistency = level;
        Stage stage{account};
        ClientOptions options = stage.options_for();
        options.discovery = Discovery::endpoint_only;
        Client client{options};
        stage->plan({is_reset("POST")});
        const auto made = ask(client, create_once("1"));
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().effect, Effect::unknown) << to_string(made.error());
    }
}

TEST(QuorumReads, are_those_of_an_accounts_own_gateway_or_of_a_level_that_needs_no_help) {
    using enum Consistency;
    constexpr std::string_view own = "acct.documents.azure.com";
    constexpr std::string_view dedicated = "acct.sqlx.cosmos.azure.com";
    for (const Consistency level :
         {strong, bounded_staleness, session, consistent_prefix, eventual}) {
        EXPECT_TRUE(reads_a_quorum(Discovery::whole_account, own, level));
        EXPECT_EQ(reads_a_quorum(Discovery::whole_account, dedicated, level),
                  level == strong || level == bounded_staleness);
        EXPECT_FALSE(reads_a_quorum(Discovery::endpoint_only, own, level));
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
