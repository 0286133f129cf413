// SPDX-License-Identifier: Apache-2.0
//
// What do the examples over HTTP talk to? The fault proxy, told to answer in a server's place.
//
//     const auto shop = loopback::server({{.fault = chaos::Fault::inject, .status = 201}});
//     http::Client client{loopback::url_of(*shop), …};
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "perdure/chaos/proxy.hpp"

namespace loopback {

// Behind it is nobody, so a rule must answer or break every request.
inline std::unique_ptr<perdure::chaos::Proxy> server(std::vector<perdure::chaos::Rule> rules) {
    return perdure::chaos::Proxy::start({.rules = std::move(rules)},
                                        {.to = "127.0.0.1:9", .id_header = "idempotency-key"})
        .value();
}

inline std::string url_of(const perdure::chaos::Proxy& proxy) {
    return "http://" + proxy.address();
}

inline perdure::chaos::Rule answer(int status, std::string body) {
    return {.fault = perdure::chaos::Fault::inject, .status = status, .body = std::move(body)};
}

}  // namespace loopback
