// SPDX-License-Identifier: Apache-2.0
//
// Which connection does a request go over, how long may it take to get one, and what becomes of it?
#include "http/asking.hpp"

#include <atomic>
#include <optional>

namespace perdure::http {
namespace {

using testing::make_identity;
using testing::make_server;
using testing::PemFile;

class Connections : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Connections, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(Connections, that_were_closed_while_idle_are_not_used_again) {
    Server server;
    Client client{server.url(), plain()};
    ASSERT_TRUE(ask(client, Request::get("/")));
    server.end_all(Then::close);
    const auto got = ask(client, Request::post("/").body("once"));
    EXPECT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(server.requests(), 2);
    EXPECT_EQ(server.connections(), 2);
}

TEST_P(Connections, that_break_under_a_post_bring_it_to_the_server_once) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked == 1 ? ok() : Reply{"", Then::reset}; }};
    Client client{server.url(), repeating(4)};
    ASSERT_TRUE(ask(client, Request::get("/")));
    const auto got = ask(client, Request::post("/").body("once"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().effect, Effect::unknown);
    EXPECT_EQ(got.error().stop, Stop::unsafe);
    EXPECT_EQ(asked, 2) << "not a second time, not even on a stale connection";
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(Connections, that_broke_are_followed_by_a_fresh_one_and_the_others_stay) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked == 1 ? Reply{"", Then::reset} : ok(); }};
    Client client{server.url(), repeating(2)};
    ASSERT_EQ(*client.prewarm(3), 3);
    ASSERT_TRUE(ask(client, Request::get("/")));
    EXPECT_EQ(server.connections(), 4) << "the repeat does not trust one that waited as long";
    EXPECT_EQ(client.connections().idle, 2);
}

TEST_P(Connections, that_the_server_ends_with_its_answer_are_not_kept) {
    Server server{[](const Seen& seen) {
        return seen.target == "/close" ? Reply{ok("x", "Connection: close\r\n").bytes, Then::close}
                                       : Reply{ok("x").bytes + "HTTP/1.1 200 Extra\r\n"};
    }};
    Client client{server.url(), plain()};
    EXPECT_TRUE(ask(client, Request::get("/close")));
    EXPECT_EQ(client.connections().idle, 0);
    EXPECT_TRUE(ask(client, Request::get("/more")));
    EXPECT_EQ(client.connections().idle, 0) << "more came than was asked for";
}

TEST_P(Connections, are_as_many_as_allowed_and_who_finds_none_free_in_time_has_done_nothing) {
    Server server{[](const Seen&) { return held(ok()); }};
    ClientOptions options = plain({.name = "full",
                                   .deadline = 4s,
                                   .attempt_timeout = 3s,
                                   .set_up = 40ms,
                                   .rule = {.attempts = 1}});
    options.pool.max_connections = 1;
    Client client{server.url(), options};
    std::optional<Result<Response>> first;
    std::jthread holder{[&] { first = client.send(Request::get("/first")); }};
    ASSERT_TRUE(server.becomes([&] { return server.requests() == 1; }));
    Diagnostics diagnostics;
    const auto got = ask(client, Request::post("/").body("x"), {.diagnostics = &diagnostics});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::exhausted);
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(got.error().code, "pool-full");
    EXPECT_EQ(diagnostics.attempts().at(0).phases->reached, Phase::pool);
    EXPECT_EQ(client.connections().waiting, 0);
    server.release();
    holder.join();
    EXPECT_TRUE(*first);
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(Connections, are_handed_over_to_those_who_wait) {
    Server server{[](const Seen& seen) { return seen.target == "/first" ? held(ok()) : ok(); }};
    ClientOptions options = plain();
    options.pool.max_connections = 1;
    Client client{server.url(), options};
    std::jthread holder{[&] { EXPECT_TRUE(client.send(Request::get("/first"))); }};
    ASSERT_TRUE(server.becomes([&] { return server.requests() == 1; }));
    std::jthread letter{[&] {
        server.becomes([&] { return client.connections().waiting == 1; });
        server.release();
    }};
    EXPECT_TRUE(ask(client, Request::get("/second")));
    EXPECT_EQ(server.connections(), 1);
}

TEST_P(Connections, that_nobody_uses_are_closed_by_themselves) {
    Server server;
    ClientOptions options = plain();
    options.pool.idle_for = 1ms;
    Client client{server.url(), options};
    ASSERT_TRUE(ask(client, Request::get("/")));
    EXPECT_TRUE(server.becomes([&] { return server.closed() == 1; }));
    EXPECT_EQ(client.connections().idle, 0);
}

TEST_P(Connections, end_with_their_client) {
    Server server;
    {
        Client client{server.url(), plain()};
        ASSERT_TRUE(ask(client, Request::get("/")));
        EXPECT_EQ(*client.prewarm(3), 3);
    }
    EXPECT_TRUE(server.becomes([&] { return server.closed() == 3; }));
}

TEST(Prewarming, connects_and_shakes_hands_so_that_no_request_pays_for_it) {
    const auto identity = make_identity("IP:127.0.0.1");
    const auto context = make_server(identity);
    const PemFile trusted{identity};
    Server server{[](const Seen&) { return ok(); }, {.tls = context.get()}};
    ClientOptions options = plain();
    options.tls.ca_file = trusted.path();
    options.pool.max_connections = 5;
    Client client{server.url(), options};
    const auto warmed = client.prewarm(8);
    ASSERT_TRUE(warmed) << to_string(warmed.error());
    EXPECT_EQ(*warmed, 5) << "no more than the pool may hold";
    EXPECT_EQ(*client.prewarm(2), 5);
    Diagnostics diagnostics;
    ASSERT_TRUE(client.send(Request::get("/"), {.diagnostics = &diagnostics}));
    EXPECT_TRUE(diagnostics.attempts().at(0).phases->reused);
    EXPECT_EQ(server.connections(), 5);
}

TEST(Prewarming, says_why_it_could_not) {
    std::string url;
    {
        const Server gone;
        url = gone.url();
    }
    Client client{url, plain()};
    EXPECT_EQ(client.prewarm(2).error().code, "ECONNREFUSED");
    EXPECT_EQ(*client.prewarm(0), 0);
}

// A server that lets a handshake wait, and a client that trusts it.
class SlowHandshake : public BothWays {
protected:
    Client& client(Plan plan) {
        ClientOptions options = plain(std::move(plan));
        options.tls.ca_file = trusted_.path();
        return client_.emplace(server_.url(), options);
    }
    static constexpr Duration shaking = 150ms;

private:
    testing::Identity identity_ = make_identity("IP:127.0.0.1");
    testing::ServerContext context_ = make_server(identity_);
    PemFile trusted_{identity_};
    Server server_{[](const Seen&) { return ok(); },
                   {.tls = context_.get(), .shake_after = shaking}};
    std::optional<Client> client_;
};
INSTANTIATE_TEST_SUITE_P(Both, SlowHandshake, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(SlowHandshake, does_not_eat_the_attempt_timeout_nor_look_like_a_slow_service) {
    Client& slow = client({.name = "tls",
                           .deadline = 5s,
                           .attempt_timeout = 120ms,
                           .set_up = 3s,
                           .rule = {.attempts = 1}});
    Diagnostics diagnostics;
    const auto got = ask(slow, Request::get("/"), {.diagnostics = &diagnostics});
    ASSERT_TRUE(got) << to_string(got.error());
    const AttemptRecord record = diagnostics.attempts().at(0);
    EXPECT_GE(record.phases.value()[Phase::tls], shaking - 1ms);
    EXPECT_GE(record.took, shaking - 1ms);
    EXPECT_EQ(slow.caller().latencies().count(), 1u);
    EXPECT_LT(slow.caller().latencies().quantile(1.0), 130ms) << "only the request's part";
}

TEST_P(SlowHandshake, ends_by_the_limit_for_setting_up) {
    Client& slow = client({.name = "tls", .deadline = 5s, .set_up = 20ms, .rule = {.attempts = 1}});
    const auto got = ask(slow, Request::post("/").body("x"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::timed_out);
    EXPECT_EQ(got.error().code, "tls-timeout");
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_LT(got.error().elapsed, shaking);
}

}  // namespace
}  // namespace perdure::http
