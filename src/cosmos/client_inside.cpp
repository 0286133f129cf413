// SPDX-License-Identifier: Apache-2.0
#include "client_inside.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/wire/connection_string.hpp"
#include "perdure/cosmos/wire/location_rule.hpp"
#include "perdure/try.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

Failure bad_option(std::string_view code, std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = std::string{code},
            .message = std::move(message)};
}

// Which accounts have a client in this process. Any thread.
struct Accounts {
    std::mutex mutex;
    std::multiset<std::string> there;
    std::set<std::string> reported;
};
Accounts& accounts() {
    static Accounts all;
    return all;
}

// Escalating as .NET does it would need a plan of its own for each attempt; a copy elsewhere after one
// second finds a place that answers sooner.
Plan errand_plan() {
    return {
        .name = "cosmos-metadata",
        .deadline = 20s,
        .attempt_timeout = 5s,
        .set_up = 3s,
        .rule = {.attempts = 4, .backoff = {.base = 50ms, .cap = 1s, .first = FirstRetry::at_once}},
        .rules = {{"throttled",
                   {.attempts = 10,
                    .backoff = {.base = 100ms, .cap = 5s},
                    .cost = 0,
                    .hint = {.use = HintUse::plus, .by = 50ms}}}},
        // A call that waits for the account is told early that nobody listens, and asks again itself.
        .connect = {.attempts = 2, .backoff = {.base = 50ms, .cap = 1s}, .cost = 0},
        .budget = {.kind = BudgetKind::none},
        .hedge = HedgeOptions{.after = 1s, .extra = 2}};
}

}  // namespace

Client::Inside::Inside(ClientOptions chosen) : options{std::move(chosen)} {
    auto furnished = furnish();
    if (!caller) caller.emplace(options.plan.value_or(Plan{.name = "cosmos"}), options.environment);
    if (!furnished) problem = refused(std::move(furnished.error()));
}

Client::Inside::~Inside() {
    if (clerk) clerk->stop();  // before it is gone: what its threads do still finds it
    clerk.reset();
    if (account_.empty()) return;
    Accounts& all = accounts();
    const std::lock_guard held{all.mutex};
    if (const auto own = all.there.find(account_); own != all.there.end()) all.there.erase(own);
}

Failure Client::Inside::refused(Failure failure) const {
    failure.stop = Stop::permanent;
    if (failure.dependency.empty()) failure.dependency = caller->plan().name;
    return failure;
}

Result<void> Client::Inside::furnish() {
    if (!options.connection_string.empty()) {
        if (!options.endpoint.empty() || !options.key.empty())
            return fail(bad_option("invalid-options",
                                   "a connection string holds endpoint and key; give one or the "
                                   "other"));
        auto parsed = parse_connection_string(options.connection_string);
        options.connection_string.clear();
        if (!parsed) return parsed.take_failure();
        endpoint = std::move(parsed->endpoint);
        key = std::move(parsed->key);
    } else {
        if (options.endpoint.empty())
            return fail(bad_option("no-endpoint", "no endpoint is given, such as "
                                                  "https://ACCOUNT.documents.azure.com:443/"));
        PERDURE_TRY_VALUE(endpoint, http::parse_url(options.endpoint));
        if (!options.key.empty()) {
            PERDURE_TRY_VALUE(MasterKey made, MasterKey::from(options.key));
            key = std::move(made);
        }
        options.key.clear();
    }
    if (!key && !options.tokens)
        return fail(bad_option("no-key", "neither a key nor a source of tokens is given"));
    if (options.user_agent.find_first_of("\r\n") != std::string::npos)
        return fail(bad_option("invalid-options", "the user agent has a line end in it"));
    if (!std::ranges::all_of(options.regions.other_domains, valid_domain))
        return fail(bad_option("invalid-options", "one of other_domains is not a host name, such "
                                                  "as documents.azure.com"));
    connect();
    return {};
}

void Client::Inside::connect() {
    head = "User-Agent: " + options.user_agent +
           "\r\nAccept: application/json\r\nCache-Control: no-cache\r\nx-ms-version: 2020-07-15\r\n"
           "x-ms-cosmos-sdk-supportedcapabilities: 1\r\n";
    Plan plan = options.plan ? *options.plan : plan_for(Retries::perdure);
    if (options.hedge_after) plan.hedge = HedgeOptions{.after = *options.hedge_after, .extra = 1};
    plan.place = http::host_of(endpoint);
    caller.emplace(std::move(plan), options.environment);
    errands.emplace(errand_plan(), options.environment);
    const std::string url = endpoint.scheme + "://" + http::host_of(endpoint);
    net::PoolOptions pool = options.pool;
    pool.one_dials = pool.one_dials && caller->memory().waits_to_connect();
    // Proxies are for what leaves the house.
    http.emplace(url,
                 http::ClientOptions{.plan = {.name = "cosmos"},
                                     .tls = options.tls,
                                     .pool = pool,
                                     .limits = options.limits,
                                     .proxy_from = endpoint.secure() ? http::ProxyFrom::environment
                                                                     : http::ProxyFrom::nowhere,
                                     .tell = http::Tell::nothing,
                                     .resolver = options.resolver,
                                     .environment = options.environment});
    regions.emplace(
        Regions::Choice{.preferred = options.preferred,
                        .excluded = options.excluded,
                        .writes = options.writes,
                        .options = options.regions,
                        .given = endpoint},
        [this](const std::string& place) { return http->route(place); }, options.environment.random,
        &caller->memory().budget(), [this](Region& region) { containers.forget(region); });
    global = regions->at("global", endpoint);
    if (!global) {
        problem = http->problem() ? *http->problem() : bad_option("invalid-endpoint", url);
        return;
    }
    if (options.discovery == Discovery::endpoint_only) regions->settle_for(*global);
    clerk.emplace(*this);
    register_account();
}

void Client::Inside::register_account() {
    account_ = http::host_of(endpoint);
    Accounts& all = accounts();
    bool tell = false;
    {
        const std::lock_guard held{all.mutex};
        twin = all.there.contains(account_);
        tell = twin && all.reported.insert(account_).second;
        all.there.insert(account_);
    }
    if (tell)
        notice("this process has another client for " + account_ +
               "; one for each account is enough, and two know half as much each");
}

RegionList Client::Inside::account_places(TimePoint now) {
    RegionList places{global};
    if (const auto topology = regions->now(now)) {
        places.insert(places.end(), topology->reads.begin(), topology->reads.end());
        return places;
    }
    for (const std::string& name : options.preferred)
        if (const auto url = regional_endpoint(endpoint, name))
            if (const Region* const region = regions->at(name, *url)) places.push_back(region);
    return places;
}

Result<void> Client::Inside::fetch_order(Order& order, const Errand& errand,
                                         const std::stop_token& stop) {
    CallOptions call;
    call.stop = stop;
    if (errand.purpose == Purpose::probe)
        call.deadline = Deadline::in(2s, options.environment.clock.now());
    const auto held =
        regions->now(options.environment.clock.now());  // what it goes to is not freed
    Talk talk{*this, order, call, errand};
    if (auto opened = talk.open(); !opened) return opened.take_failure();
    auto done = http->converse(*errands, talk, talk.operation());
    if (!done) return done.take_failure();
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
