// SPDX-License-Identifier: Apache-2.0
//
// Where does a call go when one endpoint fails, or is slow?
#include "http/asking.hpp"

#include <atomic>

namespace perdure::http {
namespace {

class SeveralEndpoints : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, SeveralEndpoints, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

Reply answer(const Seen&) { return ok("here"); }
Reply never_answer(const Seen&) { return held(ok("late")); }

std::string url_of_nobody() { return Server{}.url(); }

TEST_P(SeveralEndpoints, are_tried_in_turn_and_the_failed_one_is_marked) {
    const std::string nobody = url_of_nobody();
    Server second{answer};
    Client client{{nobody, second.url()}, repeating(3)};
    EXPECT_EQ(ask(client, Request::get("/"))->body, "here");
    EXPECT_TRUE(client.endpoints().marked(nobody, system_clock().now()));
    Diagnostics diagnostics;
    EXPECT_TRUE(ask(client, Request::get("/"), {.diagnostics = &diagnostics}));
    EXPECT_EQ(diagnostics.attempts().size(), 1u) << "nobody is asked any more";
    EXPECT_EQ(second.requests(), 2);
}

TEST_P(SeveralEndpoints, are_given_a_post_elsewhere_only_when_nothing_was_sent) {
    Server first{[](const Seen&) { return Reply{"", Then::reset}; }};
    Server second{answer};
    Client sent{{first.url(), second.url()}, repeating(3)};
    const auto got = ask(sent, Request::post("/").body("x"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().stop, Stop::unsafe);
    EXPECT_EQ(second.requests(), 0);

    Client unsent{{url_of_nobody(), second.url()}, repeating(3)};
    EXPECT_TRUE(ask(unsent, Request::post("/").body("x")));
    EXPECT_EQ(second.requests(), 1);
}

TEST_P(SeveralEndpoints, are_marked_after_several_failures_in_a_row) {
    Server slow{never_answer};
    Server second{answer};
    ClientOptions options =
        plain({.name = "slow", .deadline = 2s, .attempt_timeout = 100ms, .rule = {.attempts = 1}});
    options.endpoints.failures_to_mark = 2;  // two calls are enough to show it
    Client client{{slow.url(), second.url()}, options};
    EXPECT_EQ(ask(client, Request::get("/")).error().code, "first-byte-timeout");
    EXPECT_FALSE(client.endpoints().marked(slow.url(), system_clock().now()));
    EXPECT_FALSE(ask(client, Request::get("/")));
    EXPECT_TRUE(client.endpoints().marked(slow.url(), system_clock().now()));
    EXPECT_TRUE(ask(client, Request::get("/")));
}

ClientOptions hedging(double tokens = 10) {
    ClientOptions options = plain({.name = "hedged",
                                   .deadline = 5s,
                                   .rule = {.attempts = 1},
                                   .budget = {.kind = BudgetKind::fixed, .capacity = tokens},
                                   .hedge = HedgeOptions{.after = 20ms}});
    return options;
}

TEST_P(SeveralEndpoints, get_a_copy_of_a_slow_read_and_the_loser_is_cut_off_on_the_wire) {
    Server slow{never_answer};
    Server second{answer};
    Client client{{slow.url(), second.url()}, hedging()};
    Diagnostics diagnostics;
    const auto got = ask(client, Request::get("/"), {.diagnostics = &diagnostics});
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "here");
    EXPECT_TRUE(slow.becomes([&] { return slow.reset() == 1; }));
    EXPECT_EQ(client.caller().budget().milli_left(), 10'000) << "a copy that wins costs nothing";
    ASSERT_EQ(diagnostics.attempts().size(), 2u);
    EXPECT_TRUE(diagnostics.attempts()[0].cut_off);
    EXPECT_EQ(diagnostics.attempts()[0].phases.value().reached, Phase::first_byte);
    EXPECT_TRUE(diagnostics.attempts()[1].hedge);
    EXPECT_TRUE(diagnostics.attempts()[1].succeeded);
    EXPECT_EQ(client.connections().in_use, 0);
}

TEST_P(SeveralEndpoints, get_no_copy_of_a_write_nor_one_that_cannot_be_paid) {
    Server first{never_answer};
    Server second{answer};
    Client client{{first.url(), second.url()}, hedging()};
    const SendOptions soon{.deadline = Deadline::in(60ms, system_clock().now())};
    EXPECT_FALSE(ask(client, Request::post("/").body("x"), soon));
    Client poor{{first.url(), second.url()}, hedging(1)};
    EXPECT_FALSE(
        ask(poor, Request::get("/"), {.deadline = Deadline::in(60ms, system_clock().now())}));
    EXPECT_EQ(second.requests(), 0);
}

TEST_P(SeveralEndpoints, that_race_are_all_cut_off_when_the_caller_gives_up) {
    std::stop_source stop;
    Server slow{never_answer};
    Server second{[&](const Seen&) {
        stop.request_stop();
        return held(ok());
    }};
    Client client{{slow.url(), second.url()}, hedging()};
    const auto got = ask(client, Request::get("/"), {.stop = stop.get_token()});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().stop, Stop::cancelled);
    EXPECT_EQ(got.error().cause, Cause::cancelled);
    EXPECT_TRUE(slow.becomes([&] { return slow.reset() == 1; }));
    EXPECT_TRUE(second.becomes([&] { return second.reset() == 1; }));
}

TEST_P(SeveralEndpoints, are_redirected_from_where_the_answer_came) {
    std::atomic<Server*> first_server = nullptr;
    Server second{[&](const Seen&) {
        first_server.load()->release();  // once the copy is under way, the first one answers
        return held(ok("wrong"));
    }};
    Server first{[](const Seen& seen) {
        return seen.target == "/new" ? ok("right") : held(status(302, "", "Location: /new\r\n"));
    }};
    first_server = &first;
    ClientOptions options = hedging();
    options.redirects = 1;
    Client client{{first.url(), second.url()}, options};
    const auto got = ask(client, Request::get("/old"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "right");
}

TEST_P(SeveralEndpoints, that_come_with_a_refresh_are_used) {
    Server first{answer}, second{answer};
    Client client{first.url(), plain()};
    ASSERT_TRUE(ask(client, Request::get("/")));
    client.endpoints().refresh({second.url()});
    ASSERT_TRUE(ask(client, Request::get("/")));
    EXPECT_EQ(second.requests(), 1);
    EXPECT_EQ(client.connections().idle, 1);
}

}  // namespace
}  // namespace perdure::http
