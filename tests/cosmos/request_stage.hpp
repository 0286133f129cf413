// SPDX-License-Identifier: Apache-2.0
//
// How do these tests send requests? To an account on loopback with one container, blocking and by
// coroutine; both must say the same.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "perdure/call/block_on.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/plans.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/net/reactor.hpp"

namespace perdure::cosmos {

inline Plan hasty_plan() {
    Plan plan = plan_for(Retries::perdure, "stage");
    plan.rule.backoff = {.base = 1ms, .cap = 1ms};
    for (NamedRule& named : plan.rules) named.rule.backoff = {.base = 1ms, .cap = 1ms};
    plan.resolve.backoff = {.base = 1ms, .cap = 1ms};
    return plan;
}

// Made and used by the test; the container is {"db", "c"} with the key /pk.
class RequestStage {
public:
    explicit RequestStage(std::size_t partitions = 1) {
        chaos::GatewayOptions options;
        options.partitions = partitions;
        options.marker = usual_marker;
        options.record_headers = {"x-ms-documentdb-partitionkeyrangeid", "x-ms-continuation"};
        auto started = chaos::CosmosGateway::start(options);
        if (!started) throw FailureError{started.error()};
        gateway_ = *std::move(started);
        client_ = another_client();
        const auto made = ensure_database(*client_, CreateDatabase{"db"});
        EXPECT_TRUE(made) << to_string(made.error());
        const auto container = ensure_container(*client_, CreateContainer{name, {"/pk"}});
        EXPECT_TRUE(container) << to_string(container.error());
    }

    const ContainerName name{"db", "c"};
    [[nodiscard]] Client& client() noexcept { return *client_; }
    [[nodiscard]] chaos::CosmosGateway& gateway() noexcept { return *gateway_; }
    [[nodiscard]] std::unique_ptr<Client> another_client() const {
        ClientOptions options;
        options.endpoint = gateway_->endpoint();
        options.key = chaos::emulator_key;
        options.plan = hasty_plan();
        options.settle = 5ms;
        return std::make_unique<Client>(std::move(options));
    }
    // Item i under the key "k<i>".
    void fill(int items) {
        for (int i = 0; i < items; ++i) {
            const std::string number = std::to_string(i);
            const std::string json = R"({"id":"i)" + number + R"(","pk":"k)" + number + "\"}";
            const auto made = client().send(CreateItem{name, json, PartitionKey{"k" + number}});
            ASSERT_TRUE(made) << to_string(made.error());
        }
    }
    [[nodiscard]] std::size_t writes_of(std::string_view id) const {
        std::size_t count = 0;
        for (const auto& write : gateway_->writes())
            if (write.id == id) ++count;
        return count;
    }
    // Requests for items by this method since the last time.
    [[nodiscard]] int asked(std::string_view method) const {
        int count = 0;
        for (const auto& one : gateway_->records())
            if (one.method == method && one.path.find("/docs") != std::string::npos) ++count;
        return count;
    }
    void forget() { (void)gateway_->take_records(); }

private:
    std::unique_ptr<chaos::CosmosGateway> gateway_;
    std::unique_ptr<Client> client_;
};

enum class Driven : std::uint8_t { blocking, coroutine };

// For suites that are run both ways.
class DrivenBothWays : public ::testing::TestWithParam<Driven> {
protected:
    static bool blocking() { return GetParam() == Driven::blocking; }
    template <class Awaited>
    static auto await(Awaited awaited) {
        return block_on(net::default_reactor(), std::move(awaited));
    }
    template <class R>
    static Result<typename R::Answer> ask(Client& client, const R& request,
                                          const CallOptions& options = {}) {
        if (blocking()) return client.send(request, options);
        return await(client.start(request, options));
    }
};

inline std::string driven_name(const ::testing::TestParamInfo<Driven>& way) {
    return way.param == Driven::blocking ? "blocking" : "coroutine";
}

}  // namespace perdure::cosmos
