// SPDX-License-Identifier: Apache-2.0
//
// Whose write was it? What the marker says, for one item and for a batch.
#include "cosmos/describing.hpp"
#include "cosmos/orders.hpp"
#include "perdure/cosmos/replace_versioned.hpp"

namespace perdure::cosmos {
namespace {

const PartitionKey shelf{"A"};
const std::string text = R"({"id":"o-1"})";
const std::string mine = R"({"id":"o-1","perdure_writer":")" + std::string{call_id} + "\"}";
const std::string replaced = R"({"id":"o-1","perdure_replaced":")" + std::string{call_id} + "\"}";
const std::string anothers = R"({"id":"o-1","perdure_writer":"somebody"})";

TEST(Marked, items_carry_the_call_as_a_property) {
    EXPECT_EQ(body_of(CreateOnce{orders, text, shelf}), mine);
    EXPECT_EQ(body_of(CreateOnce{orders, text, shelf}.marker("by").token("me")),
              R"({"id":"o-1","by":"me"})");
    EXPECT_EQ(body_of(ReplaceVersioned{orders, "o-1", shelf, text, "e"}), replaced);
    EXPECT_NE(told(ReplaceVersioned{orders, "o-1", shelf, text, "\"e\""}).find("If-Match: \"e\"\n"),
              std::string::npos);
}

TEST(Marked, items_have_one_marker_however_often_they_are_written) {
    EXPECT_EQ(body_of(ReplaceVersioned{orders, "o-1", shelf, replaced, "e"}), replaced);
    const std::string both = body_of(ReplaceVersioned{orders, "o-1", shelf, mine, "e"});
    EXPECT_EQ(both.find(mine.substr(0, mine.size() - 1)), 0u) << "a creation's survives: " << both;
    EXPECT_EQ(body_of(CreateOnce{orders, anothers, shelf}), mine);
    EXPECT_EQ(body_of(CreateOnce{orders, R"({"perdure_writer" : [1] ,"id":"o-1"})", shelf}),
              R"({"perdure_writer" : ")" + std::string{call_id} + R"(" ,"id":"o-1"})");
}

TEST(Marked, creations_know_their_own) {
    const CreateOnce request{orders, text, shelf};
    ASSERT_TRUE(request.question());
    EXPECT_NE(told(*request.question()).find("GET /dbs/shop/colls/orders/docs/o-1"),
              std::string::npos);
    const auto verdict = [&](std::optional<Item> now) {
        return request.landed(std::move(now), these_facts).verdict();
    };
    EXPECT_EQ(verdict(there(mine)), Verdict::yes);
    EXPECT_EQ(verdict(there(anothers)), Verdict::no);
    EXPECT_EQ(verdict(there(text)), Verdict::unknown);
    EXPECT_EQ(verdict(std::nullopt), Verdict::pending);

    auto found = request.landed(there(mine, "\"e2\""), these_facts);
    EXPECT_TRUE(found.value().found_out);
    EXPECT_TRUE(found.value().etag.empty());
    EXPECT_TRUE(found.value().created);
    EXPECT_TRUE(found.value().json.empty());
    const CreateOnce asks = CreateOnce{orders, text, shelf}.returning_item();
    EXPECT_EQ(asks.landed(there(mine), these_facts).value().json, mine);
}

TEST(Marked, creations_with_a_token_ask_whether_they_were_done_before) {
    const CreateOnce plain{orders, text, shelf};
    EXPECT_FALSE(plain.takes({409}));
    const CreateOnce again = CreateOnce{orders, text, shelf}.token("job-7");
    EXPECT_TRUE(again.takes({409}));
    EXPECT_FALSE(again.takes({409, 3302}));
    const auto refused = answered(again, {.status = 409});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::conflict);
    EXPECT_EQ(refused.error().effect, Effect::unknown);
    EXPECT_EQ(again.landed(there(R"({"perdure_writer":"job-7"})"), these_facts).verdict(),
              Verdict::yes);
    EXPECT_EQ(again.landed(there(mine), these_facts).verdict(), Verdict::no);
}

TEST(Marked, replacements_know_their_own_and_the_version_they_meant) {
    const ReplaceVersioned request{orders, "o-1", shelf, text, "\"old\""};
    const auto verdict = [&](std::optional<Item> now) {
        return request.landed(std::move(now), these_facts).verdict();
    };
    EXPECT_EQ(verdict(there(replaced, "\"new\"")), Verdict::yes);
    EXPECT_EQ(verdict(there(mine, "\"new\"")), Verdict::unknown) << "a creation's";
    EXPECT_EQ(verdict(there(anothers, "\"old\"")), Verdict::pending);
    // Another has written since: before us, or over us?
    EXPECT_EQ(verdict(there(anothers, "\"new\"")), Verdict::unknown);
    EXPECT_EQ(verdict(there(text, "\"new\"")), Verdict::unknown);
    EXPECT_EQ(verdict(std::nullopt), Verdict::unknown);
}

}  // namespace
}  // namespace perdure::cosmos
