// SPDX-License-Identifier: Apache-2.0
//
// How do these tests talk to a service that does what they say? Over loopback, blocking and by
// coroutine; both must say the same.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "http/server.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::dynamodb {

using http::Reply;
using http::Seen;
using http::Server;

enum class Way : std::uint8_t { blocking, coroutine };

inline const GetItem get_order{"orders", {{"pk", "o#1"}}};

inline Plan quick(int attempts = 4) {
    Plan plan = plan_for(Retries::perdure);
    plan.rule.attempts = attempts;
    plan.rule.backoff = {.base = 1ms, .cap = 1ms};
    for (NamedRule& named : plan.rules) named.rule.backoff = {.base = 1ms, .cap = 1ms};
    plan.resolve.backoff = {.base = 1ms, .cap = 1ms};
    return plan;
}

inline ClientOptions talking_to(const Server& server, Plan plan = quick()) {
    ClientOptions options;
    options.region = "eu-west-1";
    options.endpoint = server.url();
    options.credentials = fixed_credentials({"AKIDEXAMPLE", "the-secret"});
    options.plan = std::move(plan);
    options.settle = 5ms;
    options.surroundings = {};
    return options;
}

inline Reply said(std::string_view json, std::string_view headers = {}) {
    return http::ok(json, headers);
}
inline Reply refused_reply(std::string_view code, std::string_view more = {}, int status = 400) {
    const std::string body = R"({"__type":"com.amazonaws.dynamodb.v20120810#)" + std::string{code} +
                             R"(","message":"no")" + std::string{more} + "}";
    return http::status(status, body);
}
inline Reply lost() { return {"", http::Then::reset}; }

inline std::string operation_of(const Seen& seen) {
    const std::string target = seen.header("x-amz-target");
    return target.substr(target.find('.') + 1);
}
// What stands between two texts; for looking into bodies without another parser.
inline std::string between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t at = text.find(before);
    if (at == std::string_view::npos) return {};
    const std::size_t from = at + before.size();
    return std::string{text.substr(from, text.find(after, from) - from)};
}

// For suites that are run both ways.
class BothWays : public ::testing::TestWithParam<Way> {
protected:
    template <class R>
    static Result<typename R::Answer> ask(Client& client, const R& request,
                                          const CallOptions& options = {}) {
        if (GetParam() == Way::blocking) return client.send(request, options);
        return block_on(net::default_reactor(), client.start(request, options));
    }
};

inline std::string name_of(const ::testing::TestParamInfo<Way>& way) {
    return way.param == Way::blocking ? "blocking" : "coroutine";
}

}  // namespace perdure::dynamodb
