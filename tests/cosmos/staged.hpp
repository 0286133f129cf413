// SPDX-License-Identifier: Apache-2.0
//
// How do these tests talk to an account that does what they say? To the fake gateway over loopback,
// blocking and by coroutine; both must say the same.
//
//     Stage stage;
//     stage->set("East US", chaos::RegionState::retired);
//     EXPECT_TRUE(ask(client, read_of("1")));
//     EXPECT_EQ(stage.told(), "East US 403/1008, West US 200");
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cosmos/orders.hpp"
#include "perdure/call/block_on.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::cosmos {

using chaos::GatewayFault;
using chaos::RegionState;
using chaos::RequestKind;

inline std::string item_json(const std::string& id, const std::string& more = {}) {
    return R"({"id":")" + id + R"(","pk":"A")" + more + "}";
}
inline ReadItem read_of(const std::string& id) { return {orders, id, PartitionKey{"A"}}; }
inline CreateItem create_of(const std::string& id) {
    return {orders, item_json(id), PartitionKey{"A"}};
}

// The client's own plan with waits that a test can afford. What the service asks for is waited.
inline Plan quick() {
    Plan plan = plan_for(Retries::perdure);
    plan.rule.backoff = {.base = 1ms, .cap = 1ms};
    for (NamedRule& named : plan.rules) {
        named.rule.backoff = {.base = 1ms, .cap = 1ms};
        if (named.rule.hint.use == HintUse::plus) named.rule.hint.by = 1ms;
    }
    plan.resolve.backoff = {.base = 1ms, .cap = 1ms};
    return plan;
}

// East US takes the writes.
inline chaos::GatewayOptions account_of(int regions) {
    const std::vector<std::string> names{"East US", "West US", "North Europe"};
    chaos::GatewayOptions options;
    options.regions.clear();
    for (int i = 0; i < regions; ++i)
        options.regions.push_back({.name = names[static_cast<std::size_t>(i)]});
    return options;
}
inline chaos::GatewayOptions multi_write_account(int regions) {
    chaos::GatewayOptions options = account_of(regions);
    options.writes = chaos::WriteMode::multiple;
    return options;
}

// A clock that runs as the system's does, on a wall that is wrong.
class WrongWall final : public Clock {
public:
    explicit WrongWall(Duration ahead) : ahead_{ahead} {}
    [[nodiscard]] TimePoint now() const noexcept override { return system_clock().now(); }
    [[nodiscard]] WallTime wall() const noexcept override {
        return system_clock().wall() +
               std::chrono::duration_cast<WallTime::duration>(ahead_.load());
    }
    void put_right() { ahead_ = Duration::zero(); }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        return system_clock().sleep_until(until, stop);
    }

private:
    std::atomic<Duration> ahead_;
};

// An account with the container `orders` and the item "known" in it. Used by one thread.
class Stage {
public:
    explicit Stage(const chaos::GatewayOptions& options = account_of(2)) {
        auto started = chaos::CosmosGateway::start(options);
        if (!started) throw FailureError{started.error()};
        gateway_ = *std::move(started);
        Client admin{options_for()};
        admin.send(CreateDatabase{"shop"}).value();
        admin.send(CreateContainer{orders, {"/pk"}}).value();
        admin.send(create_of("known")).value();
        (void)gateway_->take_records();
    }

    chaos::CosmosGateway* operator->() const noexcept { return gateway_.get(); }

    [[nodiscard]] ClientOptions options_for(Plan plan = quick(),
                                            Environment environment = {}) const {
        return {.endpoint = gateway_->endpoint(),
                .key = std::string{chaos::emulator_key},
                .plan = std::move(plan),
                .settle = 20ms,
                .environment = environment};
    }

    // Where the items were asked for since this was last called, and what was answered; 0: nothing.
    std::string told() {
        std::string all;
        seen_ = gateway_->take_records();
        for (const chaos::GatewayRecord& one : seen_) {
            if (one.path.find("/docs") == std::string::npos) continue;
            all += (all.empty() ? "" : ", ") + one.region + ' ' + std::to_string(one.status);
            if (one.substatus != 0) all += '/' + std::to_string(one.substatus);
        }
        return all;
    }
    // Of what told() told.
    [[nodiscard]] std::vector<chaos::GatewayRecord> items() const { return with("/docs"); }
    [[nodiscard]] std::size_t account_reads() const {
        std::size_t count = 0;
        for (const chaos::GatewayRecord& one : seen_)  // in regions it is a probe
            count += one.path == "/" && one.region == "global" ? 1u : 0u;
        return count;
    }
    [[nodiscard]] std::size_t range_reads() const { return with("/pkranges").size(); }

    [[nodiscard]] std::size_t times_written(const std::string& id) const {
        return gateway_->writes({"shop", "orders", R"(["A"])", id}).size();
    }

private:
    [[nodiscard]] std::vector<chaos::GatewayRecord> with(std::string_view path) const {
        std::vector<chaos::GatewayRecord> found;
        for (const chaos::GatewayRecord& one : seen_)
            if (one.path.find(path) != std::string::npos) found.push_back(one);
        return found;
    }

    std::unique_ptr<chaos::CosmosGateway> gateway_;
    std::vector<chaos::GatewayRecord> seen_;
};

enum class Way : std::uint8_t { blocking, coroutine };

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

inline Deadline within(Duration time) { return Deadline::in(time, system_clock().now()); }

}  // namespace perdure::cosmos
