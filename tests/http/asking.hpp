// SPDX-License-Identifier: Apache-2.0
//
// How do these tests ask? Blocking and by coroutine; both must say the same.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "http/server.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/http/client.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::http {

enum class Way : std::uint8_t { blocking, coroutine };

inline Result<Response> ask(Client& client, const Request& request, Way way,
                            const SendOptions& options = {}) {
    if (way == Way::blocking) return client.send(request, options);
    return block_on(net::default_reactor(), client.start(request, options));
}

// One attempt and no proxy, whatever the machine says.
inline ClientOptions plain(Plan plan = {.name = "test", .deadline = 5s, .rule = {.attempts = 1}}) {
    return {.plan = std::move(plan), .proxy_from = ProxyFrom::nowhere};
}
// Repeats at once.
inline ClientOptions repeating(int attempts) {
    return plain({.name = "test",
                  .deadline = 5s,
                  .rule = {.attempts = attempts, .backoff = {.base = 1ms, .cap = 1ms}}});
}

inline std::string name_of(const ::testing::TestParamInfo<Way>& way) {
    return way.param == Way::blocking ? "blocking" : "coroutine";
}

// For suites that are run both ways.
class BothWays : public ::testing::TestWithParam<Way> {
protected:
    static Result<Response> ask(Client& client, const Request& request,
                                const SendOptions& options = {}) {
        return http::ask(client, request, GetParam(), options);
    }
};

}  // namespace perdure::http
