// SPDX-License-Identifier: Apache-2.0
//
// Microsoft's JavaScript client of Cosmos DB (@azure/cosmos) with its defaults, in a process of its own
// that makes the calls it is asked for.
//
//     if (!JsClient::missing().empty()) GTEST_SKIP() << JsClient::missing();
//     JsClient js;
//     js.connect(gateway.endpoint(), {"East US", "West US"});
//     const Told told = js.call(Does::read, "k17", 10s);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"
#include "perdure/http/client.hpp"
#include "promises/support/region_drill.hpp"

namespace perdure::promises {

// Calls may be made from any number of threads; it ends with the thread that made it.
class JsClient {
public:
    // Why it cannot be used here; empty if it can.
    [[nodiscard]] static std::string missing();

    JsClient();
    // To another account; what was there before is forgotten.
    void connect(const std::string& endpoint, const std::vector<std::string>& preferred);
    // A call that its caller aborts after that time. It knows two words, as a plain loop does.
    [[nodiscard]] Told call(Does does, const std::string& item, Duration deadline);

private:
    const live::TempDir home_;
    const std::uint16_t port_ = live::free_port();
    live::Process process_;
    http::Client client_;
};

}  // namespace perdure::promises
