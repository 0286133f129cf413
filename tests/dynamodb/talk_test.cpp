// SPDX-License-Identifier: Apache-2.0
//
// What does a call make of words that come at a bad moment: to a copy, to a question, from somebody who
// is not the service, or about a call that began long ago?
#include "dynamodb/talking.hpp"

#include <atomic>
#include <thread>

#include "perdure/dynamodb/counted.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/delete_item.hpp"
#include "perdure/dynamodb/transact_write.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/http/date.hpp"

namespace perdure::dynamodb {
namespace {

class Talks : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Talks, ::testing::Values(Way::blocking, Way::coroutine), name_of);

UpdateItem add_one() {
    return UpdateItem{"visits", {{"pk", "home"}}}.update("ADD n :one").value(":one", 1);
}

TransactWrite one_put() {
    return TransactWrite{}.put(PutItem{"orders", {{"pk", "a"}}}).token("kept-over-a-restart");
}

// Both copies were signed by the same wrong clock, and the first answer sets it right.
TEST_P(Talks, judge_each_copy_by_the_clock_it_was_signed_with) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) {
        const std::string date = "Date: " + http::http_date(system_clock().wall() + 1h) + "\r\n";
        const Reply late = http::status(
            400, R"({"__type":"x#InvalidSignatureException","message":"Signature expired"})", date);
        const int number = ++asked;
        if (number == 1) return http::held(late);
        return number == 2 ? late : said("{}", date);
    }};
    Plan plan = quick();
    plan.hedge = HedgeOptions{.after = 10ms};
    Client client{talking_to(server, plan)};
    std::jthread helper{[&] {
        EXPECT_TRUE(server.becomes([&] { return asked >= 2; }));
        server.release();
    }};
    const auto got = ask(client, GetItem{"orders", {{"pk", "a"}}});
    EXPECT_TRUE(got) << to_string(got.error());
}

// Gives other keys once the first are refused.
class TwoKeys final : public Credentials {
public:
    std::shared_ptr<const Keys> current(WallTime) override {
        return std::make_shared<const Keys>(renewed == 0 ? "OLD" : "NEW", "the-secret");
    }
    void renew(const Keys& expired) override {
        EXPECT_EQ(expired.id, "OLD");
        ++renewed;
    }
    std::optional<Failure> problem() const override { return {}; }
    std::atomic<int> renewed = 0;
};

TEST_P(Talks, fetch_new_keys_for_a_question_too) {
    Server server{[](const Seen& seen) {
        if (operation_of(seen) == "UpdateItem") return lost();
        const bool old = seen.header("authorization").find("=OLD/") != std::string::npos;
        return old ? refused_reply("ExpiredTokenException") : said("{}");
    }};
    ClientOptions options = talking_to(server);
    const auto keys = std::make_shared<TwoKeys>();
    options.credentials = keys;
    Client client{options};
    const auto done =
        ask(client, add_one().landed([](const std::optional<Item>&) { return Verdict::yes; }));
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_TRUE(done->found_out);
    EXPECT_EQ(keys->renewed, 1);
    EXPECT_EQ(server.seen().size(), 3u);
}

// A page for logging in says nothing about a write; the service's own broken words do.
TEST_P(Talks, take_a_200_for_done_only_from_the_service) {
    const struct {
        std::string_view headers;
        Effect effect;
    } cases[] = {
        {"Content-Type: text/html\r\n", Effect::unknown},
        {"Content-Type: text/html\r\nx-amzn-RequestId: ABC\r\n", Effect::applied},
        {"Content-Type: application/x-amz-json-1.0\r\n", Effect::applied},
    };
    for (const auto& [headers, effect] : cases) {
        Server server{[&](const Seen&) { return said("<html>", headers); }};
        Client client{talking_to(server)};
        const auto done = ask(client, add_one());
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, "unreadable-answer");
        EXPECT_EQ(done.error().effect, effect) << headers;
        EXPECT_EQ(server.seen().size(), 1u);
    }
}

// The token may be that of an earlier process, whose transaction is about to be done.
TEST_P(Talks, do_not_call_a_transaction_undone_that_is_in_progress) {
    Server server{[](const Seen&) { return refused_reply("TransactionInProgressException"); }};
    Plan plan = quick(2);
    for (NamedRule& named : plan.rules) named.rule.not_before_giving_up = {};
    Client client{talking_to(server, plan)};
    const auto done = ask(client, one_put());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::throttled);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_GT(server.seen().size(), 1u);
}

TEST(Requests, are_not_repeated_for_longer_than_their_token_is_remembered) {
    EXPECT_EQ(one_put().lasts(), 10min);
    EXPECT_EQ((Counted{"visits", {{"pk", "home"}}, "n"}.lasts()), 10s);
    Server server{[](const Seen&) { return http::status(500); }};
    Plan plan = quick(0);
    plan.deadline = 1h;
    plan.rule.backoff = {.base = 20ms, .cap = 20ms};
    plan.budget = {.kind = BudgetKind::none};  // which would end it before the token does
    Client client{talking_to(server, plan)};
    const auto done = client.send(Counted{"visits", {{"pk", "home"}}, "n"}.window(1s));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().stop, Stop::deadline);
    EXPECT_EQ(done.error().effect, Effect::unknown);
    EXPECT_LT(done.error().elapsed, 1s);
}

TEST(Requests, are_refused_when_they_deny_what_they_are) {
    std::string body;
    const CallFacts facts{.id = "me"};
    EXPECT_FALSE(add_one().safety(Safety::read).append_body(body, facts));
    EXPECT_FALSE((PutItem{"t", {{"pk", "a"}}}.safety(Safety::read).append_body(body, facts)));
    EXPECT_FALSE((DeleteItem{"t", {{"pk", "a"}}}.safety(Safety::read).append_body(body, facts)));
    EXPECT_TRUE(add_one().safety(Safety::idempotent).append_body(body, facts));
    const CreateOnce create{"t", {{"pk", "a"}}, {"pk"}};
    EXPECT_FALSE(CreateOnce{create}.token("").append_body(body, facts));
    EXPECT_TRUE(CreateOnce{create}.token("mine").append_body(body, facts));
}

}  // namespace
}  // namespace perdure::dynamodb
