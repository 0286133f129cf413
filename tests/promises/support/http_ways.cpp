// SPDX-License-Identifier: Apache-2.0
#include "promises/support/http_ways.hpp"

#include <iterator>

namespace perdure::promises {
namespace {

// Proxies named by environment variables of this machine are ignored.
http::ClientOptions options_for_drills(int pool) {
    http::ClientOptions options{.proxy_from = http::ProxyFrom::nowhere};
    // Only where a drill wants more callers in flight than the default pool has room for.
    if (pool != default_http_pool) options.pool.max_connections = pool;
    return options;
}

// One attempt, no budget: the plain loops repeat by themselves, and what is left is a request with the
// same limits of time. Perdure's own way has the default plan.
http::ClientOptions one_shot(int pool) {
    http::ClientOptions options = options_for_drills(pool);
    options.plan.name = "plain";
    options.plan.rule.attempts = 1;
    options.plan.budget.kind = BudgetKind::none;
    return options;
}

http::Request post(std::size_t way, std::int64_t number) {
    return http::Request::post("/")
        .header("x-way", way_keys[way])
        .header("x-call", std::to_string(number))
        .body("pay");
}

}  // namespace

HttpWays::HttpWays(const std::vector<std::string>& urls, int pool)
    : client_{urls, options_for_drills(pool)} {
    for (const std::string& url : urls) {
        for_four_.emplace_back(url, one_shot(pool));
        for_until_.emplace_back(url, one_shot(pool));
    }
}

Ways HttpWays::ways() {
    return {[this](std::int64_t number) { return with_perdure(number); },
            [this](std::int64_t number) { return with_loop(for_four_, 1, loop_of_four, number); },
            [this](std::int64_t number) {
                return with_loop(for_until_, 2, loop_until_deadline, number);
            }};
}

Told HttpWays::with_perdure(std::int64_t number) {
    const auto answer = client_.send(post(0, number).idempotency_key());
    return answer ? Told{} : told_by(answer.error());
}

// Every try goes to the next address, the first one to the first.
Told HttpWays::with_loop(PlainClients& clients, std::size_t way, const LoopRules& rules,
                         std::int64_t number) {
    return plain_loop(rules, [&](int try_number, Deadline deadline) -> Result<void> {
        auto client = std::next(clients.begin(), try_number % std::ssize(clients));
        auto answer = client->send(post(way, number), {.deadline = deadline});
        if (!answer) return answer.take_failure();
        return {};
    });
}

}  // namespace perdure::promises
