// SPDX-License-Identifier: Apache-2.0
#include "live/dynamodb/support/account_run.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>

namespace perdure::live {

int writes() {
    const char* const told = std::getenv("PERDURE_WRITES");  // NOLINT(concurrency-mt-unsafe)
    return told ? std::atoi(told) : 2000;  // NOLINT(bugprone-unchecked-string-to-number-conversion)
}

void AccountRun::SetUp() {
    const std::string why = DynamoServer::missing(Dynamo::dynoxide);
    if (!why.empty()) GTEST_SKIP() << why;
    server.emplace();
    server->create_table("orders");
}

void AccountRun::begin(std::optional<Plan> plan, const std::string& to,
                       const std::vector<chaos::Rule>& rules) {
    proxy = chaos::Proxy::start({.rules = rules, .seed = 7},
                                {.to = to.empty() ? server->address() : to})
                .value();
    dynamodb::ClientOptions options = local("http://" + proxy->address());
    options.plan = std::move(plan);
    client.emplace(std::move(options));
    ASSERT_EQ(client->problem(), nullptr) << to_string(*client->problem());
    began = system_clock().now();
}

void AccountRun::expect_the_truth(Books& books, const std::string& plan) {
    const chaos::Counters counters = proxy->counters();
    EXPECT_GT(counters.of(chaos::Fault::replace_reply), 0u);
    EXPECT_GT(counters.of(chaos::Fault::reset_after), 0u);
    EXPECT_GT(counters.of(chaos::Fault::inject), 0u);
    const auto lies = books.lies(*server);
    EXPECT_TRUE(lies.empty()) << lies.size() << " lies, the first: " << lies.front();
    std::cout << plan << ", seed 7: " << counters.requests << " requests, "
              << counters.faults_after_forwarding << " struck after forwarding, "
              << counters.faults_before_forwarding << " before, " << took / 1ms << " ms\n";
    books.print(std::cout);
}

void AccountRun::write_row(const Books& books, const std::string& plan) const {
    const char* const file = std::getenv("PERDURE_ACCOUNT_ROWS");  // NOLINT(concurrency-mt-unsafe)
    if (!file) return;
    const Books::Ends ends = books.ends();
    std::ofstream{file, std::ios::app}
        << "Perdure, " << plan << '\t' << books.kind() << '\t' << books.writes() << '\t'
        << ends.done + ends.applied << '\t' << books.lost() << '\t' << books.doubled() << '\t'
        << ends.none << '\t' << books.yet_done() << '\t' << ends.unknown << '\t'
        << proxy->counters().requests << '\t' << (took + 500ms) / 1s << '\n';
}

}  // namespace perdure::live
