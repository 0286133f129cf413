// SPDX-License-Identifier: Apache-2.0
#include "promises/support/cosmos_ways.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <utility>

#include "perdure/cosmos/requests.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::promises {
namespace {

const std::string documents =
    "/dbs/" + drill_items.database + "/colls/" + drill_items.container + "/docs";

cosmos::ClientOptions options_of(const CosmosAccount& account, const Configured& configured) {
    return {.endpoint = account.gateway().endpoint(),
            .key = std::string{chaos::emulator_key},
            .preferred = configured.preferred,
            .hedge_after = configured.hedge_after};
}

// One attempt, no budget: the plain loops repeat by themselves, and what is left is a request with the
// same limits of time.
http::ClientOptions one_shot(const std::string& key) {
    http::ClientOptions options{.proxy_from = http::ProxyFrom::nowhere, .user_agent = key};
    options.plan.name = "plain";
    options.plan.rule.attempts = 1;
    options.plan.budget.kind = BudgetKind::none;
    return options;
}

std::string json_of(const std::string& item) {
    return R"({"id":")" + item + R"(","pk":")" + item + R"("})";
}

http::Request request_for(Does does, const std::string& item) {
    http::Request request = does == Does::read ? http::Request::get(documents + "/" + item)
                                               : http::Request::post(documents);
    request.header("x-ms-version", "2020-07-15");
    request.header("x-ms-documentdb-partitionkey", R"([")" + item + R"("])");
    if (does == Does::read) return request;
    request.header("x-ms-documentdb-is-upsert", "True");
    request.header("x-ms-cosmos-allow-tentative-writes", "true");
    request.body(json_of(item), "application/json");
    return request;
}

// A plain loop knows both; a preferred one is the first.
std::vector<std::string> both_regions(const Configured& configured) {
    const bool west_first = configured.preferred == std::vector<std::string>{west};
    return west_first ? std::vector<std::string>{west, east} : std::vector<std::string>{east, west};
}

Deadline deadline_in(Duration time) { return Deadline::in(time, system_clock().now()); }

}  // namespace

CosmosWays::CosmosWays(const CosmosAccount& account, Does does, Configured configured, JsClient* js)
    : does_{does},
      configured_{std::move(configured)},
      client_{options_of(account, configured_)},
      js_{js} {
    for (const std::string& region : both_regions(configured_)) {
        const std::string address = account.gateway().endpoint(region);
        for_four_.emplace_back(address, one_shot(way_keys[1]));
        for_until_.emplace_back(address, one_shot(way_keys[2]));
    }
    // Its documentation says to set the preferred regions.
    if (js_)
        js_->connect(account.gateway().endpoint(), configured_.preferred.empty()
                                                       ? std::vector<std::string>{east, west}
                                                       : configured_.preferred);
}

std::vector<RegionWay> CosmosWays::ways() {
    std::vector<RegionWay> ways{perdures(), loops(way_keys[1], for_four_, loop_of_four),
                                loops(way_keys[2], for_until_, loop_until_deadline)};
    if (js_) ways.push_back(javascripts());
    if (configured_.short_deadline <= Duration::zero())
        for (RegionWay& way : ways) way.with_short_deadline = {};
    return ways;
}

RegionWay CosmosWays::perdures() {
    const std::string key = way_keys[0];
    return {
        .key = key,
        .call =
            [this, key](std::int64_t call) {
                return with_perdure(item_of(does_, key, call), call_limit);
            },
        .with_short_deadline =
            [this](std::int64_t) { return with_perdure(other_item, configured_.short_deadline); },
        .warm_up = [this](std::int64_t) { return with_perdure(other_item, call_limit); }};
}

// A call with the usual limit sets no deadline: the default plan has it.
Told CosmosWays::with_perdure(const std::string& item, Duration deadline) {
    const cosmos::CallOptions options{.deadline = deadline < call_limit ? deadline_in(deadline)
                                                                        : Deadline{}};
    const cosmos::PartitionKey key{item};
    if (does_ == Does::write) {
        const auto put = client_.send(cosmos::UpsertItem{drill_items, json_of(item), key}, options);
        return put ? Told{} : told_by(put.error());
    }
    const auto got = client_.send(cosmos::ReadItem{drill_items, item, key}, options);
    if (!got) return told_by(got.error());
    EXPECT_EQ(cosmos::Document{got->json}.id(), item);
    return {};
}

// Every try goes to the next region, the first one to the first.
RegionWay CosmosWays::loops(const std::string& key, PlainClients& clients, const LoopRules& rules) {
    const auto call = [this, &clients, rules](const std::string& item) {
        return plain_loop(rules, [&](int number, Deadline deadline) {
            return try_once(*std::next(clients.begin(), number % std::ssize(clients)), item,
                            deadline);
        });
    };
    return {.key = key,
            .call = [this, key,
                     call](std::int64_t number) { return call(item_of(does_, key, number)); },
            .with_short_deadline =
                [this, &clients](std::int64_t) {
                    const auto done = try_once(clients.front(), other_item,
                                               deadline_in(configured_.short_deadline));
                    return done ? Told{} : Told{Word::not_done, to_string(done.error())};
                },
            .warm_up = [call](std::int64_t) { return call(other_item); }};
}

Result<void> CosmosWays::try_once(http::Client& client, const std::string& item,
                                  Deadline deadline) const {
    auto answer = client.send(request_for(does_, item), {.deadline = deadline});
    if (!answer) return answer.take_failure();
    return {};
}

RegionWay CosmosWays::javascripts() {
    const std::string key = js_key;
    return {.key = key,
            .call =
                [this, key](std::int64_t call) {
                    return js_->call(does_, item_of(does_, key, call), call_limit);
                },
            .with_short_deadline =
                [this](std::int64_t) {
                    return js_->call(does_, other_item, configured_.short_deadline);
                },
            .warm_up = [this](std::int64_t) { return js_->call(does_, other_item, call_limit); }};
}

}  // namespace perdure::promises
