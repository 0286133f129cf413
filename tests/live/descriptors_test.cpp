// SPDX-License-Identifier: Apache-2.0
//
// No descriptors left: does the client say that it is ourselves, and recover?
#include <gtest/gtest.h>

#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "live/support/asking.hpp"
#include "live/support/nginx.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::live {
namespace {

using http::Client;
using http::Request;

#if defined(__has_feature)
constexpr bool sanitized = __has_feature(undefined_behavior_sanitizer);
#else
constexpr bool sanitized = false;
#endif

// While it lives, this process gets no new descriptor. Servers are other processes.
class NoDescriptors {
public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int lowest = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        rlimit none = before_;
        none.rlim_cur = static_cast<rlim_t>(lowest);
        ::close(lowest);
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

class LiveDescriptors : public ::testing::TestWithParam<Way> {
    void SetUp() override {
        if (sanitized) GTEST_SKIP() << "the undefined-behaviour sanitizer needs some itself";
        (void)net::default_reactor();  // who has none left before the first call cannot even wait
    }
};
INSTANTIATE_TEST_SUITE_P(Asked, LiveDescriptors, ::testing::Values(Way::blocking, Way::coroutine),
                         way_name);

TEST_P(LiveDescriptors, having_none_left_is_exhausted_without_effect_and_passes) {
    if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    const Nginx nginx;
    http::ClientOptions options{.plan = {.name = "live", .deadline = 2s},
                                .proxy_from = http::ProxyFrom::nowhere};
    options.tls.ca_file = nginx.certificates().ca;
    for (const std::string& url : {url_of(nginx.ports().plain), secure_url_of(nginx.ports().tls)}) {
        SCOPED_TRACE(url);
        Client client{url, options};
        {
            const NoDescriptors left;
            Diagnostics diagnostics;
            const auto none =
                ask(client, Request::post("/small"), GetParam(), {.diagnostics = &diagnostics});
            ASSERT_FALSE(none);
            EXPECT_EQ(none.error().cause, Cause::exhausted) << to_string(none.error());
            EXPECT_EQ(none.error().effect, Effect::none);
            EXPECT_EQ(none.error().code, "EMFILE");
            ASSERT_FALSE(diagnostics.attempts().empty());
            EXPECT_EQ(diagnostics.attempts().back().phases.value().reached, Phase::connect);
        }
        const auto next = ask(client, Request::get("/small"), GetParam());
        EXPECT_TRUE(next) << to_string(next.error());
    }
}

// A connection that is there needs no descriptor.
TEST_P(LiveDescriptors, pooled_connections_work_without_any_left) {
    if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    const Nginx nginx;
    Client client{url_of(nginx.ports().plain), {.proxy_from = http::ProxyFrom::nowhere}};
    ASSERT_TRUE(ask(client, Request::get("/small"), GetParam()));
    const NoDescriptors left;
    const auto next = ask(client, Request::get("/small"), GetParam());
    EXPECT_TRUE(next) << to_string(next.error());
}

TEST_P(LiveDescriptors, a_name_that_cannot_be_asked_for_is_exhausted_too) {
    net::Resolver resolver{
        {.servers = {"127.0.0.1:" + std::to_string(free_port())}, .give_up_after = 50ms}};
    Client client{"http://users.test",
                  {.plan = {.name = "live", .rule = {.attempts = 1}},
                   .proxy_from = http::ProxyFrom::nowhere,
                   .resolver = &resolver}};
    const auto unknown = ask(client, Request::get("/"), GetParam());  // starts its thread
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().effect, Effect::none);
    const NoDescriptors left;
    const auto none = ask(client, Request::get("/"), GetParam());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().cause, Cause::exhausted) << to_string(none.error());
    EXPECT_EQ(none.error().effect, Effect::none);
}

}  // namespace
}  // namespace perdure::live
