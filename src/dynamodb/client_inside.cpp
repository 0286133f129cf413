// SPDX-License-Identifier: Apache-2.0
#include "client_inside.hpp"

#include <utility>

#include "perdure/http/url.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// A server on this machine signs for no region in particular.
std::string region_of(const std::string& given, const std::string& endpoint) {
    if (!given.empty() || endpoint.empty()) return given;
    const auto url = http::parse_url(endpoint);
    return url && http::is_loopback_host(url->host) ? "us-east-1" : std::string{};
}

}  // namespace

Client::Inside::Inside(ClientOptions chosen) : options{std::move(chosen)} {
    auto furnished = furnish();
    // Whoever asks for it gets one, though no call is made with it.
    if (!caller)
        caller.emplace(options.plan.value_or(Plan{.name = "dynamodb"}), options.environment);
    if (!furnished) problem = refused(std::move(furnished.error()));
}

Failure Client::Inside::refused(Failure failure) const {
    failure.stop = Stop::permanent;
    if (failure.dependency.empty()) failure.dependency = caller->plan().name;
    return failure;
}

Deadline Client::Inside::ends_by(const CallOptions& call) const {
    return call.deadline.tighter(
        Deadline::in(caller->plan().deadline, caller->environment().clock.now()));
}

// Files that nobody needs need not be readable.
Result<Settings> Client::Inside::settings() const {
    if (!options.region.empty() && !options.endpoint.empty() && options.credentials &&
        options.plan && options.adapt)
        return Settings{};
    return settings_from(options.surroundings);
}

Result<void> Client::Inside::furnish() {
    PERDURE_TRY_VALUE(const Settings found, settings());
    const std::string override_url =
        options.endpoint.empty() ? found.endpoint_url.value_or("") : options.endpoint;
    const std::string region =
        region_of(options.region.empty() ? found.region : options.region, override_url);
    PERDURE_TRY_VALUE(endpoint, endpoint_of({.region = region,
                                             .override_url = override_url,
                                             .fips = found.fips,
                                             .dual_stack = found.dual_stack}));
    credentials = options.credentials;
    if (!credentials) {
        PERDURE_TRY_VALUE(credentials, find_credentials(options.surroundings,
                                                        {.environment = options.environment}));
    }
    if (!options.adapt)
        options.adapt = found.retry_mode == RetryMode::adaptive ? Adapt::per_table : Adapt::nothing;
    return connect(found);
}

Plan Client::Inside::plan_of(const Settings& found) const {
    Plan plan = options.plan ? *options.plan
                             : with_settings(plan_for(Retries::perdure), found.retry_mode,
                                             found.max_attempts);
    if (options.adapt == Adapt::per_table) plan.limiter.kind = LimiterKind::adaptive;
    else if (!options.plan) plan.limiter = {};  // said so, whatever the settings say
    if (!options.plan && found.defaults_mode)
        plan.set_up = connect_timeout(*found.defaults_mode).value_or(plan.set_up);
    plan.place = host;
    return plan;
}

Result<void> Client::Inside::connect(const Settings& found) {
    PERDURE_TRY_VALUE(const http::Url url, http::parse_url(endpoint.url));
    host = http::host_of(url);
    skew.read(http::dates_of(url));
    head = "POST / HTTP/1.1\r\nHost: " + host + "\r\nUser-Agent: perdure\r\nContent-Length: ";
    signer.emplace(endpoint.signing_region);
    Plan plan = plan_of(found);
    most_attempts = plan.rule.attempts > 0 ? "; max=" + std::to_string(plan.rule.attempts) : "";
    first_attempt = "attempt=1" + most_attempts;
    if (options.tls.ca_file.empty() && options.tls.ca_path.empty())
        options.tls.ca_file = found.ca_bundle;
    caller.emplace(std::move(plan), options.environment);
    net::PoolOptions pool = options.pool;
    pool.one_dials = pool.one_dials && caller->memory().waits_to_connect();
    // Proxies are for what leaves the house.
    http.emplace(endpoint.url,
                 http::ClientOptions{.plan = {.name = "dynamodb"},
                                     .tls = options.tls,
                                     .pool = pool,
                                     .limits = options.limits,
                                     .proxy_from = url.secure() ? http::ProxyFrom::environment
                                                                : http::ProxyFrom::nowhere,
                                     .tell = http::Tell::nothing,
                                     .resolver = options.resolver,
                                     .environment = options.environment});
    PERDURE_TRY_VALUE(route, http->route(endpoint.url));
    return {};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
