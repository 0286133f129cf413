// SPDX-License-Identifier: Apache-2.0
//
// What happens when nobody knows whether a request took effect, and somebody can be asked?
#include "http/asking.hpp"

#include <atomic>
#include <memory>

#include "perdure/http/classify.hpp"
#include "perdure/http/request_writer.hpp"

namespace perdure::http {
namespace {

class Question final : public Conversation {
public:
    explicit Question(Route& where) : where_{where} {}
    Route& route(const Attempt&) override { return where_; }
    Result<void> write(std::string& out, const Attempt&, Duration) override {
        append_request(out, Request::get("/ask"), "h");
        return {};
    }
    Result<void> judge(Response& response, const Attempt&) override {
        if (response.status >= 400) return fail(classify(response.status, response.headers, {}));
        return {};
    }

private:
    Route& where_;
};

class Writing final : public Conversation {
public:
    explicit Writing(Route& where) : where_{where}, question_{where} {}
    Route& route(const Attempt&) override { return where_; }
    Result<void> write(std::string& out, const Attempt&, Duration) override {
        append_request(out, Request::post("/write"), "h");
        return {};
    }
    Result<void> judge(Response& response, const Attempt&) override {
        if (response.status >= 400) return fail(classify(response.status, response.headers, {}));
        return {};
    }
    Conversation* question() override { return &question_; }
    Landed<void> landed(Response& answer, Duration since) override {
        EXPECT_GE(since, Duration::zero());
        if (answer.body == "yes") return Landed<void>::yes();
        if (answer.body == "no") return Landed<void>::no();
        if (answer.body == "later") return Landed<void>::pending(1ms);
        return Landed<void>::unknown();
    }

private:
    Route& where_;
    Question question_;
};

struct Story {
    std::string_view name;
    Safety safety;
    std::vector<Reply> writes;
    std::vector<Reply> answers;
    int asked;
    int written;
    bool done;
    Effect effect;
};

const Reply lost{"", Then::reset};

std::vector<Story> stories() {
    return {
        {"it_landed", Safety::once, {lost}, {ok("yes")}, 1, 1, true, {}},
        {"it_did_not_and_is_sent_again", Safety::once, {lost, ok()}, {ok("no")}, 1, 2, true, {}},
        {"not_yet_known", Safety::once, {lost}, {ok("later"), ok("yes")}, 2, 1, true, {}},
        {"nobody_knows", Safety::once, {lost}, {ok("?")}, 1, 1, false, Effect::unknown},
        {"the_question_fails_at_first",
         Safety::once,
         {lost},
         {status(503), ok("yes")},
         2,
         1,
         true,
         {}},
        {"the_question_is_refused",
         Safety::once,
         {lost},
         {status(403)},
         1,
         1,
         false,
         Effect::unknown},
        {"the_question_is_lost", Safety::once, {lost}, {lost, ok("yes")}, 2, 1, true, {}},
        {"a_guarded_one_repeats_first", Safety::guarded, {lost, ok()}, {}, 0, 2, true, {}},
        {"a_guarded_one_asks_after_a_conflict",
         Safety::guarded,
         {lost, status(409)},
         {ok("yes")},
         1,
         2,
         true,
         {}},
        {"a_guarded_one_asks_at_its_end",
         Safety::guarded,
         {lost, lost, lost},
         {ok("no")},
         1,
         3,
         false,
         Effect::none},
        {"nothing_is_asked_when_nothing_happened",
         Safety::once,
         {status(429), ok()},
         {},
         0,
         2,
         true,
         {}},
    };
}

class Questions : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Questions, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(Questions, find_out_what_became_of_a_request_whose_answer_was_lost) {
    for (const Story& story : stories()) {
        SCOPED_TRACE(story.name);
        std::atomic<std::size_t> written = 0, asked = 0;
        Server server{[&](const Seen& seen) {
            const bool write = seen.method == "POST";
            const auto& replies = write ? story.writes : story.answers;
            const std::size_t at = write ? written++ : asked++;
            return at < replies.size() ? replies[at] : status(500);
        }};
        Client client{server.url(), plain()};
        Caller own{{.name = "room",
                    .deadline = 10s,
                    .rule = {.attempts = 3, .backoff = {.base = 1ms}},
                    .resolve = {.attempts = 4, .backoff = {.base = 1ms}}}};
        Route& route = **client.route(server.url());
        const Operation operation{.name = "write", .safety = story.safety};
        const auto send = [&]() -> Result<Response> {
            if (GetParam() == Way::blocking) {
                Writing talk{route};
                return client.converse(own, talk, operation);
            }
            auto call = client.start_conversing(own, std::make_unique<Writing>(route), operation);
            return block_on(net::default_reactor(), std::move(call));
        };
        const auto result = send();
        EXPECT_EQ(result.has_value(), story.done);
        if (!result && !story.done) {
            EXPECT_EQ(result.error().effect, story.effect);
        }
        EXPECT_EQ(asked, static_cast<std::size_t>(story.asked));
        EXPECT_EQ(written, static_cast<std::size_t>(story.written));
    }
}

TEST_P(Questions, end_with_the_call_when_the_caller_wants_out) {
    std::stop_source stop;
    Server server{[&](const Seen& seen) {
        if (seen.method == "POST") return lost;
        stop.request_stop();
        return held(ok("yes"));
    }};
    Client client{server.url(), plain()};
    Caller own{{.name = "room", .deadline = 20s}};
    Route& route = **client.route(server.url());
    const Operation operation{.name = "write", .safety = Safety::once, .stop = stop.get_token()};
    Result<Response> result = [&]() -> Result<Response> {
        if (GetParam() == Way::blocking) {
            Writing talk{route};
            return client.converse(own, talk, operation);
        }
        auto call = client.start_conversing(own, std::make_unique<Writing>(route), operation);
        return block_on(net::default_reactor(), std::move(call));
    }();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().effect, Effect::unknown);
    EXPECT_EQ(result.error().stop, Stop::cancelled);
}

}  // namespace
}  // namespace perdure::http
