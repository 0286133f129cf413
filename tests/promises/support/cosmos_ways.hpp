// SPDX-License-Identifier: Apache-2.0
//
// A call as a point read or an upsert, made in four ways: by a `cosmos::Client` with nothing configured
// but the account, by two plain loops of single requests that know both regions, and by Microsoft's
// JavaScript client.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "perdure/cosmos/client.hpp"
#include "perdure/http/client.hpp"
#include "promises/support/cosmos_account.hpp"
#include "promises/support/js_client.hpp"
#include "promises/support/plain_loop.hpp"

namespace perdure::promises {

// What a phase is about, if it is not about the defaults.
struct Configured {
    std::vector<std::string> preferred{};  // of Perdure and the JavaScript SDK
    std::optional<Duration> hedge_after{};
    Duration short_deadline{};  // of the calls beside; zero: no such calls
};

// Calls may be made from any number of threads. Must outlive its ways.
class CosmosWays {
public:
    // `js` may be null: then there is no such way.
    CosmosWays(const CosmosAccount& account, Does does, Configured configured, JsClient* js);

    [[nodiscard]] std::vector<RegionWay> ways();

private:
    using PlainClients = std::list<http::Client>;  // one for each region
    [[nodiscard]] RegionWay perdures();
    [[nodiscard]] RegionWay loops(const std::string& key, PlainClients& clients,
                                  const LoopRules& rules);
    [[nodiscard]] RegionWay javascripts();
    [[nodiscard]] Told with_perdure(const std::string& item, Duration deadline);
    [[nodiscard]] Result<void> try_once(http::Client& client, const std::string& item,
                                        Deadline deadline) const;

    const Does does_;
    const Configured configured_;
    cosmos::Client client_;
    PlainClients for_four_;
    PlainClients for_until_;
    JsClient* const js_;
};

}  // namespace perdure::promises
