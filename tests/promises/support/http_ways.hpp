// SPDX-License-Identifier: Apache-2.0
//
// A call as a POST, made in three ways: by an `http::Client` with nothing configured but the addresses,
// whose request has a key, and by two plain loops of single requests, which have none.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "perdure/http/client.hpp"
#include "promises/support/drill.hpp"
#include "promises/support/plain_loop.hpp"

namespace perdure::promises {

inline constexpr int default_http_pool = 64;

// Calls may be made from any number of threads. Must outlive its ways.
class HttpWays {
public:
    explicit HttpWays(const std::vector<std::string>& urls, int pool = default_http_pool);

    [[nodiscard]] Ways ways();

private:
    using PlainClients = std::list<http::Client>;  // one for each address
    [[nodiscard]] Told with_perdure(std::int64_t number);
    [[nodiscard]] static Told with_loop(PlainClients& clients, std::size_t way,
                                        const LoopRules& rules, std::int64_t number);

    http::Client client_;
    PlainClients for_four_;
    PlainClients for_until_;
};

}  // namespace perdure::promises
