// SPDX-License-Identifier: Apache-2.0
//
// How is an HTTP request awaited? Two statements, on a reactor. For
// docs/guide/call-a-service-over-http.md.
#include <cstdio>
#include <stop_token>
#include <string>
#include <utility>

#include "loopback.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/http/client.hpp"
#include "perdure/net/reactor.hpp"

using namespace perdure;

namespace {

// [await]
Task<Result<std::string>> load_greeting(http::Client& users, std::string id) {
    auto call = users.start(http::Request::get("/profiles/" + id));
    auto profile = co_await call;
    if (!profile) co_return profile.take_failure();
    co_return "hello, " + profile->body;
}
// [/await]

// [stop]
Task<Result<http::Response>> until_stopped(http::Client& users, std::stop_token stop) {
    const http::SendOptions options{.name = "profile", .stop = std::move(stop)};
    auto call = users.start(http::Request::get("/profiles/7"), options);
    co_return co_await call;
}
// [/stop]

}  // namespace

int main() {
    const auto server =
        loopback::server({{.fault = chaos::Fault::inject, .match = {.to = 1}, .body = "busy"},
                          {.fault = chaos::Fault::inject,
                           .match = {.from = 2, .to = 2},
                           .status = 200,
                           .body = "Ada"},
                          {.fault = chaos::Fault::black_hole}});
    // [run]
    http::Client users{
        loopback::url_of(*server),
        {.plan = {.name = "users", .deadline = 2s}, .proxy_from = http::ProxyFrom::nowhere}};
    const auto said = block_on(net::default_reactor(), load_greeting(users, "7"));
    // [/run]
    if (!said) return std::puts(to_string(said.error()).c_str()), 1;
    std::puts(said->c_str());

    std::stop_source nobody_waits;
    nobody_waits.request_stop();
    const auto stopped =
        block_on(net::default_reactor(), until_stopped(users, nobody_waits.get_token()));
    if (stopped || stopped.error().stop != Stop::cancelled) return 1;
    std::puts(to_string(stopped.error()).c_str());
    return 0;
}
