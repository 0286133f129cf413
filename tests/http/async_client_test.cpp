// SPDX-License-Identifier: Apache-2.0
//
// Many calls at once: on threads that share a client, on one reactor, on a context of the user's own.
#include "http/asking.hpp"

#include <asio/io_context.hpp>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <semaphore>

#include "perdure/http/classify.hpp"
#include "perdure/http/request_writer.hpp"
#include "perdure/net/asio_reactor.hpp"
#include "perdure/testing/thread_limit.hpp"
#include "perdure/time/loop.hpp"

namespace perdure::http {
namespace {

Reply now_and_then_a_failure(const Seen& seen) {
    if (seen.target == "/reset") return {"", Then::reset};
    if (seen.target == "/close")
        return {ok(seen.target, "Connection: close\r\n").bytes, Then::close};
    return seen.target == "/busy" ? status(503) : ok(seen.target);
}

TEST(ClientThreads, share_one_client_blocking_and_by_coroutine) {
    Server server{now_and_then_a_failure};
    ClientOptions options = repeating(2);
    options.pool.max_connections = 5;
    Client client{server.url(), options};
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                const Way way = t % 2 ? Way::blocking : Way::coroutine;
                for (int i = 0; i < 60; ++i) {
                    constexpr std::array targets = {"/reset", "/close", "/busy", "/ok", "/fine"};
                    const std::string target = targets[static_cast<std::size_t>(i + t) % 5];
                    const auto got = ask(client, Request::get(target), way);
                    const bool well = target != "/reset" && target != "/busy";
                    wrong += got.has_value() != well || (well && got->body != target);
                }
            });
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(client.connections().in_use, 0);
    EXPECT_EQ(client.connections().waiting, 0);
    EXPECT_LE(client.connections().idle, 5);
}

// In a process of its own, in which nothing has started the reactor yet.
TEST(ClientThreads, that_the_system_refuses_are_a_failure_of_the_call) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto code_without_threads = [] {
        Client client{"http://127.0.0.1:1", plain()};
        std::optional<Call<Result<Response>>> call;
        {
            const testing::ThreadLimit none{0};
            call.emplace(client.start(Request::get("/")));
        }
        const auto got = block_on(net::default_reactor(), *std::move(call));
        return got ? std::string{"done"} : got.error().code;
    };
    EXPECT_EXIT(std::_Exit(code_without_threads() == "no-thread" ? 0 : 1),
                ::testing::ExitedWithCode(0), "");
}

TEST(ClientThreads, stop_each_others_calls) {
    Server server{[](const Seen&) { return held(ok()); }};
    Client client{server.url(), plain()};
    for (const Way way : {Way::blocking, Way::coroutine}) {
        const int before = server.requests();
        std::stop_source stop;
        const std::jthread other{[&] {
            server.becomes([&] { return server.requests() > before; });
            stop.request_stop();
        }};
        EXPECT_EQ(ask(client, Request::get("/"), way, {.stop = stop.get_token()}).error().cause,
                  Cause::cancelled);
    }
}

// Makes its calls on the reactor's thread, all at once.
struct Many final : Job {
    Many(Client& client, int count) : Job{&Many::begin} {
        for (int i = 0; i < count; ++i)
            calls.push_back(client.start(Request::get("/" + std::to_string(i))));
    }
    static void begin(Job& job) {
        auto& many = static_cast<Many&>(job);
        for (auto& call : many.calls)
            if (call.start({&Many::one_ended, &many})) one_ended(&many);
    }
    static void one_ended(void* who) {
        auto& many = *static_cast<Many*>(who);
        if (++many.ended == many.calls.size()) many.done.release();
    }
    std::vector<Call<Result<Response>>> calls;
    std::size_t ended = 0;  // the reactor's thread only
    std::binary_semaphore done{0};
};

TEST(ClientThreads, make_a_thousand_calls_at_once_on_one_reactor) {
    Server server;
    ClientOptions options = plain();
    options.pool.max_connections = 400;
    Client client{server.url(), options};
    Many many{client, 1000};
    net::default_reactor().post(many);
    many.done.acquire();
    int good = 0;
    for (std::size_t i = 0; i < many.calls.size(); ++i) {
        const auto got = many.calls[i].take();
        good += got && got->body == "/" + std::to_string(i);
    }
    EXPECT_EQ(good, 1000);
    EXPECT_LE(server.connections(), 400);
    EXPECT_EQ(client.connections().in_use, 0);
}

TEST(AsioUsers, run_calls_on_a_context_of_their_own) {
    Server server;
    asio::io_context context;
    net::AsioReactor reactor{context};
    ClientOptions options = plain();
    options.environment.executor = &reactor;
    Client client{server.url(), options};
    for (int round = 0; round < 2; ++round) {
        auto call = client.start(Request::post("/mine").body(std::string(3'000'000, 'x')));
        bool ended = false;
        EXPECT_FALSE(call.start({[](void* flag) { *static_cast<bool*>(flag) = true; }, &ended}));
        context.restart();
        context.run();  // returns: nothing is left to wait for, though a connection is idle
        ASSERT_TRUE(ended);
        const auto got = call.take();
        ASSERT_TRUE(got) << to_string(got.error());
        EXPECT_EQ(got->body, "/mine");
    }
    EXPECT_EQ(server.connections(), 1);
    EXPECT_EQ(client.connections().idle, 1);
}

TEST(AsioUsers, may_run_their_context_after_client_and_reactor_are_gone) {
    Server server;
    asio::io_context context;
    {
        net::AsioReactor reactor{context};
        ClientOptions options = plain();
        options.environment.executor = &reactor;
        Client client{server.url(), options};
        auto call = client.start(Request::get("/"));
        bool ended = false;
        EXPECT_FALSE(call.start({[](void* flag) { *static_cast<bool*>(flag) = true; }, &ended}));
        context.run();
        ASSERT_TRUE(ended);
        ASSERT_TRUE(call.take());
    }
    context.restart();
    context.run();  // what the idle connection left behind finds nobody
}

TEST(AsioUsers, who_drop_a_call_cut_it_off_on_the_wire) {
    Server server{[](const Seen&) { return held(ok()); }};
    asio::io_context context;
    net::AsioReactor reactor{context};
    ClientOptions options = plain();
    options.environment.executor = &reactor;
    Client client{server.url(), options};
    auto call = std::make_unique<Call<Result<Response>>>(client.start(Request::get("/")));
    EXPECT_FALSE(call->start({[](void*) { ADD_FAILURE(); }, nullptr}));
    ASSERT_TRUE(server.becomes([&] { return context.poll(), server.requests() == 1; }));
    call.reset();
    EXPECT_TRUE(server.becomes([&] { return server.reset() == 1; }));
    context.run();
    EXPECT_EQ(client.connections().in_use, 0);
}

// Between two looks of the reactor the answer comes and the way is free for the rest of the request.
TEST(AsioUsers, see_an_answer_that_came_before_the_last_of_the_request) {
    for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 6u, 8u}) {
        SCOPED_TRACE(size);
        Server server{[](const Seen&) { return Reply{}; }, {.on_head = [](const Seen&) {
                          return Reply{ok("early").bytes, Then::freeze};
                      }}};
        asio::io_context context;
        net::AsioReactor reactor{context};
        ClientOptions options = plain();
        options.environment.executor = &reactor;
        Client client{server.url(), options};
        auto call = client.start(Request::post("/").body(std::string(size * 1'000'000, 'x')));
        bool ended = false;
        EXPECT_FALSE(call.start({[](void* flag) { *static_cast<bool*>(flag) = true; }, &ended}));
        TimePoint until = system_clock().now() + 20ms;
        while (system_clock().now() < until) context.poll();  // until no more can be sent
        server.release();
        until = system_clock().now() + 20ms;
        while (system_clock().now() < until) std::this_thread::yield();
        context.restart();
        context.run();
        // Who misses it finds it when the attempt's time is over.
        EXPECT_LT(system_clock().now() - until, 1s);
        ASSERT_TRUE(ended);
        const auto got = call.take();
        ASSERT_TRUE(got) << to_string(got.error());
        EXPECT_EQ(got->body, "early");
    }
}

TEST(AsioUsers, hear_of_an_executor_that_cannot_wait_for_sockets) {
    Server server;
    Loop loop;
    ClientOptions options = plain();
    options.environment.executor = &loop;
    Client client{server.url(), options};
    ASSERT_TRUE(client.problem());
    EXPECT_EQ(client.problem()->code, "invalid-client");
    EXPECT_EQ(client.send(Request::get("/")).error(), *client.problem());
    EXPECT_EQ(block_on(loop, client.start(Request::get("/"))).error(), *client.problem());
}

class Greeting final : public Conversation {
public:
    Greeting(Route& where, std::string host) : where_{where}, host_{std::move(host)} {}
    Route& route(const Attempt&) override { return where_; }
    Result<void> write(std::string& out, const Attempt& attempt, Duration left) override {
        if (left <= Duration::zero()) return fail({.cause = Cause::timed_out});
        append_request(out, Request::get("/" + std::to_string(attempt.number)), host_);
        return {};
    }
    Result<void> judge(Response& response, const Attempt&) override {
        if (response.status >= 400) return fail(classify(response.status, response.headers, {}));
        response.body += "!";
        return {};
    }
    void ended(const Attempt&, Failure* failure, TimePoint) override {
        failure ? ++failed : ++succeeded;
    }
    int failed = 0, succeeded = 0;

private:
    Route& where_;
    std::string host_;
};

TEST(Conversations, are_turned_under_a_caller_of_the_rooms_own) {
    Server server{
        [](const Seen& seen) { return seen.target == "/1" ? status(503) : ok(seen.target); }};
    Client client{server.url(), plain()};
    Caller own{{.name = "room", .deadline = 5s, .rule = {.backoff = {.base = 1ms}}}};
    Greeting talk{**client.route(server.url()), "h"};
    const auto got = client.converse(own, talk, {.name = "greet", .safety = Safety::read});
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "/2!");
    EXPECT_EQ(talk.failed, 1);
    EXPECT_EQ(talk.succeeded, 1);
    EXPECT_EQ(own.counts()[Count::retries_made], 1u);

    auto call =
        client.start_conversing(own, std::make_unique<Greeting>(**client.route(server.url()), "h"),
                                {.name = "greet", .safety = Safety::read});
    EXPECT_EQ(block_on(net::default_reactor(), std::move(call))->body, "/2!");
}

}  // namespace
}  // namespace perdure::http
