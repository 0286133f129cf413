// SPDX-License-Identifier: Apache-2.0
//
// Through which proxy, and what does it get to see?
#include "http/asking.hpp"

#include <stdlib.h>

#include "http/proxy_choice.hpp"

namespace perdure::http {
namespace {

class Proxies : public BothWays {
protected:
    static ClientOptions by(const Server& proxy, const std::string& user = "") {
        ClientOptions options = plain();
        options.proxy_from = ProxyFrom::option;
        options.proxy = "http://" + user + "127.0.0.1:" + proxy.port();
        return options;
    }
};
INSTANTIATE_TEST_SUITE_P(Both, Proxies, ::testing::Values(Way::blocking, Way::coroutine), name_of);

TEST_P(Proxies, are_handed_the_whole_address_of_plain_requests) {
    Server proxy{[](const Seen&) { return ok("forwarded"); }};
    Client client{"http://service.invalid:81/base", by(proxy, "me:word@")};
    EXPECT_EQ(ask(client, Request::get("/a?b"))->body, "forwarded");
    const Seen seen = proxy.seen().at(0);
    EXPECT_EQ(seen.target, "http://service.invalid:81/base/a?b");
    EXPECT_EQ(seen.header("host"), "service.invalid:81");
    EXPECT_EQ(seen.header("proxy-authorization"), "Basic bWU6d29yZA==");
}

TEST_P(Proxies, are_asked_for_a_tunnel_and_see_nothing_of_what_goes_through) {
    const auto identity = testing::make_identity("DNS:service.invalid");
    const auto context = testing::make_server(identity);
    const testing::PemFile trusted{identity};
    // Proxy and service in one: after CONNECT it speaks TLS as the service.
    Server proxy{[](const Seen& seen) {
                     if (seen.method == "CONNECT")
                         return Reply{"HTTP/1.1 200 Established\r\n\r\n", Then::encrypt};
                     return ok("secret " + seen.target);
                 },
                 {.tls = context.get(), .tls_at_once = false}};
    ClientOptions options = by(proxy, "me:word@");
    options.tls.ca_file = trusted.path();
    Client client{"https://service.invalid", options};
    Diagnostics diagnostics;
    const auto got = ask(client, Request::get("/a"), {.diagnostics = &diagnostics});
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "secret /a");
    EXPECT_TRUE(ask(client, Request::get("/b")));
    ASSERT_EQ(proxy.requests(), 3) << "one tunnel, two requests";
    const Seen connect = proxy.seen().at(0), inside = proxy.seen().at(1);
    EXPECT_EQ(connect.target, "service.invalid:443");
    EXPECT_EQ(connect.header("proxy-authorization"), "Basic bWU6d29yZA==");
    EXPECT_EQ(connect.header("user-agent"), "");
    EXPECT_EQ(inside.target, "/a");
    EXPECT_EQ(inside.header("proxy-authorization"), "");
    EXPECT_FALSE(diagnostics.attempts().at(0).phases->reused);
}

TEST_P(Proxies, that_refuse_a_tunnel_leave_the_request_without_effect) {
    const struct {
        Reply reply;
        Cause cause;
        int status;
    } cases[] = {{status(407, "who are you?"), Cause::forbidden, 407},
                 {status(502), Cause::unavailable, 502},
                 {{"HTTP/1.1 302 Found\r\nLocation: http://evil/\r\nContent-Length: 0\r\n\r\n"},
                  Cause::unavailable,
                  302},
                 {{"", Then::close}, Cause::unavailable, 0},
                 {{"", Then::reset}, Cause::unavailable, 0},
                 {{"nonsense\r\n\r\n"}, Cause::unavailable, 0}};
    for (const auto& each : cases) {
        SCOPED_TRACE(each.reply.bytes);
        Server proxy{[&](const Seen&) { return each.reply; }};
        Client client{"https://service.invalid", by(proxy)};
        const auto got = ask(client, Request::post("/").body("x"));
        ASSERT_FALSE(got);
        EXPECT_EQ(got.error().cause, each.cause);
        EXPECT_EQ(got.error().effect, Effect::none);
        EXPECT_EQ(got.error().status, each.status);
        EXPECT_EQ(client.connections().in_use, 0);
    }
}

TEST_P(Proxies, that_open_a_tunnel_to_no_tls_see_nothing_of_the_request) {
    Server proxy{[](const Seen& seen) {
        if (seen.method == "CONNECT")
            return Reply{"HTTP/1.1 200 Established\r\n\r\n" + ok("x").bytes};
        return ok("in plain text");
    }};
    Client client{"https://service.invalid", by(proxy)};
    const auto got = ask(client, Request::post("/").body("CANARY").header("X-Api-Key", "CANARY"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().effect, Effect::none) << to_string(got.error());
    for (const Seen& seen : proxy.seen()) {
        EXPECT_EQ(seen.method, "CONNECT");
        EXPECT_EQ(seen.header("x-api-key"), "");
        EXPECT_EQ(seen.body, "");
    }
}

TEST_P(Proxies, that_say_nothing_are_waited_for_no_longer_than_setting_up_may_take) {
    Server proxy{[](const Seen&) { return held(ok()); }};
    ClientOptions options = by(proxy);
    options.plan.set_up = 30ms;
    Client client{"https://service.invalid", options};
    const auto got = ask(client, Request::post("/").body("x"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::timed_out);
    EXPECT_EQ(got.error().effect, Effect::none);
}

TEST(ProxyChoice, exempts_names_and_networks_as_curl_does) {
    const struct {
        const char* list;
        const char* host;
        bool exempt;
    } cases[] = {
        {"", "example.com", false},
        {"*", "example.com", true},
        {"example.com", "example.com", true},
        {"example.com", "api.example.com", true},
        {"example.com", "notexample.com", false},
        {"example.com", "example.com.evil", false},
        {".example.com", "example.com", true},
        {".example.com", "api.EXAMPLE.com", true},
        {"a.com, b.com", "b.com", true},
        {"a.com b.com", "b.com", true},
        {" ,, ", "b.com", false},
        {"localhost,127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1", "127.0.0.10", false},
        {"10.0.0.0/8", "10.1.2.3", true},
        {"10.0.0.0/8", "11.1.2.3", false},
        {"10.0.0.0/33", "10.0.0.0", false},
        {"10.0.0.0/", "10.0.0.0", false},
        {"0.0.0.0/0", "8.8.8.8", true},
        {"[::1]", "::1", true},
        {"fd00::/8", "fd12::1", true},
        {"fd00::/8", "fe80::1", false},
        {"10.0.0.0/8", "name.of.10", false},
    };
    for (const auto& each : cases)
        EXPECT_EQ(exempt(each.list, each.host), each.exempt) << each.list << " | " << each.host;
}

// The variables that matter here, as they were before.
class Variables {
public:
    Variables() {
        for (const char* name : names) {
            const char* const value = ::getenv(name);
            before_.emplace_back(name, value ? std::optional<std::string>{value} : std::nullopt);
            ::unsetenv(name);
        }
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;
    ~Variables() {
        for (const auto& [name, value] : before_) {
            ::unsetenv(name);
            if (value) ::setenv(name, value->c_str(), 1);
        }
    }
    static constexpr std::array names = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
                                         "all_proxy",  "ALL_PROXY",  "no_proxy",    "NO_PROXY"};

private:
    std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

std::string chosen(const char* url, const ClientOptions& options = {}) {
    const auto hop = proxy_for(*parse_url(url), options);
    if (!hop) return hop.error().code;
    return *hop ? to_string((*hop)->url) : "direct";
}

TEST(ProxyChoice, reads_the_environment_as_curl_users_expect) {
    const Variables before;
    EXPECT_EQ(chosen("http://a/"), "direct");
    ::setenv("HTTP_PROXY", "http://capital:1", 1);
    EXPECT_EQ(chosen("http://a/"), "direct") << "a CGI client could have set it";
    ::setenv("http_proxy", "plain:3128", 1);
    ::setenv("HTTPS_PROXY", "http://secret:3129", 1);
    EXPECT_EQ(chosen("http://a/"), "http://plain:3128/");
    EXPECT_EQ(chosen("https://a/"), "http://secret:3129/");
    ::setenv("no_proxy", ".internal", 1);
    EXPECT_EQ(chosen("https://a.internal/"), "direct");
    EXPECT_EQ(chosen("http://a/", {.proxy_from = ProxyFrom::nowhere}), "direct");
    EXPECT_EQ(chosen("http://a/", {.proxy_from = ProxyFrom::option, .proxy = "http://mine"}),
              "http://mine/");
    for (const char* name : Variables::names) ::unsetenv(name);
    ::setenv("ALL_PROXY", "http://all:1", 1);
    EXPECT_EQ(chosen("http://a/"), "http://all:1/");
    ::setenv("ALL_PROXY", "socks5://all:1", 1);
    EXPECT_EQ(chosen("http://a/"), "invalid-proxy");
    EXPECT_EQ(chosen("http://a/", {.proxy_from = ProxyFrom::option, .proxy = "https://tls"}),
              "invalid-proxy");
}

}  // namespace
}  // namespace perdure::http
