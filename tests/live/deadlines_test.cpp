// SPDX-License-Identifier: Apache-2.0
//
// Whatever the network does: does a call with 300 ms end by then, say where it was stuck and what can
// have happened, and leave a client that works?
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>

#include "live/support/asking.hpp"
#include "live/support/counting_server.hpp"
#include "live/support/dripper.hpp"
#include "live/support/late.hpp"
#include "live/support/network_namespace.hpp"
#include "live/support/nginx.hpp"
#include "perdure/call/diagnostics.hpp"
#include "perdure/chaos/proxy.hpp"

namespace perdure::live {
namespace {

using http::Client;
using http::ClientOptions;
using http::Request;

constexpr Duration deadline = 300ms;
constexpr Duration slack = 500ms;  // of a busy machine; `make bench` says how much it really is

// A place where a request gets stuck, until it is mended.
class Trouble {
public:
    Trouble() = default;
    Trouble(const Trouble&) = delete;
    Trouble& operator=(const Trouble&) = delete;
    virtual ~Trouble() = default;

    // Why it cannot be had here; empty if it can.
    virtual std::string missing() { return {}; }
    virtual std::string url() = 0;
    virtual void furnish(ClientOptions& /*options*/) {}
    // Before the call, with the client that will make it.
    virtual void begin(Client& /*client*/) {}
    virtual void mend() = 0;
    virtual std::string body() { return "hello"; }
};

class SilentResolver final : public Trouble {
    std::string url() override { return url_of(server_.port(), "users.test"); }
    void furnish(ClientOptions& options) override { options.resolver = &resolver_; }
    void mend() override { dns_.begin(); }

    LateDns dns_;
    CountingServer server_;
    net::Resolver resolver_{{.servers = {dns_.where()}}};
};

class FullQueue final : public Trouble {
    std::string url() override { return url_of(server_.port()); }
    void mend() override { server_.begin(); }

    LateServer server_{LateServer::Queue::full};
};

class LostPackets final : public Trouble {
    std::string missing() override {
        if (far_.missing().empty()) {
            far_.within([this] { server_ = std::make_unique<CountingServer>("0.0.0.0"); });
            far_.drop_packets();
        }
        return far_.missing();
    }
    std::string url() override { return "http://" + far_.address(server_->port()).to_string(); }
    void mend() override { far_.pass_packets(); }

    NetworkNamespace far_;
    std::unique_ptr<CountingServer> server_;
};

class SilentServer : public Trouble {
    std::string url() override { return url_of(server_.port()); }
    void mend() override { server_.begin(); }

    LateServer server_{LateServer::Queue::in};
};

// More than the system's buffers take, so that it matters that nobody reads.
class DeafServer final : public SilentServer {
    std::string body() override { return std::string(16 << 20, 'x'); }
};

class StalledHandshake final : public Trouble {
    std::string missing() override { return Nginx::missing(); }
    std::string url() override {
        nginx_ = std::make_unique<Nginx>();
        proxy_ = chaos::Proxy::start({.rules = {{.fault = chaos::Fault::black_hole}},
                                      .protocol = chaos::Protocol::tcp},
                                     {.to = "127.0.0.1:" + std::to_string(nginx_->ports().tls)})
                     .value();
        return secure_url_of(proxy_->port());
    }
    void furnish(ClientOptions& options) override {
        options.tls.ca_file = nginx_->certificates().ca;
    }
    void mend() override { proxy_->change({.protocol = chaos::Protocol::tcp}).value(); }

    std::unique_ptr<Nginx> nginx_;
    std::unique_ptr<chaos::Proxy> proxy_;
};

template <DripperOptions::What drips>
class Dripping final : public Trouble {
    std::string url() override { return url_of(server_.port()); }
    void mend() override { server_.mend(); }

    Dripper server_{{.drips = drips}};
};

// One connection is all there is, and another call has it.
class FullPool final : public Trouble {
    std::string url() override { return url_of(server_.port()); }
    void furnish(ClientOptions& options) override { options.pool.max_connections = 1; }
    void begin(Client& client) override {
        holder_ = std::jthread{[&client](const std::stop_token& stop) {
            (void)client.send(Request::post("/held"), {.stop = stop});
        }};
        while (client.connections().in_use == 0) std::this_thread::yield();
    }
    void mend() override {
        server_.mend();
        holder_ = {};  // stops it and waits: it uses the client
    }

    Dripper server_{{.drips = DripperOptions::What::nothing}};
    std::jthread holder_;
};

template <class Made>
std::unique_ptr<Trouble> make() {
    return std::make_unique<Made>();
}

struct Row {
    const char* name;
    std::unique_ptr<Trouble> (*make)();
    Cause cause;
    Effect effect;
    Phase phase;
    const char* code;
};

using What = DripperOptions::What;
constexpr Row rows[] = {
    {"a_silent_resolver", make<SilentResolver>, Cause::timed_out, Effect::none, Phase::dns,
     "dns-timeout"},
    {"an_address_that_never_answers", make<FullQueue>, Cause::timed_out, Effect::none,
     Phase::connect, "connect-timeout"},
    {"packets_that_vanish", make<LostPackets>, Cause::timed_out, Effect::none, Phase::connect,
     "connect-timeout"},
    {"a_stalled_tls_handshake", make<StalledHandshake>, Cause::timed_out, Effect::none, Phase::tls,
     "tls-timeout"},
    {"a_server_that_accepts_and_does_not_read", make<DeafServer>, Cause::timed_out, Effect::unknown,
     Phase::send, "send-timeout"},
    {"a_server_that_accepts_and_is_silent", make<SilentServer>, Cause::timed_out, Effect::unknown,
     Phase::first_byte, "first-byte-timeout"},
    {"a_server_that_reads_and_is_silent", make<Dripping<What::nothing>>, Cause::timed_out,
     Effect::unknown, Phase::first_byte, "first-byte-timeout"},
    {"a_dripping_head", make<Dripping<What::head>>, Cause::timed_out, Effect::unknown, Phase::body,
     "body-timeout"},
    {"a_dripping_body", make<Dripping<What::body>>, Cause::timed_out, Effect::applied, Phase::body,
     "body-timeout"},
};
constexpr Row full_pool{"a_full_pool", make<FullPool>, Cause::exhausted,
                        Effect::none,  Phase::pool,    "pool-full"};

// one_attempt: an upload that is tried once. default_plan: a read under the plan nobody changed.
// In both the call has 300 ms. short_plan: the plan has them and divides them among its attempts.
enum class Under : std::uint8_t { one_attempt, default_plan, short_plan };

std::string name_of(Under under) {
    const char* const words[] = {"one_attempt", "default_plan", "short_plan"};
    return words[static_cast<int>(under)];
}
std::ostream& operator<<(std::ostream& out, Under under) { return out << name_of(under); }

Plan plan_of(Under under) {
    switch (under) {
        case Under::one_attempt: return {.name = "live", .rule = {.attempts = 1}};
        case Under::default_plan: return {.name = "live"};
        case Under::short_plan: return {.name = "live", .deadline = deadline};
    }
    return {};
}

Request request_of(Under under, Trouble& trouble) {
    if (under == Under::one_attempt) return Request::post("/").body(trouble.body());
    return Request::put("/").body(trouble.body());
}

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class LiveDeadlines : public ::testing::TestWithParam<std::tuple<Row, Under, Way>> {
protected:
    static void expect_in_time(Duration took, Under under) {
        EXPECT_LE(took, deadline + slack);
        // Nor is it given up early, unless the plan's own attempts end before.
        if (under == Under::short_plan) return;
        EXPECT_GE(took, deadline);
    }
    static void expect_the_words_of(const Row& row, const Failure& failure,
                                    const Diagnostics& diagnostics) {
        EXPECT_EQ(failure.cause, row.cause);
        EXPECT_EQ(failure.effect, row.effect);
        EXPECT_EQ(failure.code, row.code);
        ASSERT_FALSE(diagnostics.attempts().empty());
        for (const AttemptRecord& attempt : diagnostics.attempts()) {
            ASSERT_TRUE(attempt.phases);
            EXPECT_EQ(to_string(attempt.phases->reached), to_string(row.phase));
            EXPECT_EQ(attempt.code, row.code);
        }
    }
};

TEST_P(LiveDeadlines, hold_and_the_next_call_works) {
    const auto& [row, under, way] = GetParam();
    const auto trouble = row.make();
    if (const std::string missing = trouble->missing(); !missing.empty()) GTEST_SKIP() << missing;
    const std::string url = trouble->url();
    ClientOptions options{.plan = plan_of(under), .proxy_from = http::ProxyFrom::nowhere};
    trouble->furnish(options);
    Client client{url, options};
    trouble->begin(client);

    const Request request = request_of(under, *trouble);
    Diagnostics diagnostics;
    const TimePoint began = system_clock().now();
    const auto result =
        ask(client, request, way,
            {.deadline = Deadline::in(deadline, began), .diagnostics = &diagnostics});
    expect_in_time(system_clock().now() - began, under);
    ASSERT_FALSE(result);
    SCOPED_TRACE(to_string(result.error()) + "\n" + diagnostics.to_json());
    expect_the_words_of(row, result.error(), diagnostics);

    trouble->mend();
    const auto next = ask(client, Request::get("/small"), way);
    EXPECT_TRUE(next) << to_string(next.error());
}

std::string name(const ::testing::TestParamInfo<std::tuple<Row, Under, Way>>& each) {
    const auto& [row, under, way] = each.param;
    return std::string{row.name} + "_" + name_of(under) + "_" + name_of(way);
}

using ::testing::Combine;
using ::testing::Values;
using ::testing::ValuesIn;
INSTANTIATE_TEST_SUITE_P(Against, LiveDeadlines,
                         Combine(ValuesIn(rows), Values(Under::one_attempt),
                                 Values(Way::blocking, Way::coroutine)),
                         name);
INSTANTIATE_TEST_SUITE_P(AgainstRepeated, LiveDeadlines,
                         Combine(ValuesIn(rows), Values(Under::short_plan), Values(Way::coroutine)),
                         name);
INSTANTIATE_TEST_SUITE_P(AgainstUnchanged, LiveDeadlines,
                         Combine(ValuesIn(rows), Values(Under::default_plan),
                                 Values(Way::blocking)),
                         name);
INSTANTIATE_TEST_SUITE_P(AgainstOurselves, LiveDeadlines,
                         Combine(Values(full_pool), Values(Under::one_attempt, Under::default_plan),
                                 Values(Way::blocking, Way::coroutine)),
                         name);

}  // namespace
}  // namespace perdure::live
