// SPDX-License-Identifier: Apache-2.0
//
// Is an observer that wants calls told of each request, with the place and the phases of its attempts?
#include <atomic>
#include <mutex>
#include <vector>

#include "http/asking.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::http {
namespace {

class Collector final : public Observer {
public:
    void on_event(const Event&) noexcept override {}
    [[nodiscard]] bool wants_calls() const noexcept override { return true; }
    void on_call(const Diagnostics& call) noexcept override {
        const std::lock_guard lock{mutex_};
        calls_.push_back(call);
    }
    [[nodiscard]] std::vector<Diagnostics> calls() {
        const std::lock_guard lock{mutex_};
        return calls_;
    }

private:
    std::mutex mutex_;
    std::vector<Diagnostics> calls_;
};

class WatchedRequests : public BothWays {
protected:
    ClientOptions watched(int attempts) {
        ClientOptions options = repeating(attempts);
        options.environment.observer = &collector;
        return options;
    }
    Collector collector;
};
INSTANTIATE_TEST_SUITE_P(Both, WatchedRequests, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(WatchedRequests, come_with_place_and_phases) {
    std::atomic<int> asked = 0;
    Server server{[&](const Seen&) { return ++asked == 1 ? status(503) : ok("fine"); }};
    Client client{server.url(), watched(2)};
    const WallTime before = system_clock().wall();
    ASSERT_TRUE(ask(client, Request::get("/secret?token=hunter2"), {.name = "load"}));
    const auto calls = collector.calls();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_TRUE(calls[0].succeeded());
    EXPECT_GE(calls[0].began(), before);
    EXPECT_LE(calls[0].began(), system_clock().wall());
    const auto attempts = calls[0].attempts();
    ASSERT_EQ(attempts.size(), 2u);
    for (const AttemptRecord& each : attempts) {
        EXPECT_EQ("http://" + each.place, server.url());
        ASSERT_TRUE(each.phases);
        EXPECT_EQ(each.phases->sent, Sent::response_begun);
    }
    EXPECT_EQ(attempts[0].status, 503);
    EXPECT_EQ(calls[0].to_json().find("hunter2"), std::string::npos);
    if (GetParam() == Way::blocking) {
        EXPECT_GT(calls[0].cpu(), 0ns);
    }
}

TEST_P(WatchedRequests, come_when_they_fail_and_when_they_are_redirected) {
    Server server{[](const Seen& seen) {
        if (seen.target == "/moved") return status(302, "", "Location: /there\r\n");
        return seen.target == "/there" ? ok() : status(404);
    }};
    ClientOptions options = watched(1);
    options.redirects = 2;
    Client client{server.url(), options};
    EXPECT_FALSE(ask(client, Request::get("/nothing")));
    ASSERT_EQ(collector.calls().size(), 1u);
    EXPECT_FALSE(collector.calls()[0].succeeded());
    Diagnostics own;
    EXPECT_TRUE(ask(client, Request::get("/moved"), {.diagnostics = &own}));
    EXPECT_EQ(collector.calls().size(), 3u);  // one for each place that was asked
    EXPECT_TRUE(own.succeeded());
}

}  // namespace
}  // namespace perdure::http
