// SPDX-License-Identifier: Apache-2.0
#include "promises/support/js_client.hpp"

#include <chrono>

#include "live/support/npm.hpp"
#include "perdure/chaos/cosmos/options.hpp"
#include "promises/support/plain_loop.hpp"

namespace perdure::promises {
namespace {

// Not under test: it asks once and waits longer than a call may take.
http::ClientOptions js_options() {
    http::ClientOptions options{.proxy_from = http::ProxyFrom::nowhere};
    options.plan.rule.attempts = 1;
    options.plan.budget.kind = BudgetKind::none;
    options.plan.deadline = 2 * call_limit;
    options.plan.attempt_timeout = 2 * call_limit;
    return options;
}

std::string list_of(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "\"" : ",\"") + name + "\"";
    return "[" + list + "]";
}

}  // namespace

std::string JsClient::missing() {
    const std::string why = live::npm_missing("@azure/cosmos");
    return why.empty() ? live::node_missing() : why;
}

JsClient::JsClient()
    : process_{{live::node(), "--no-warnings", PERDURE_PROMISES_TESTS "/cosmos_calls.mjs",
                live::npm_path(""), std::to_string(port_)},
               home_.file("log")},
      client_{"http://127.0.0.1:" + std::to_string(port_), js_options()} {
    // Its modules are read in a second on an idle machine.
    if (live::wait_for_port(port_, 30s) == live::Answers::no)
        live::give_up("the JavaScript client did not start: " + process_.log());
}

void JsClient::connect(const std::string& endpoint, const std::vector<std::string>& preferred) {
    const std::string json = R"({"endpoint":")" + endpoint + R"(","key":")" +
                             std::string{chaos::emulator_key} + R"(","preferred":)" +
                             list_of(preferred) + "}";
    const auto answer = client_.send(http::Request::post("/client").body(json, "application/json"));
    if (!answer) live::give_up(to_string(answer.error()));
}

Told JsClient::call(Does does, const std::string& item, Duration deadline) {
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline).count();
    const std::string json = std::string{R"({"does":")"} + (does == Does::read ? "read" : "write") +
                             R"(","id":")" + item + R"(","deadline":)" +
                             std::to_string(milliseconds) + "}";
    const auto answer = client_.send(http::Request::post("/call").body(json, "application/json"));
    if (!answer) return {Word::not_done, to_string(answer.error())};
    return answer->body.empty() ? Told{} : Told{Word::not_done, answer->body};
}

}  // namespace perdure::promises
