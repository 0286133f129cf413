// SPDX-License-Identifier: Apache-2.0
#include "client_inside.hpp"

#include <algorithm>
#include <utility>

#include "proxy_choice.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

constexpr Duration longest_set_up = 3s;
// Besides those of the given endpoints: a redirect, a document or a discovery service can name as many
// places as it likes, and each has connections.
constexpr std::size_t most_routes = 200;

Failure too_many_routes() {
    return {.cause = Cause::exhausted,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "too-many-routes",
            .message = "requests to " + std::to_string(most_routes) +
                       " places besides the given endpoints are under way; no further place is "
                       "connected to"};
}

ClientOptions with_set_up(ClientOptions options) {
    Plan& plan = options.plan;
    if (plan.set_up == Duration::zero()) plan.set_up = std::min(longest_set_up, plan.deadline / 3);
    return options;
}

}  // namespace

Client::Inside::Inside(const EndpointList& urls, ClientOptions chosen)
    : options{with_set_up(std::move(chosen))},
      caller{options.plan, options.environment},
      endpoints{urls, options.endpoints, &caller.budget()} {
    if (auto furnished = furnish(urls); !furnished) problem = furnished.error();
}

Result<void> Client::Inside::furnish(const EndpointList& urls) {
    const auto invalid = [](std::string message) {
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "invalid-client",
                     .message = std::move(message)});
    };
    if (urls.empty()) return invalid("a client needs at least one URL");
    if (!check(Request::get("/").header("User-Agent", options.user_agent)))
        return invalid("user_agent has a control character");
    reactor = dynamic_cast<net::Reactor*>(options.environment.executor);
    if (options.environment.executor && !reactor)
        return invalid("environment.executor cannot wait for sockets; give a net::Reactor");
    for (const std::string& url : urls) {
        auto known = route(url);
        if (!known) return known.take_failure();
        given_.push_back(*std::move(known));
    }
    first = given_.front().get();
    if (endpoints.order(TimePoint::min())->size() == 1) only = first;
    return {};
}

std::shared_ptr<Route> Client::Inside::used(const Lock&, Kept& kept) {
    kept.last_use = ++uses_;
    return kept.route;
}

Result<std::shared_ptr<Route>> Client::Inside::route(std::string_view url) {
    {
        const Lock held{mutex_};
        if (const auto known = routes_.find(url); known != routes_.end())
            return used(held, known->second);
    }
    auto parsed = parse_url(url);
    if (!parsed) return parsed.take_failure();
    return make(std::string{url}, *parsed);
}

Result<std::shared_ptr<Route>> Client::Inside::route(const Url& url) {
    {
        const Lock held{mutex_};
        for (auto& [key, known] : routes_)
            if (same_origin(known.route->url, url)) return used(held, known);
    }
    Url origin = url;
    origin.target = "/";
    origin.userinfo.clear();  // a server does not choose whom we say we are
    return make(to_string(origin), origin);
}

bool Client::Inside::full(const Lock&) const {
    return routes_.size() >= given_.size() + most_routes;
}

Client::Inside::Routes::node_type Client::Inside::take_oldest_unused(const Lock&) {
    auto oldest = routes_.end();
    for (auto one = routes_.begin(); one != routes_.end(); ++one)
        if (one->second.unused() &&
            (oldest == routes_.end() || one->second.last_use < oldest->second.last_use))
            oldest = one;
    return oldest == routes_.end() ? Routes::node_type{} : routes_.extract(oldest);
}

Result<std::shared_ptr<Route>> Client::Inside::make(std::string key, const Url& url) {
    auto proxy = proxy_for(url, options);
    if (!proxy) return proxy.take_failure();
    Routes::node_type gone;  // its connections are closed without the lock
    const Lock held{mutex_};
    if (const auto known = routes_.find(key); known != routes_.end())
        return used(held, known->second);
    if (full(held)) gone = take_oldest_unused(held);
    if (full(held)) return fail(too_many_routes());
    // Reading what the system trusts takes longer than many a request: not before it is needed.
    if (url.secure() && !tls_) {
        auto made = net::TlsContext::make(options.tls);
        if (!made) return made.take_failure();
        tls_ = *std::move(made);
    }
    net::PoolOptions pool = options.pool;
    pool.one_dials = pool.one_dials && caller.memory().waits_to_connect();
    Kept& kept = routes_[std::move(key)];
    kept.route = std::make_shared<Route>(
        url, url.secure() ? tls_ : nullptr,
        options.resolver ? *options.resolver : net::default_resolver(),
        RouteOptions{.pool = pool, .limits = options.limits, .proxy = *std::move(proxy)});
    return used(held, kept);
}

void Client::Inside::forget_unused() {
    std::vector<Routes::node_type> gone;
    const Lock held{mutex_};
    while (auto unused = take_oldest_unused(held)) gone.push_back(std::move(unused));
}

std::size_t Client::Inside::count() const {
    const Lock held{mutex_};
    return routes_.size();
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
