// SPDX-License-Identifier: Apache-2.0
//
// Is what callers are told about lost answers true on a server that others wrote? Our client, the fault
// proxy, and behind it the emulator, which keeps no account of its own: what is there is read past the
// proxy.
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "live/cosmos/support/stage.hpp"
#include "live/support/cosmos_server.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::live {
namespace {

using namespace cosmos;

constexpr int creates = 300;
const ContainerName drawer{"losses", "entries"};

// A long deadline and no budget: what is then left undone is what cannot be repeated.
ClientOptions losing_client(const std::string& endpoint) {
    Plan plan = plan_for(Retries::perdure);
    plan.deadline = 30s;
    plan.budget = {.kind = BudgetKind::none};
    return {.endpoint = endpoint,
            .key = std::string{chaos::emulator_key},
            .plan = std::move(plan),
            .settle = 20ms};
}

// The account names the emulator; who believed it would go past the proxy.
chaos::Rule renamed(const std::string& from, const std::string& to) {
    return {.fault = chaos::Fault::rewrite,
            .match = {.method = "GET", .path = "/"},
            .rewrite = {.find = from, .replace = to}};
}

chaos::Rule breaking(chaos::Fault fault, double share) {
    return {.fault = fault,
            .match = {.method = "POST", .path = "/dbs/*/docs", .probability = share}};
}

struct CosmosEmulatorLosses : ::testing::Test {
    void SetUp() override {
        const std::string why = CosmosServer::missing();
        if (!why.empty()) GTEST_SKIP() << why;
        server.emplace();
        const std::string behind = "127.0.0.1:" + std::to_string(server->port());
        proxy = chaos::Proxy::start({}, {.to = behind}).value();
        direct.emplace(losing_client(server->url()));
        direct->send(CreateDatabase{drawer.database}).value();
        direct->send(CreateContainer{drawer, {"/id"}}).value();
        proxy
            ->change({.rules = {renamed(behind, proxy->address()),
                                breaking(chaos::Fault::reset_after, 0.15),
                                breaking(chaos::Fault::reset_before, 0.1)}})
            .value();
        client.emplace(losing_client("http://" + proxy->address() + "/"));
    }

    [[nodiscard]] bool is_there(const std::string& id) {
        const auto got = direct->send(ReadItem{drawer, id, PartitionKey{id}});
        EXPECT_TRUE(got || got.error().cause == Cause::not_found) << to_string(got.error());
        return got.has_value();
    }

    // One create after the other; what each was told, held against what is there.
    template <class Create>
    std::map<Effect, int> create_all() {
        std::map<Effect, int> ends;
        for (int n = 0; n < creates; ++n) {
            const std::string id = "w" + std::to_string(n);
            const auto done =
                client->send(Create{drawer, R"({"id":")" + id + "\"}", PartitionKey{id}});
            const Effect effect = done ? Effect::applied : done.error().effect;
            ++ends[effect];
            if (effect != Effect::unknown) {
                EXPECT_EQ(is_there(id), effect == Effect::applied)
                    << id << (done ? std::string{} : to_string(done.error()));
            }
        }
        std::cout << "done " << ends[Effect::applied] << ", not done " << ends[Effect::none]
                  << ", unknown " << ends[Effect::unknown] << ", answers lost " << lost() << '\n';
        EXPECT_GT(lost(), creates / 20);
        return ends;
    }

    // Before or after the emulator heard of it: a client cannot tell.
    [[nodiscard]] int lost() const {
        const chaos::Counters counters = proxy->counters();
        return static_cast<int>(counters.of(chaos::Fault::reset_after) +
                                counters.of(chaos::Fault::reset_before));
    }

    std::optional<CosmosServer> server;
    std::unique_ptr<chaos::Proxy> proxy;
    std::optional<Client> direct;
    std::optional<Client> client;
};

TEST_F(CosmosEmulatorLosses, leave_no_create_once_in_doubt) {
    auto ends = create_all<CreateOnce>();
    EXPECT_EQ(ends[Effect::applied], creates);
}

TEST_F(CosmosEmulatorLosses,
       leave_plain_creates_in_doubt_where_an_answer_was_lost_and_nowhere_else) {
    auto ends = create_all<CreateItem>();
    EXPECT_LE(ends[Effect::unknown], lost());
    EXPECT_GT(ends[Effect::unknown], 0);
    EXPECT_EQ(ends[Effect::none], 0);
}

}  // namespace
}  // namespace perdure::live
