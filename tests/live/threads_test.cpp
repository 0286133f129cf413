// SPDX-License-Identifier: Apache-2.0
//
// Eight threads share one client while the network breaks: is every word still true? Run under the
// thread sanitizer too.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "live/support/asking.hpp"
#include "live/support/ledger.hpp"

namespace perdure::live {
namespace {

using chaos::Fault;
using http::Client;

constexpr int threads = 8;
constexpr int call_count = 800;

chaos::Rule sometimes_late(Fault fault, double probability) {
    return {.fault = fault, .match = {.probability = probability}, .delay = 2ms, .jitter = 20ms};
}

TEST(LiveThreads, share_one_client_while_everything_breaks) {
    CountingServer server;
    const auto proxy =
        chaos::Proxy::start(
            {.rules = {sometimes_late(Fault::reset_before, 0.05),
                       sometimes_late(Fault::reset_after, 0.05),
                       sometimes_late(Fault::swallow_reply, 0.03),
                       sometimes_late(Fault::refuse, 0.1), sometimes_late(Fault::delay, 0.1)}},
            {.to = server.address().to_string(), .id_header = "x-request-id"})
            .value();
    // Fewer connections than threads, so that some wait; copies of reads, so that some are cut off. No
    // budget and a short timeout, so that everything that can break is repeated, and often.
    Client client{url_of(proxy->port()),
                  {.plan = {.name = "live",
                            .attempt_timeout = 200ms,
                            .budget = {.kind = BudgetKind::none},
                            .hedge = HedgeOptions{.after = 10ms}},
                   .pool = {.max_connections = 6},
                   .proxy_from = http::ProxyFrom::nowhere}};
    Ledger ledger{call_count};
    const auto ask_some = [&](int first) {
        const Way way = first % 2 == 0 ? Way::blocking : Way::coroutine;
        for (int number = first; number < call_count; number += threads) {
            // Neighbours take turns with the kinds of calls, so that both ways make all of them.
            const int mine = number ^ (number / threads & 1);
            ledger.note(mine, ask(client, Ledger::request(mine), way));
            (void)client.connections();
        }
    };
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i) all.emplace_back(ask_some, i);
    }
    const auto lies = ledger.lies(server);
    EXPECT_TRUE(lies.empty()) << lies.size() << " lies, the first: " << lies.front();
    const Ledger::Ends ends = ledger.ends();
    EXPECT_EQ(ends.other_answer, 0);
    EXPECT_GT(ends.done, call_count / 2);
    EXPECT_EQ(client.connections().in_use, 0);
    EXPECT_EQ(client.connections().waiting, 0);
}

}  // namespace
}  // namespace perdure::live
