// SPDX-License-Identifier: Apache-2.0
//
// A network that loses packets and says nothing: does the client still know what can have happened?
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "live/support/asking.hpp"
#include "live/support/counting_server.hpp"
#include "live/support/network_namespace.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::live {
namespace {

using http::Client;
using http::Request;

constexpr Duration far_deadline = 300ms;
constexpr Duration far_slack = 500ms;

class LiveNetwork : public ::testing::TestWithParam<Way> {
protected:
    void SetUp() override {
        if (!far.missing().empty()) GTEST_SKIP() << far.missing();
        far.within([this] { server = std::make_unique<CountingServer>("0.0.0.0"); });
    }
    // Has 300 ms; the client's own plan has ten seconds.
    Result<http::Response> ask_briefly(Client& client, const Request& request) {
        const TimePoint began = system_clock().now();
        auto result =
            ask(client, request, GetParam(),
                {.deadline = Deadline::in(far_deadline, began), .diagnostics = &diagnostics});
        EXPECT_LE(system_clock().now() - began, far_deadline + far_slack);
        return result;
    }
    [[nodiscard]] Phases last_phases() const {
        return diagnostics.attempts().back().phases.value();
    }

    NetworkNamespace far;
    std::unique_ptr<CountingServer> server;
    Diagnostics diagnostics;
};
INSTANTIATE_TEST_SUITE_P(Asked, LiveNetwork, ::testing::Values(Way::blocking, Way::coroutine),
                         way_name);

http::ClientOptions without_proxy() { return {.proxy_from = http::ProxyFrom::nowhere}; }

TEST_P(LiveNetwork, a_black_hole_ends_the_call_in_time_and_nothing_was_sent) {
    Client client{"http://" + far.black_hole(80).to_string(), without_proxy()};
    const auto lost = ask_briefly(client, Request::post("/"));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().cause, Cause::timed_out);
    EXPECT_EQ(lost.error().effect, Effect::none);
    EXPECT_EQ(lost.error().code, "connect-timeout");
    EXPECT_EQ(last_phases().reached, Phase::connect);
    EXPECT_EQ(last_phases().sent, Sent::nothing);
}

TEST_P(LiveNetwork, a_cable_that_breaks_under_a_pooled_connection_leaves_the_effect_unknown) {
    Client client{"http://" + far.address(server->port()).to_string(), without_proxy()};
    ASSERT_TRUE(ask(client, Request::get("/"), GetParam()));
    far.drop_packets();
    const auto lost = ask_briefly(client, Request::post("/").header("x-request-id", "lost"));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().cause, Cause::timed_out);
    EXPECT_EQ(lost.error().effect, Effect::unknown);
    EXPECT_EQ(lost.error().code, "first-byte-timeout");
    EXPECT_EQ(last_phases().reached, Phase::first_byte);
    EXPECT_TRUE(last_phases().reused);

    // A new connection does not get through either, but there nothing was sent.
    const auto unsent = ask_briefly(client, Request::post("/").header("x-request-id", "unsent"));
    ASSERT_FALSE(unsent);
    EXPECT_EQ(unsent.error().effect, Effect::none);
    EXPECT_EQ(unsent.error().code, "connect-timeout");

    far.pass_packets();
    const auto next = ask(client, Request::post("/").header("x-request-id", "next"), GetParam());
    EXPECT_TRUE(next) << to_string(next.error());
    EXPECT_EQ(server->arrivals("next"), 1);
    EXPECT_LE(server->arrivals("lost"), 1);
    EXPECT_EQ(server->arrivals("unsent"), 0);
}

}  // namespace
}  // namespace perdure::live
