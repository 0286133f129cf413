// SPDX-License-Identifier: Apache-2.0
//
// Many writes by many threads while answers are lost: is what the callers were told what the account has?
// Two thousand of each kind; PERDURE_WRITES=20000 for more, as `make cosmos-full` does it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::live {
namespace {

using namespace cosmos;
using chaos::FaultEnding;
using chaos::GatewayFault;
using chaos::RequestKind;
using chaos::Strikes;

constexpr int account_crew = 8;
constexpr unsigned seed = 20;
const ContainerName books_place{"books", "entries"};

int writes() {
    const char* const told = std::getenv("PERDURE_WRITES");  // NOLINT(concurrency-mt-unsafe)
    const int number = told ? std::atoi(told) : 0;           // NOLINT(cert-err34-c)
    return number > 0 ? number : 2000;
}

// Every eighth write or so meets one; most lose the answer of what was applied.
std::vector<GatewayFault> storm(int length) {
    std::mt19937 random{seed};
    std::vector<GatewayFault> faults;
    for (std::uint64_t at = 3; at < static_cast<std::uint64_t>(length); at += 2 + random() % 12) {
        GatewayFault fault{.kind = RequestKind::write, .from = at, .to = at};
        const auto what = random() % 6;
        if (what == 0) fault.status = 503;
        else if (what == 1) fault.status = 429, fault.retry_after = 2ms;
        else fault.ending = what == 2 ? FaultEnding::half_answer : FaultEnding::reset;
        if (what > 3) fault.strikes = Strikes::after_applying;
        faults.push_back(std::move(fault));
    }
    return faults;
}

struct Entry {
    std::string id{};
    Effect effect = Effect::none;  // applied: reported as done
    std::string said{};
};

struct CosmosAccount : ::testing::Test {
    void SetUp() override {
        chaos::GatewayOptions options;
        options.regions = {{"East US"}, {"West US"}};
        options.partitions = 4;
        options.records = 1;
        gateway = std::move(chaos::CosmosGateway::start(options).value());
    }

    // An account whose plan lets no call end before it is known what became of it.
    static Plan stubborn() {
        Plan plan = plan_for(Retries::perdure);
        plan.deadline = 30s;
        plan.budget = {.kind = BudgetKind::none};
        return plan;
    }

    void begin(std::optional<Plan> plan) {
        client.emplace(ClientOptions{.endpoint = gateway->endpoint(),
                                     .key = std::string{chaos::emulator_key},
                                     .plan = std::move(plan),
                                     .settle = 20ms});
        client->send(CreateDatabase{books_place.database}).value();
        client->send(CreateContainer{books_place, {"/id"}}).value();
        faults = storm(writes() * 2);
        gateway->plan(faults);
    }

    void write_all(const std::function<Result<Written>(Client&, const std::string&)>& write) {
        std::atomic<int> next = 0;
        std::vector<std::jthread> crew;
        for (int i = 0; i < account_crew; ++i)
            crew.emplace_back([&] {
                for (int n = next++; n < writes(); n = next++) {
                    const std::string id = "w" + std::to_string(n);
                    const auto done = write(*client, id);
                    const std::lock_guard held{mutex};
                    entries.push_back({id, done ? Effect::applied : done.error().effect,
                                       done ? std::string{} : to_string(done.error())});
                }
            });
    }

    // Holds what was told against what was applied; gives how many of each there were.
    std::map<Effect, int> expect_the_truth() {
        std::map<std::string, int> applied;
        for (const chaos::AppliedWrite& one : gateway->writes()) ++applied[one.id];
        std::map<Effect, int> ends;
        for (const Entry& entry : entries) {
            ++ends[entry.effect];
            const auto found = applied.find(entry.id);
            const int times = found == applied.end() ? 0 : found->second;
            EXPECT_LE(times, 1) << entry.id;
            if (entry.effect == Effect::applied) {
                EXPECT_EQ(times, 1) << entry.id;
            }
            if (entry.effect == Effect::none) {
                EXPECT_EQ(times, 0) << entry.id << ": " << entry.said;
            }
        }
        EXPECT_EQ(gateway->items(books_place.database, books_place.container, "East US"),
                  applied.size());
        std::cout << "done " << ends[Effect::applied] << ", not done " << ends[Effect::none]
                  << ", unknown " << ends[Effect::unknown] << ", answers lost " << lost() << '\n';
        return ends;
    }

    // Answers that did not arrive whole.
    [[nodiscard]] int lost() const {
        const auto struck = gateway->struck();
        int count = 0;
        for (std::size_t i = 0; i < faults.size(); ++i)
            if (faults[i].ending != FaultEnding::answer) count += static_cast<int>(struck[i]);
        return count;
    }

    std::unique_ptr<chaos::CosmosGateway> gateway;
    std::optional<Client> client;
    std::vector<GatewayFault> faults;
    std::mutex mutex;
    std::vector<Entry> entries;
};

Result<Written> create_entry(Client& client, const std::string& id) {
    return client.send(CreateItem{books_place, R"({"id":")" + id + "\"}", PartitionKey{id}});
}
Result<Written> create_once(Client& client, const std::string& id) {
    return client.send(CreateOnce{books_place, R"({"id":")" + id + "\"}", PartitionKey{id}});
}

TEST_F(CosmosAccount, creates_by_create_once_are_there_once_and_never_in_doubt) {
    begin(stubborn());
    write_all(create_once);
    const auto ends = expect_the_truth();
    EXPECT_EQ(ends.at(Effect::applied), writes());
}

TEST_F(CosmosAccount, creates_by_create_once_under_the_default_plan_are_never_told_wrong) {
    begin({});
    write_all(create_once);
    expect_the_truth();
}

TEST_F(CosmosAccount, plain_creates_say_unknown_only_where_an_answer_was_lost) {
    begin({});
    write_all(create_entry);
    auto ends = expect_the_truth();
    EXPECT_LE(ends[Effect::unknown], lost());
    EXPECT_GT(ends[Effect::unknown], 0);
    EXPECT_GE(ends[Effect::applied] + ends[Effect::unknown], writes() * 99 / 100);
}

}  // namespace
}  // namespace perdure::live
