// SPDX-License-Identifier: Apache-2.0
//
// How is a service called over HTTP, and what does a failure say? For
// docs/guide/call-a-service-over-http.md and the README.
#include <cstdio>
#include <string>

#include "loopback.hpp"
#include "perdure/http/client.hpp"

using namespace perdure;

namespace {

// [profile]
// Nothing is a good answer here: this user has no profile yet.
Result<std::string> load_profile(http::Client& users, const std::string& id) {
    const auto answer = users.send(http::Request::get("/profiles/" + id).answers(404));
    if (!answer) return fail(answer.error());
    return answer->status == 404 ? std::string{} : answer->body;
}
// [/profile]

// [order]
const char* place_order(http::Client& shop, const std::string& json) {
    const auto placed = shop.send(http::Request::post("/orders").body(json, "application/json"));
    if (placed) return "ordered";
    switch (placed.error().effect) {
        case Effect::none: return "not ordered: may be sent again";
        case Effect::applied: return "ordered, but the answer was lost";
        case Effect::unknown: break;
    }
    return "perhaps ordered: ask the shop before sending it again";
}
// [/order]

// [key]
Result<http::Response> order_with_key(http::Client& shop, const std::string& json) {
    return shop.send(
        http::Request::post("/orders").body(json, "application/json").idempotency_key());
}
// [/key]

// [trace]
void print_phases(const Diagnostics& record) {
    for (const AttemptRecord& attempt : record.attempts()) {
        if (!attempt.phases) continue;
        std::printf("attempt %d reached %s, sent: %s\n", attempt.number,
                    std::string{to_string(attempt.phases->reached)}.c_str(),
                    std::string{to_string(attempt.phases->sent)}.c_str());
    }
}

Result<http::Response> traced(http::Client& users) {
    Diagnostics record;
    http::Response refusal;  // what the server said last, if the call fails
    auto answer = users.send(http::Request::get("/report"),
                             {.name = "report", .diagnostics = &record, .last_answer = &refusal});
    print_phases(record);
    if (!answer) std::printf("%d: %s\n", refusal.status, refusal.body.c_str());
    return answer;
}
// [/trace]

http::ClientOptions quick() {
    return {.plan = {.name = "shop", .deadline = 2s, .rule = {.backoff = {.base = 2ms}}},
            .proxy_from = http::ProxyFrom::nowhere};
}

// [readme]
int buy(const std::string& url) {
    http::Client shop{url, {.plan = {.name = "shop", .deadline = 3s}}};
    const auto order = http::Request::post("/orders").body(R"({"book": 7})", "application/json");

    const auto placed = shop.send(order);  // 3 s: waiting, DNS, TLS, attempts, body, everything
    if (placed) return std::puts(placed->body.c_str()), 0;
    // "shop: unavailable, effect unknown, code 503: …": perhaps booked, so not sent again.
    std::puts(to_string(placed.error()).c_str());
    return 1;
}
// [/readme]

bool same_key_in_both_attempts(const chaos::Proxy& shop) {
    std::string first;
    int seen = 0;
    for (const chaos::Record& record : shop.records()) {
        if (record.request == 0) continue;
        if (seen++ == 0) first = record.id;
        else if (record.id != first) return false;
    }
    return seen == 2 && !first.empty();
}

}  // namespace

int main() {
    const auto busy_then_well =
        loopback::server({{.fault = chaos::Fault::reset_before, .match = {.to = 1}},
                          loopback::answer(201, "order 7")});
    http::Client shop{loopback::url_of(*busy_then_well), quick()};
    const auto ordered = order_with_key(shop, "{}");
    if (!ordered || !same_key_in_both_attempts(*busy_then_well)) return 1;
    std::printf("%s, in two attempts with one key\n", ordered->body.c_str());

    // A reset after the request was sent: without a key nobody repeats it.
    if (auto lost = busy_then_well->change({.rules = {{.fault = chaos::Fault::reset_before}}});
        !lost)
        return 1;
    std::puts(place_order(shop, "{}"));

    const auto broken = loopback::server({loopback::answer(503, "closed for repairs")});
    http::Client users{loopback::url_of(*broken), quick()};
    if (traced(users)) return 1;
    if (buy(loopback::url_of(*broken)) == 0) return 1;

    const auto empty = loopback::server({loopback::answer(404, "")});
    http::Client nobody{loopback::url_of(*empty), quick()};
    return load_profile(nobody, "7") ? 0 : 1;
}
