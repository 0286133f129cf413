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
// Routes are kept, and a server can name as many places as it likes.
constexpr std::size_t most_routes = 200;

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
    for (const std::string& url : urls)
        if (auto known = route(url); !known) return known.take_failure();
    first = *route(urls.front());
    if (endpoints.order(TimePoint::min())->size() == 1) only = first;
    return {};
}

Result<Route*> Client::Inside::route(std::string_view url) {
    {
        const std::lock_guard held{mutex_};
        if (const auto known = routes_.find(url); known != routes_.end())
            return known->second.get();
    }
    auto parsed = parse_url(url);
    if (!parsed) return parsed.take_failure();
    return make(std::string{url}, *parsed);
}

Result<Route*> Client::Inside::route(const Url& url) {
    {
        const std::lock_guard held{mutex_};
        for (const auto& [key, known] : routes_)
            if (same_origin(known->url, url)) return known.get();
        if (routes_.size() >= most_routes)
            return fail({.cause = Cause::exhausted,
                         .origin = Origin::application,
                         .message = "redirects have led to too many places"});
    }
    Url origin = url;
    origin.target = "/";
    origin.userinfo.clear();  // a server does not choose whom we say we are
    return make(to_string(origin), origin);
}

Result<Route*> Client::Inside::make(std::string key, const Url& url) {
    auto proxy = proxy_for(url, options);
    if (!proxy) return proxy.take_failure();
    const std::lock_guard held{mutex_};
    // Reading what the system trusts takes longer than many a request: not before it is needed.
    if (url.secure() && !tls_) {
        auto made = net::TlsContext::make(options.tls);
        if (!made) return made.take_failure();
        tls_ = *std::move(made);
    }
    auto& route = routes_[std::move(key)];
    net::PoolOptions pool = options.pool;
    pool.one_dials = pool.one_dials && caller.memory().waits_to_connect();
    if (!route)
        route = std::make_unique<Route>(
            url, url.secure() ? tls_ : nullptr,
            options.resolver ? *options.resolver : net::default_resolver(),
            RouteOptions{.pool = pool, .limits = options.limits, .proxy = *std::move(proxy)});
    return route.get();
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
