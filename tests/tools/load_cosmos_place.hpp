// SPDX-License-Identifier: Apache-2.0
//
// A container to load into, in an account that is not there: the fake gateway.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "load/target/cosmos/cosmos_target.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/containers.hpp"
#include "tools/load_target_case.hpp"

namespace tool::load {

namespace cosmos = perdure::cosmos;
namespace chaos = perdure::chaos;

// Used by one thread.
class CosmosPlace final : public TargetPlace {
public:
    explicit CosmosPlace(const chaos::GatewayOptions& options = {}) {
        auto started = chaos::CosmosGateway::start(options);
        if (!started) missing_ = to_string(started.error());
        else gateway_ = *std::move(started);
    }
    [[nodiscard]] std::string missing() const override { return missing_; }
    [[nodiscard]] chaos::CosmosGateway& gateway() const { return *gateway_; }
    [[nodiscard]] CosmosTargetOptions options(int workers) const {
        CosmosTargetOptions made{.key = key, .workers = workers};
        made.url = {.endpoint = gateway_->endpoint(),
                    .database = "shop",
                    .container = "orders",
                    .partition = partition};
        made.access = {.endpoint = gateway_->endpoint(), .key = std::string{chaos::emulator_key}};
        return made;
    }
    [[nodiscard]] std::unique_ptr<Target> open(int workers) override {
        auto target = open_cosmos_target(options(workers));
        EXPECT_TRUE(target) << to_string(target.error());
        return *std::move(target);
    }
    void drop_table() override {
        cosmos::Client client{{.endpoint = gateway_->endpoint(), .key = options(1).access.key}};
        ASSERT_TRUE(client.send(cosmos::DeleteContainer{{"shop", "orders"}}));
    }
    [[nodiscard]] std::uint64_t ledger_items(const std::string&) override {
        return gateway_->items("shop", "perdure_load", "East US");
    }
    [[nodiscard]] std::vector<double> extremes() const override {
        return {-1e300, 5e-324, 1.7976931348623157e308};
    }

    std::string partition{};
    std::string key{};

private:
    std::string missing_{};
    std::unique_ptr<chaos::CosmosGateway> gateway_;
};

}  // namespace tool::load
