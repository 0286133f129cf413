// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/modify.hpp"

#include <atomic>
#include <thread>

#include "cosmos/request_stage.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure::cosmos {
namespace {

// {"id":"i","pk":"A","n":n}, one more.
Result<std::string> count_up(std::string_view json) {
    const auto n = Document{json}.integer_at("/n").value_or(-1);
    return R"({"id":"i","pk":"A","n":)" + std::to_string(n + 1) + "}";
}

chaos::GatewayFault on(std::string method) {
    chaos::GatewayFault fault;
    fault.method = std::move(method);
    fault.resource = "docs";
    return fault;
}

class Modify : public DrivenBothWays {
protected:
    Modify() {
        const auto made = stage_.client().send(
            CreateItem{stage_.name, R"({"id":"i","pk":"A","n":0})", PartitionKey{"A"}});
        EXPECT_TRUE(made) << to_string(made.error());
        stage_.forget();
    }
    [[nodiscard]] ReadItem item() const { return {stage_.name, "i", PartitionKey{"A"}}; }
    Result<Written> change(const Change& how, const ModifyOptions& options = {}) {
        if (blocking()) return modify(stage_.client(), item(), how, options);
        return await(start_modify(stage_.client(), item(), how, options));
    }
    std::int64_t count() {
        const auto now = stage_.client().send(item());
        EXPECT_TRUE(now) << to_string(now.error());
        return now ? Document{now->json}.integer_at("/n").value_or(-1) : -1;
    }

    RequestStage stage_;
};

TEST_P(Modify, reads_changes_and_replaces) {
    for (int i = 0; i < 3; ++i) {
        const auto done = change(count_up);
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_FALSE(done->etag.empty());
    }
    EXPECT_EQ(count(), 3);
    EXPECT_EQ(stage_.asked("PUT"), 3);
}

TEST_P(Modify, begins_another_round_when_somebody_was_faster) {
    int rounds = 0;
    const auto slow = [&](std::string_view json) -> Result<std::string> {
        if (++rounds <= 2) {
            const auto other = stage_.client().send(
                ReplaceItem{stage_.name, "i", PartitionKey{"A"}, *count_up(json)});
            EXPECT_TRUE(other);
        }
        return count_up(json);
    };
    const auto done = change(slow, {.backoff = {.base = 1ms, .cap = 1ms}});
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(rounds, 3);
    EXPECT_EQ(count(), 3);
}

TEST_P(Modify, ends_as_contended_after_so_many_rounds) {
    auto refused = on("PUT");
    refused.status = 412;
    stage_.gateway().plan({refused});
    Diagnostics diagnostics;
    const auto done = change(
        count_up, {.rounds = 3, .backoff = {.base = 1ms, .cap = 1ms}, .diagnostics = &diagnostics});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cause, Cause::conflict);
    EXPECT_EQ(done.error().code, "contended");
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(done.error().stop, Stop::attempts);
    EXPECT_EQ(done.error().attempts, 3);
    EXPECT_EQ(stage_.asked("GET"), 3);
    EXPECT_EQ(stage_.asked("PUT"), 3);
    EXPECT_EQ(diagnostics.attempts_made(), 3u);
}

TEST_P(Modify, knows_its_own_write_when_the_answer_is_lost) {
    auto lost = on("PUT");
    lost.to = 1;
    lost.strikes = chaos::Strikes::after_applying;
    lost.ending = chaos::FaultEnding::reset;
    stage_.gateway().plan({lost});
    const auto done = change(count_up);
    ASSERT_TRUE(done) << to_string(done.error());
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(stage_.writes_of("i"), 2u);  // made, and replaced once
}

TEST_P(Modify, ends_as_unknown_when_nobody_can_tell) {
    auto lost = on("PUT");
    lost.strikes = chaos::Strikes::after_applying;
    lost.ending = chaos::FaultEnding::reset;
    auto silent = on("GET");
    silent.from = 2;
    silent.status = 404;
    silent.substatus = 1003;
    stage_.gateway().plan({lost, silent});
    int rounds = 0;
    const auto done = change([&](std::string_view json) { return ++rounds, count_up(json); });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().effect, Effect::unknown) << to_string(done.error());
    EXPECT_EQ(rounds, 1);
    EXPECT_EQ(stage_.writes_of("i"), 2u);
}

TEST_P(Modify, ends_with_what_the_change_or_the_read_fails_with) {
    const auto refused = change([](std::string_view) -> Result<std::string> {
        return fail({.cause = Cause::forbidden, .origin = Origin::application, .code = "closed"});
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "closed");
    EXPECT_EQ(refused.error().effect, Effect::none);

    const auto nonsense =
        change([](std::string_view) -> Result<std::string> { return "nonsense"; });
    ASSERT_FALSE(nonsense);
    EXPECT_EQ(nonsense.error().code, "invalid-item");
    EXPECT_EQ(stage_.asked("PUT"), 0);

    const ReadItem missing{stage_.name, "no", PartitionKey{"A"}};
    const auto none = blocking() ? modify(stage_.client(), missing, count_up)
                                 : await(start_modify(stage_.client(), missing, count_up));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().cause, Cause::not_found);
}

TEST_P(Modify, ends_by_its_deadline) {
    auto refused = on("PUT");
    refused.status = 412;
    stage_.gateway().plan({refused});
    const TimePoint began = system_clock().now();
    // The third pause would be of 5 s or more: it ends between two rounds, never within one.
    const Backoff steep{.base = 1ms, .factor = 100, .cap = 1h, .jitter = Jitter::equal};
    const auto done =
        change(count_up, {.rounds = 1'000'000, .backoff = steep, .deadline = Deadline{began + 4s}});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "contended");
    EXPECT_EQ(done.error().stop, Stop::deadline);
    EXPECT_EQ(done.error().attempts, 3);
    EXPECT_LT(system_clock().now() - began, 4s + 500ms);
}

TEST_P(Modify, tells_the_story_of_its_last_call) {
    Story story;
    const auto done = change(count_up, {.story = &story});
    ASSERT_TRUE(done) << to_string(done.error());
    ASSERT_EQ(story.legs().size(), 1u);
    EXPECT_EQ(story.legs().front().code, StatusCode{200});
    EXPECT_NE(story.to_json().find("ReplaceItem"), std::string::npos) << story.to_json();
}

TEST_P(Modify, reads_and_replaces_with_the_session_and_without_the_regions_it_was_given) {
    chaos::GatewayOptions account;
    account.regions = {{"East US"}, {"West US"}};
    account.writes = chaos::WriteMode::multiple;
    auto gateway = chaos::CosmosGateway::start(account).value();
    Client client{{.endpoint = gateway->endpoint(),
                   .key = std::string{chaos::emulator_key},
                   .preferred = {"West US", "East US"},
                   .plan = hasty_plan()}};
    ASSERT_TRUE(ensure_database(client, CreateDatabase{"db"}));
    ASSERT_TRUE(ensure_container(client, CreateContainer{{"db", "c"}, {"/pk"}}));
    ASSERT_TRUE(
        client.send(CreateItem{{"db", "c"}, R"({"id":"i","pk":"A","n":0})", PartitionKey{"A"}},
                    {.excluded = {"West US"}}));
    const std::string session = client.session_of({"db", "c"}, PartitionKey{"A"});
    ASSERT_NE(session, "");
    (void)gateway->take_records();

    const ReadItem its{{"db", "c"}, "i", PartitionKey{"A"}};
    const ModifyOptions options{.excluded = {"West US"}, .session = session};
    const auto done = blocking() ? modify(client, its, count_up, options)
                                 : await(start_modify(client, its, count_up, options));
    ASSERT_TRUE(done) << to_string(done.error());
    int calls = 0;
    for (const auto& one : gateway->take_records()) {
        if (one.path.find("/docs") == std::string::npos) continue;
        ++calls;
        EXPECT_EQ(one.region, "East US") << one.method;
        EXPECT_EQ(one.session_token, session) << one.method;
    }
    EXPECT_EQ(calls, 2);
}

INSTANTIATE_TEST_SUITE_P(, Modify, ::testing::Values(Driven::blocking, Driven::coroutine),
                         driven_name);

TEST(ModifyByMany, loses_no_change) {
    RequestStage stage;
    ASSERT_TRUE(stage.client().send(
        CreateItem{stage.name, R"({"id":"i","pk":"A","n":0})", PartitionKey{"A"}}));
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&] {
                for (int i = 0; i < 5; ++i) {
                    const auto done =
                        modify(stage.client(), {stage.name, "i", PartitionKey{"A"}}, count_up,
                               {.rounds = 1000, .backoff = {.base = 1ms, .cap = 8ms}});
                    if (!done) ++failed;
                }
            });
    }
    EXPECT_EQ(failed, 0);
    const auto now = stage.client().send(ReadItem{stage.name, "i", PartitionKey{"A"}});
    ASSERT_TRUE(now);
    EXPECT_EQ(Document{now->json}.integer_at("/n"), 40);
    EXPECT_EQ(stage.writes_of("i"), 41u);
}

}  // namespace
}  // namespace perdure::cosmos
