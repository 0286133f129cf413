// SPDX-License-Identifier: Apache-2.0
//
// How does a server honour its caller's deadline, and leave repeating to him? For
// docs/guide/honour-a-callers-deadline.md.
#include <cstdio>
#include <string>

#include "loopback.hpp"
#include "perdure/http/client.hpp"
#include "perdure/http/propagation.hpp"

using namespace perdure;

namespace {

// [handler]
// Called by your HTTP server with the headers of the request it has read.
http::Response handle(const http::Headers& headers, http::Client& stock, const Clock& clock) {
    const http::Inherited inherited = http::parse_inherited(headers);
    const Attempt outer = http::attempt_of(inherited, clock, 2s);  // our own limit

    const auto left = stock.send(http::Request::get("/stock/7"),
                                 {.within = &outer, .nested = http::nested_of(inherited)});
    if (left) return {.status = 200, .body = left->body};
    // 504: we gave up waiting. 503: the stock did not do it. The caller's own table reads both.
    return {.status = left.error().cause == Cause::timed_out ? 504 : 503};
}
// [/handler]

http::Headers told(std::string_view milliseconds, std::string_view retries) {
    http::Headers headers;
    if (!milliseconds.empty()) headers.add(http::timeout_header, milliseconds);
    if (!retries.empty()) headers.add(http::retries_header, retries);
    return headers;
}

}  // namespace

int main() {
    const auto flaky = loopback::server(
        {{.fault = chaos::Fault::inject, .match = {.every_nth = 2}, .body = "busy"},
         loopback::answer(200, "3 left")});
    const http::ClientOptions options{
        .plan = {.name = "stock", .deadline = 2s, .rule = {.backoff = {.base = 2ms}}},
        .proxy_from = http::ProxyFrom::nowhere};
    http::Client stock{loopback::url_of(*flaky), options};
    Clock& clock = system_clock();

    // Nobody said anything: our own retries mend the 503.
    if (handle({}, stock, clock).status != 200) return 1;
    // The caller repeats, so we do not: one attempt, and he is told.
    if (handle(told("800", "owner"), stock, clock).status != 503) return 1;
    if (flaky->counters().requests != 3) return 1;

    // He waits for another 60 ms, so neither do we wait longer.
    const auto silent = loopback::server({{.fault = chaos::Fault::black_hole}});
    http::Client mute{loopback::url_of(*silent), options};
    const TimePoint before = clock.now();
    const int status = handle(told("60", "owner"), mute, clock).status;
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - before);
    std::printf("%d after %d ms\n", status, static_cast<int>(took.count()));
    return status == 504 && took < 1s ? 0 : 1;
}
