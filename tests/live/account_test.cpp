// SPDX-License-Identifier: Apache-2.0
//
// Many requests through a proxy that breaks some of them: is what the callers were told what the
// server did? `make account` runs ten thousand of them and prints plan and account.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "live/support/asking.hpp"
#include "live/support/crowd.hpp"
#include "live/support/ledger.hpp"

namespace perdure::live {
namespace {

using chaos::Fault;
using http::Client;

constexpr int at_a_time = 64;

int calls() {
    const char* const told = std::getenv("PERDURE_CALLS");  // NOLINT(concurrency-mt-unsafe)
    return told ? std::atoi(told) : 2000;  // NOLINT(bugprone-unchecked-string-to-number-conversion)
}

Task<> keep_asking(Client* client, Ledger* ledger, int* next, int end) {
    while (*next < end) {
        const int number = (*next)++;
        auto call = client->start(Ledger::request(number));
        const auto result = co_await call;
        ledger->note(number, result);
    }
}

chaos::Rule sometimes(Fault fault, double probability = 0.05) {
    return {.fault = fault, .match = {.probability = probability}};
}

http::ClientOptions options(const Plan& plan) {
    return {.plan = plan, .proxy_from = http::ProxyFrom::nowhere};
}

int count(std::uint64_t faults) { return static_cast<int>(faults); }

// One server, one proxy before it and one client, and what came of it.
struct LiveAccount : ::testing::Test {
    void start(const std::vector<chaos::Rule>& rules) {
        proxy = chaos::Proxy::start({.rules = rules}, {.to = server.address().to_string(),
                                                       .records = 1'000'000,
                                                       .id_header = "x-request-id"})
                    .value();
    }
    void run(const std::vector<chaos::Rule>& rules, const Plan& plan) {
        start(rules);
        Client client{url_of(proxy->port()), options(plan)};
        ask(client, ledger.calls());
        print(rules, plan);
        expect_the_truth();
    }
    // From where it was up to that number.
    void ask(Client& client, int end) {
        std::vector<Task<>> tasks;
        for (int i = 0; i < at_a_time; ++i)
            tasks.push_back(keep_asking(&client, &ledger, &next, end));
        run_all(net::default_reactor(), std::move(tasks));
    }
    void expect_the_truth() {
        const auto lies = ledger.lies(server);
        EXPECT_TRUE(lies.empty()) << lies.size() << " lies, the first: " << lies.front();
        EXPECT_EQ(ledger.ends().other_answer, 0);
    }
    void print(const std::vector<chaos::Rule>& rules, const Plan& plan) const {
        std::cout << "plan: " << ledger.calls() << " calls, " << at_a_time << " at a time; "
                  << plan.rule.attempts << " attempts, "
                  << (plan.budget.kind == BudgetKind::none ? "no budget" : "the default budget")
                  << "; seed 1\n";
        for (const chaos::Rule& rule : rules)
            std::cout << "  " << name_of(rule) << ' ' << rule.match.probability * 100 << " %\n";
        const chaos::Counters counters = proxy->counters();
        std::cout << "account: " << counters.requests << " requests read, " << counters.forwarded
                  << " forwarded, " << server.requests()
                  << " arrived; faults: " << counters.faults_before_forwarding
                  << " before forwarding, " << counters.faults_after_forwarding << " after\n";
        ledger.print(std::cout);
    }

    CountingServer server;
    std::unique_ptr<chaos::Proxy> proxy;
    Ledger ledger{calls()};
    int next = 0;
};

const std::vector<chaos::Rule> breaking{
    sometimes(Fault::reset_before), sometimes(Fault::reset_after), sometimes(Fault::swallow_reply)};

// The plan nobody changed, but that swallowed replies are given up sooner.
Plan default_plan() { return {.name = "live", .attempt_timeout = 500ms}; }

Plan stubborn_plan() {
    return {.name = "live",
            .deadline = 30s,
            .attempt_timeout = 500ms,
            .rule = {.attempts = 10, .backoff = {.base = 1ms, .cap = 20ms}},
            .budget = {.kind = BudgetKind::none}};
}

// No client can tell a reset before forwarding from one after: its request was taken both times.
TEST_F(LiveAccount, under_the_default_plan_every_word_is_true) {
    run(breaking, default_plan());
    const chaos::Counters counters = proxy->counters();
    EXPECT_LE(ledger.ends().unknown,
              count(counters.faults_after_forwarding + counters.of(Fault::reset_before)));
    EXPECT_EQ(ledger.unexplained(proxy->records()), 0);
    EXPECT_GT(counters.of(Fault::reset_before), 0u);
    EXPECT_GT(counters.of(Fault::reset_after), 0u);
    EXPECT_GT(counters.of(Fault::swallow_reply), 0u);
}

TEST_F(LiveAccount, with_ten_attempts_and_no_budget_everything_that_may_be_repeated_succeeds) {
    run(breaking, stubborn_plan());
    for (const CallKind kind : {CallKind::read, CallKind::put, CallKind::keyed_post}) {
        const Ledger::Ends ends = ledger.ends(kind);
        EXPECT_EQ(ends.none + ends.unknown, 0) << static_cast<int>(kind);
    }
    EXPECT_EQ(ledger.unexplained(proxy->records()), 0);
}

// A connection reset as it is accepted may have been written into, so it leaves a doubt.
TEST_F(LiveAccount, resets_at_the_door_are_the_only_doubt_besides_what_was_forwarded) {
    run({sometimes(Fault::refuse, 0.3), sometimes(Fault::reset_after),
         sometimes(Fault::swallow_reply)},
        default_plan());
    const chaos::Counters counters = proxy->counters();
    EXPECT_GT(counters.of(Fault::refuse), 0u);
    EXPECT_LE(ledger.unexplained(proxy->records()), count(counters.of(Fault::refuse)));
    EXPECT_LE(ledger.ends().unknown,
              count(counters.faults_after_forwarding + counters.of(Fault::refuse)));
}

// Half-way nobody is let in any more. From then on connections that break cannot be replaced, and
// what cannot be sent is never in doubt.
// The door never opens again, and a call on the defaults would wait for it until its deadline: four tries
// are enough to show what is told. Calls that wait are in tests/promises.
Plan not_waiting_for_a_server() {
    Plan plan = default_plan();
    plan.connect = {.attempts = 4, .backoff = {.base = 1ms, .cap = 20ms}, .cost = 0};
    return plan;
}

TEST_F(LiveAccount, where_the_door_is_shut_only_what_was_forwarded_is_in_doubt) {
    const std::vector<chaos::Rule> open{sometimes(Fault::reset_after),
                                        sometimes(Fault::swallow_reply)};
    std::vector<chaos::Rule> shut = open;
    shut.push_back({.fault = Fault::refuse, .closed_for = never});
    start(open);
    Client client{url_of(proxy->port()), options(not_waiting_for_a_server())};
    ask(client, ledger.calls() / 2);
    ASSERT_TRUE(proxy->change({.rules = shut}));
    ask(client, ledger.calls());
    print(shut, not_waiting_for_a_server());
    expect_the_truth();
    const chaos::Counters counters = proxy->counters();
    EXPECT_LE(ledger.ends().unknown, count(counters.faults_after_forwarding));
    EXPECT_EQ(ledger.unexplained(proxy->records()), 0);
    EXPECT_GT(ledger.ends(CallKind::once_post).none, 0);
}

TEST_F(LiveAccount, where_nobody_listens_nothing_is_ever_unknown) {
    Client client{url_of(1),
                  options(not_waiting_for_a_server())};  // a port that is given to nobody
    ask(client, ledger.calls());
    EXPECT_EQ(ledger.ends().none, ledger.calls());
    EXPECT_EQ(ledger.lies(server), std::vector<std::string>{});
    EXPECT_EQ(server.requests(), 0);
}

}  // namespace
}  // namespace perdure::live
