// SPDX-License-Identifier: Apache-2.0
//
// Where does a call go when a place is down, or slow? For docs/guide/endpoints-and-failover.md.
#include <cstdio>
#include <string>
#include <vector>

#include "loopback.hpp"
#include "perdure/http/client.hpp"

using namespace perdure;

namespace {

// [failover]
// The best place first. The same paths are asked for at each.
Result<std::string> read_price(const std::string& east, const std::string& west) {
    http::Client prices{{east, west},
                        {.plan = {.name = "prices", .deadline = 2s},
                         .endpoints = {.mark_for = 1min},
                         .proxy_from = http::ProxyFrom::nowhere}};
    const auto price = prices.send(http::Request::get("/prices/7"));
    if (!price) return fail(price.error());
    if (prices.endpoints().marked(east, system_clock().now()))
        std::puts("east is marked: for a minute, calls begin in the west");
    return price->body;
}
// [/failover]

// [hedge]
// A read that has no answer after 20 ms is sent to the second place too. The slower one is cut off.
Result<std::string> read_slow_price(const std::string& east, const std::string& west) {
    http::Client prices{
        {east, west},
        {.plan = {.name = "prices", .deadline = 2s, .hedge = HedgeOptions{.after = 20ms}},
         .proxy_from = http::ProxyFrom::nowhere}};
    const auto price = prices.send(http::Request::get("/prices/7"));
    std::printf("copies sent: %d, won: %d\n",
                static_cast<int>(prices.caller().counts().hedges_made),
                static_cast<int>(prices.caller().counts().hedges_won));
    if (!price) return fail(price.error());
    return price->body;
}
// [/hedge]

// [prewarm]
// Before the first request: connects and shakes hands, so that no caller pays for it.
bool ready_for_traffic(http::Client& prices) {
    const auto idle = prices.prewarm(4);
    return idle && *idle == 4;
}
// [/prewarm]

}  // namespace

int main() {
    const auto west = loopback::server({loopback::answer(200, "42 from the west")});
    const auto down =
        loopback::server({{.fault = chaos::Fault::refuse, .closed_for = Duration{never}}});
    const auto price = read_price(loopback::url_of(*down), loopback::url_of(*west));
    if (!price) return std::puts(to_string(price.error()).c_str()), 1;
    std::puts(price->c_str());

    const auto silent = loopback::server({{.fault = chaos::Fault::black_hole}});
    const auto slow = read_slow_price(loopback::url_of(*silent), loopback::url_of(*west));
    if (!slow) return std::puts(to_string(slow.error()).c_str()), 1;
    std::puts(slow->c_str());

    http::Client prices{loopback::url_of(*west), {.proxy_from = http::ProxyFrom::nowhere}};
    return ready_for_traffic(prices) && prices.connections().idle == 4 ? 0 : 1;
}
