// SPDX-License-Identifier: Apache-2.0
//
// Whom does a client believe, to whom does it show its credentials, and how much does it swallow?
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>

#include "live/support/asking.hpp"
#include "live/support/nginx.hpp"
#include "live/support/tcp_server.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::live {
namespace {

using http::Client;
using http::ClientOptions;
using http::Request;

constexpr Way ways[] = {Way::blocking, Way::coroutine};

ClientOptions trusting(const std::string& ca = {}) {
    return {
        .plan = {.name = "live"}, .tls = {.ca_file = ca}, .proxy_from = http::ProxyFrom::nowhere};
}

// A server that answers everything with the same bytes and remembers what it heard.
class Parrot {
public:
    explicit Parrot(std::string answer) : answer_{std::move(answer)} {}
    [[nodiscard]] std::uint16_t port() const noexcept { return server_.port(); }
    [[nodiscard]] std::string heard() const {
        const std::scoped_lock lock{mutex_};
        return heard_;
    }

private:
    void reply(Peer& peer) {
        if (peer.in.find("\r\n\r\n") == std::string::npos) return;
        const std::scoped_lock lock{mutex_};
        heard_ += peer.in;
        peer.in.clear();
        peer.out += answer_;
    }

    std::string answer_;
    mutable std::mutex mutex_;
    std::string heard_;
    TcpServer server_{{.on_bytes = [this](Peer& peer, TimePoint) { reply(peer); }}};
};

struct LiveSecurity : ::testing::Test {
    void SetUp() override {
        if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
    }
    void start(const std::string& lines = {}) {
        nginx = std::make_unique<Nginx>(NginxOptions{.server = lines});
        ca = nginx->certificates().ca;
    }

    std::unique_ptr<Nginx> nginx;
    std::string ca;
};

TEST_F(LiveSecurity, bad_certificates_are_refused_once_and_never_tried_again) {
    start();
    const Nginx::Ports& ports = nginx->ports();
    const struct {
        const char* name;
        std::uint16_t port;
        std::string trusted;
    } cases[] = {{"wrong name", ports.wrong_name, ca},
                 {"expired", ports.expired, ca},
                 {"self-signed", ports.self_signed, ca},
                 {"unknown authority", ports.tls, ""}};
    for (const auto& [what, port, trusted] : cases) {
        for (const Way way : ways) {
            SCOPED_TRACE(std::string{what} + ", " + name_of(way));
            Client client{secure_url_of(port), trusting(trusted)};
            Diagnostics diagnostics;
            const auto refused =
                ask(client, Request::get("/small"), way, {.diagnostics = &diagnostics});
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().cause, Cause::forbidden);
            EXPECT_EQ(refused.error().effect, Effect::none);
            EXPECT_EQ(refused.error().code, "tls-certificate");
            EXPECT_EQ(refused.error().stop, Stop::permanent);
            EXPECT_EQ(refused.error().attempts, 1);
            ASSERT_EQ(diagnostics.attempts().size(), 1u);
            EXPECT_EQ(diagnostics.attempts().front().phases->reached, Phase::tls);
            EXPECT_EQ(diagnostics.attempts().front().phases->sent, Sent::nothing);
        }
    }
    Client good{secure_url_of(ports.tls), trusting(ca)};
    EXPECT_EQ(good.send(Request::get("/small")).value().body, Nginx::small());
}

TEST_F(LiveSecurity, a_server_that_speaks_only_tls_1_1_gets_no_request) {
    const TempDir home;
    const Certificates pem{home};
    const std::uint16_t port = free_port();
    Process server{{find_program("openssl"), "s_server", "-accept",
                    "127.0.0.1:" + std::to_string(port), "-cert", pem.good, "-key", pem.good,
                    "-quiet", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"},
                   home.file("log")};
    ASSERT_EQ(wait_for_port(port), Answers::yes);
    ClientOptions options = trusting(pem.ca);
    options.plan.rule.attempts = 1;
    Client client{secure_url_of(port), options};
    for (const Way way : ways) {
        const auto refused = ask(client, Request::post("/"), way);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().cause, Cause::unavailable);
        EXPECT_EQ(refused.error().effect, Effect::none);
        EXPECT_EQ(refused.error().code, "tls");
    }
}

TEST_F(LiveSecurity, redirects_are_answers_unless_the_client_says_otherwise) {
    start();
    Client client{url_of(nginx->ports().plain), trusting()};
    for (const Way way : ways) {
        const auto answer = ask(client, Request::get("/redirect"), way);
        ASSERT_TRUE(answer) << to_string(answer.error());
        EXPECT_EQ(answer->status, 302);
        EXPECT_EQ(answer->headers.find("location").value_or(""), "http://elsewhere.invalid/small");
    }
}

TEST_F(LiveSecurity, credentials_do_not_follow_a_redirect_to_another_place) {
    const Parrot other{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"};
    start("location = /away { return 307 " + url_of(other.port()) + "/taken; }\n" +
          "location = /near { return 307 /echo; }\n"
          "location = /echo { return 200 '$http_authorization|$http_cookie'; }\n");
    ClientOptions options = trusting();
    options.redirects = 3;
    Client client{"http://user:secret1@127.0.0.1:" + std::to_string(nginx->ports().plain), options};
    const auto to = [](const char* target) {
        return Request::get(target)
            .header("cookie", "secret2")
            .header("x-api-key", "secret4")
            .header("accept", "text/kept");
    };
    for (const Way way : ways) {
        SCOPED_TRACE(name_of(way));
        const auto near = ask(client, to("/near"), way);
        ASSERT_TRUE(near) << to_string(near.error());
        EXPECT_EQ(near->body, "Basic dXNlcjpzZWNyZXQx|secret2");
        const auto moved = ask(client, to("/away"), way);
        ASSERT_TRUE(moved) << to_string(moved.error());
        EXPECT_EQ(moved->body, "there");
    }
    Client bearer{url_of(nginx->ports().plain), options};
    const auto moved = bearer.send(to("/away").header("authorization", "Bearer secret3"));
    ASSERT_TRUE(moved) << to_string(moved.error());
    const std::string heard = other.heard();
    EXPECT_EQ(heard.find("secret"), std::string::npos) << heard;
    EXPECT_EQ(heard.find("uthorization"), std::string::npos) << heard;
    EXPECT_NE(heard.find("accept: text/kept"), std::string::npos) << heard;
}

TEST_F(LiveSecurity, what_is_secret_does_not_follow_a_redirect_into_the_open) {
    const Parrot other{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"};
    start("location = /away { return 307 " + url_of(other.port()) + "/taken; }\n");
    ClientOptions options = trusting(ca);
    options.redirects = 3;
    Client client{secure_url_of(nginx->ports().tls), options};
    for (const Way way : ways) {
        const auto answer = ask(client, Request::get("/away"), way);
        ASSERT_TRUE(answer) << to_string(answer.error());
        EXPECT_EQ(answer->status, 307);
    }
    EXPECT_EQ(other.heard(), "");
}

TEST_F(LiveSecurity, an_answer_larger_than_the_limit_is_refused_and_not_asked_for_again) {
    start("location = /bomb { gzip on; gzip_types *; gzip_min_length 1; root .;\n"
          "rewrite ^ /files/bomb break; }\n");
    constexpr std::size_t mega = 1 << 20;
    nginx->home().write("files/bomb", std::string(20 * mega, '0'));
    const std::string head = "HTTP/1.1 200 OK\r\n";
    const Parrot long_line{head + "X: " + std::string(mega, 'x')};
    std::string fields = head;
    for (int i = 0; i < 1000; ++i) fields += "X-" + std::to_string(i) + ": y\r\n";
    const Parrot many_fields{fields + "Content-Length: 0\r\n\r\n"};
    const struct {
        const char* name;
        std::uint16_t port;
        const char* target;
    } cases[] = {{"body", nginx->ports().plain, "/files/large"},
                 {"gzip bomb", nginx->ports().plain, "/bomb"},
                 {"one long header", long_line.port(), "/"},
                 {"too many headers", many_fields.port(), "/"}};
    for (const auto& [what, port, target] : cases) {
        for (const Way way : ways) {
            SCOPED_TRACE(std::string{what} + ", " + name_of(way));
            ClientOptions options = trusting();
            options.encoding = http::AskFor::gzip;
            options.limits.body = mega / 2;
            options.limits.decompressed = mega / 2;
            Client client{url_of(port), options};
            Diagnostics diagnostics;
            const auto refused =
                ask(client, Request::get(target), way, {.diagnostics = &diagnostics});
            ASSERT_FALSE(refused);
            EXPECT_EQ(refused.error().cause, Cause::too_large) << to_string(refused.error());
            EXPECT_EQ(refused.error().stop, Stop::permanent);
            EXPECT_EQ(diagnostics.attempts().size(), 1u);
        }
    }
}

}  // namespace
}  // namespace perdure::live
