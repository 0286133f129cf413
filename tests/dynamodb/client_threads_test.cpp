// SPDX-License-Identifier: Apache-2.0
//
// What happens when many share one client, and when somebody no longer waits?
#include "dynamodb/talking.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "perdure/dynamodb/create_once.hpp"

namespace perdure::dynamodb {
namespace {

TEST(DynamoThreads, share_one_client) {
    Server server{[](const Seen&) { return said(R"({"Item":{"pk":{"S":"o#1"}}})"); }};
    Client client{talking_to(server)};
    std::atomic<int> good = 0;
    {
        std::vector<std::jthread> crew;
        for (int i = 0; i < 8; ++i)
            crew.emplace_back([&] {
                for (int n = 0; n < 50; ++n)
                    if (client.send(get_order)) ++good;
            });
    }
    EXPECT_EQ(good, 400);
}

Task<Result<Written>> create(Client& client, CallOptions options) {
    const CreateOnce creation{"orders", {{"pk", "a"}}, {"pk"}};
    auto call = client.start(creation, options);
    co_return co_await call;
}

// Its write is lost, and the question about it is never answered.
TEST(DynamoCoroutine, ends_when_it_is_stopped_while_it_asks) {
    Server server{[](const Seen& seen) {
        return operation_of(seen) == "PutItem" ? lost() : http::held(said("{}"));
    }};
    Client client{talking_to(server, quick(1))};
    std::stop_source stop;
    const std::jthread stopper{[&] {
        EXPECT_TRUE(server.becomes([&] { return server.requests() >= 2; }));
        stop.request_stop();
    }};
    CallOptions options;
    options.stop = stop.get_token();
    const auto made = block_on(net::default_reactor(), create(client, options));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::unknown);
    EXPECT_EQ(made.error().stop, Stop::cancelled);
}

TEST(DynamoCoroutine, that_is_never_awaited_asks_nobody) {
    Server server;
    Client client{talking_to(server)};
    for (int i = 0; i < 10; ++i) {
        const auto dropped = create(client, {});
        const auto another = client.start(get_order);
    }
    EXPECT_EQ(server.requests(), 0);
}

}  // namespace
}  // namespace perdure::dynamodb
