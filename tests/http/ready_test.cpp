// SPDX-License-Identifier: Apache-2.0
//
// What becomes of an attempt that cannot begin, because what it needs is still being fetched?
#include "http/asking.hpp"

#include <memory>

#include "perdure/http/request_writer.hpp"

namespace perdure::http {
namespace {

enum class Ends : std::uint8_t { at_last, never, with_a_failure };

// Is told to wait a few times before each attempt.
class Waiting final : public Conversation {
public:
    Waiting(Route& where, Ends ends) : where_{where}, ends_{ends} {}
    Result<Duration> ready(const Attempt&, TimePoint) override {
        if (ends_ == Ends::never) return Duration{1ms};
        if (asked_++ % 4 != 3) return Duration{1ms};
        if (ends_ == Ends::at_last) return Duration::zero();
        return fail({.cause = Cause::forbidden, .message = "nothing to be had"});
    }
    Route& route(const Attempt&) override { return where_; }
    std::string place(const Attempt&) const override { return "elsewhere"; }
    Result<void> write(std::string& out, const Attempt&, Duration) override {
        append_request(out, Request::post("/write"), "h");
        return {};
    }
    Result<void> judge(Response& response, const Attempt&) override {
        if (response.ok()) return {};
        return fail({.cause = Cause::throttled, .status = response.status});
    }

private:
    Route& where_;
    const Ends ends_;
    int asked_ = 0;
};

class Ready : public BothWays {
protected:
    Result<Response> send(Ends ends, const Operation& operation) {
        Route& route = **client.route(server.url());
        if (GetParam() == Way::blocking) {
            Waiting talk{route, ends};
            return client.converse(own, talk, operation);
        }
        auto call = client.start_conversing(own, std::make_unique<Waiting>(route, ends), operation);
        return block_on(net::default_reactor(), std::move(call));
    }

    std::atomic<int> seen = 0;
    Server server{[this](const Seen&) { return seen++ == 0 ? status(503) : ok("done"); }};
    Client client{server.url(), plain()};
    Caller own{
        {.name = "room", .deadline = 300ms, .rule = {.attempts = 3, .backoff = {.base = 1ms}}}};
};
INSTANTIATE_TEST_SUITE_P(Both, Ready, ::testing::Values(Way::blocking, Way::coroutine), name_of);

TEST_P(Ready, attempts_begin_when_they_are_told_to) {
    Diagnostics diagnostics;
    const auto answer = send(Ends::at_last, {.name = "write",
                                             .deadline = Deadline::in(10s, system_clock().now()),
                                             .diagnostics = &diagnostics});
    ASSERT_TRUE(answer) << to_string(answer.error());
    EXPECT_EQ(answer->body, "done");
    EXPECT_EQ(seen, 2);
    ASSERT_EQ(diagnostics.attempts().size(), 2u);
    EXPECT_EQ(diagnostics.attempts()[0].place, "elsewhere");
}

TEST_P(Ready, one_that_never_is_ends_with_the_deadline_and_has_done_nothing) {
    const auto answer = send(Ends::never, {.name = "write"});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().cause, Cause::timed_out);
    EXPECT_EQ(answer.error().effect, Effect::none);
    EXPECT_EQ(seen, 0);
}

TEST_P(Ready, what_it_needs_cannot_be_had_is_the_attempts_failure) {
    const auto answer = send(Ends::with_a_failure, {.name = "write"});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().cause, Cause::forbidden);
    EXPECT_EQ(answer.error().effect, Effect::none);
    EXPECT_EQ(seen, 0);
}

TEST_P(Ready, who_wants_out_while_it_waits_has_done_nothing) {
    std::stop_source stop;
    stop.request_stop();
    const auto answer = send(Ends::never, {.name = "write", .stop = stop.get_token()});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().effect, Effect::none);
    EXPECT_EQ(answer.error().stop, Stop::cancelled);
}

}  // namespace
}  // namespace perdure::http
