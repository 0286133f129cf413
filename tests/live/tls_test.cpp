// SPDX-License-Identifier: Apache-2.0
//
// TLS against nginx and openssl's own server.
#include "perdure/net/tls.hpp"

#include <gtest/gtest.h>

#include <malloc.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "live/support/nginx.hpp"
#include "live/support/patient.hpp"

namespace perdure::live {
namespace {

using net::IoKind;
using net::TlsContext;
using net::TlsOptions;
using net::TlsStream;

std::shared_ptr<TlsContext> context(const TlsOptions& options) {
    return TlsContext::make(options).value();
}

std::unique_ptr<TlsStream> call(TlsContext& tls, std::uint16_t port, std::string_view host) {
    return tls.over(connect(net::Address::v4({127, 0, 0, 1}, port)), host, port);
}

net::Io shake_hands(TlsStream& stream) {
    return patiently(stream, [&] { return stream.handshake(); });
}

constexpr std::string_view last_request =
    "GET /small HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
constexpr std::string_view request = "GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n";

struct LiveTls : ::testing::Test {
    void SetUp() override {
        if (!Nginx::missing().empty()) GTEST_SKIP() << Nginx::missing();
        nginx = std::make_unique<Nginx>();
        tls = context({.ca_file = nginx->certificates().ca});
    }

    std::unique_ptr<Nginx> nginx;
    std::shared_ptr<TlsContext> tls;
};

TEST_F(LiveTls, a_request_and_its_answer_and_then_a_goodbye) {
    for (const char* host : {"localhost", "127.0.0.1"}) {
        SCOPED_TRACE(host);
        const auto stream = call(*tls, nginx->ports().tls, host);
        ASSERT_EQ(shake_hands(*stream).kind, IoKind::done) << stream->trouble();
        EXPECT_EQ(stream->version(), "TLSv1.3");
        say(*stream, last_request);
        const Heard heard = hear(*stream);
        EXPECT_TRUE(heard.text.starts_with("HTTP/1.1 200 OK\r\n"));
        EXPECT_TRUE(heard.text.ends_with(Nginx::small()));
        EXPECT_EQ(heard.last.kind, IoKind::closed) << stream->trouble();
    }
}

TEST_F(LiveTls, bad_certificates_are_refused_in_the_right_words) {
    const Nginx::Ports& ports = nginx->ports();
    const struct {
        std::uint16_t port;
        const char* trouble;
    } cases[] = {
        {ports.wrong_name, "hostname mismatch"},
        {ports.expired, "certificate has expired"},
        {ports.self_signed, "self-signed certificate"},
    };
    for (const auto& [port, trouble] : cases) {
        SCOPED_TRACE(trouble);
        const auto stream = call(*tls, port, "localhost");
        const Failure failure = net::tls_failure(*stream, shake_hands(*stream));
        EXPECT_EQ(failure.cause, Cause::forbidden);
        EXPECT_EQ(failure.effect, Effect::none);
        EXPECT_EQ(failure.code, "tls-certificate");
        EXPECT_EQ(failure.message, trouble);
    }
    const auto careless = context({.verify = net::TlsVerify::off});
    for (const auto& [port, trouble] : cases)
        EXPECT_EQ(shake_hands(*call(*careless, port, "localhost")).kind, IoKind::done) << trouble;
}

TEST_F(LiveTls, an_authority_the_system_does_not_know_is_refused) {
    const auto stream = call(*context({}), nginx->ports().tls, "localhost");
    const Failure failure = net::tls_failure(*stream, shake_hands(*stream));
    EXPECT_EQ(failure.cause, Cause::forbidden);
    EXPECT_EQ(failure.message, "unable to get local issuer certificate");
}

TEST_F(LiveTls, later_handshakes_are_short_ones) {
    for (const std::uint16_t port : {nginx->ports().tls, nginx->ports().tls_1_2}) {
        for (const bool resumed : {false, true, true, true}) {
            const auto stream = call(*tls, port, "localhost");
            ASSERT_EQ(shake_hands(*stream).kind, IoKind::done) << stream->trouble();
            EXPECT_EQ(stream->resumed(), resumed);
            say(*stream, last_request);
            hear(*stream);
        }
    }
}

TEST_F(LiveTls, an_idle_connection_is_quiet_until_the_server_closes_it) {
    const auto stream = call(*tls, nginx->ports().tls, "localhost");
    ASSERT_EQ(shake_hands(*stream).kind, IoKind::done);
    EXPECT_TRUE(stream->quiet()) << "the tickets are no noise";
    say(*stream, request);
    EXPECT_TRUE(hear(*stream, 1).text.ends_with(Nginx::small()));
    EXPECT_TRUE(stream->quiet());
    nginx->stop();
    ASSERT_TRUE(ready(stream->fd(), net::Ready::read));
    EXPECT_FALSE(stream->quiet());
}

TEST_F(LiveTls, a_client_can_show_its_own_certificate) {
    const Certificates& pem = nginx->certificates();
    const auto known = context({.ca_file = pem.ca, .certificate_file = pem.client});
    const struct {
        TlsContext& with;
        const char* answer;
    } cases[] = {{*known, "HTTP/1.1 200"}, {*tls, "HTTP/1.1 400"}};
    for (const auto& [with, answer] : cases) {
        const auto stream = call(with, nginx->ports().wants_client, "localhost");
        ASSERT_EQ(shake_hands(*stream).kind, IoKind::done) << stream->trouble();
        say(*stream, last_request);
        EXPECT_EQ(hear(*stream).text.substr(0, 12), answer);
    }
}

TEST_F(LiveTls, an_idle_connection_takes_at_most_45_kilobytes) {
    constexpr std::size_t connections = 200;
    std::vector<std::unique_ptr<TlsStream>> streams;
    const auto open_one = [&] {
        auto stream = call(*tls, nginx->ports().tls, "localhost");
        ASSERT_EQ(shake_hands(*stream).kind, IoKind::done) << stream->trouble();
        say(*stream, request);
        hear(*stream, 1);
        streams.push_back(std::move(stream));
    };
    open_one();  // what the first one sets up for all
    const auto before = ::mallinfo2();
    for (std::size_t i = 0; i < connections; ++i) open_one();
    const auto after = ::mallinfo2();
    if (after.uordblks == before.uordblks) GTEST_SKIP() << "a sanitizer's allocator does not count";
    const std::size_t each = (after.uordblks - before.uordblks) / connections;
    RecordProperty("bytes_per_idle_tls_connection", static_cast<int>(each));
    std::cout << "an idle TLS connection takes " << each << " bytes\n";
    EXPECT_LE(each, 45u * 1024);
}

// openssl's own server, for what nginx cannot be made to do.
struct LiveOpenssl : ::testing::Test {
    void SetUp() override {
        if (find_program("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
    }
    void serve(std::vector<std::string> arguments) {
        port = free_port();
        const std::string pem = certificates.good;
        std::vector<std::string> all{find_program("openssl"),
                                     "s_server",
                                     "-accept",
                                     "127.0.0.1:" + std::to_string(port),
                                     "-cert",
                                     pem,
                                     "-key",
                                     pem,
                                     "-quiet"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        server = std::make_unique<Process>(all, home.file("log"));
        ASSERT_EQ(wait_for_port(port), Answers::yes);
    }

    TempDir home;
    Certificates certificates{home};
    std::uint16_t port = 0;
    std::unique_ptr<Process> server;
    std::shared_ptr<TlsContext> tls = context({.ca_file = certificates.ca});
};

TEST_F(LiveOpenssl, a_server_that_speaks_only_1_1_is_not_spoken_to) {
    serve({"-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"});
    const auto stream = call(*tls, port, "localhost");
    const Failure failure = net::tls_failure(*stream, shake_hands(*stream));
    EXPECT_EQ(failure.cause, Cause::unavailable);
    EXPECT_EQ(failure.effect, Effect::none);
    EXPECT_EQ(failure.code, "tls");
    EXPECT_EQ(failure.message, "tlsv1 alert protocol version");
}

TEST_F(LiveOpenssl, an_end_without_a_goodbye_is_no_end_of_the_answer) {
    serve({"-rev"});
    const auto stream = call(*tls, port, "localhost");
    ASSERT_EQ(shake_hands(*stream).kind, IoKind::done) << stream->trouble();
    say(*stream, "abc\n");
    EXPECT_EQ(hear(*stream, 4).text, "cba\n");
    server->stop();
    const Heard heard = hear(*stream);
    EXPECT_EQ(heard.last.kind, IoKind::failed);
    EXPECT_EQ(stream->trouble(), "unexpected eof while reading");
    EXPECT_EQ(net::tls_failure(*stream, heard.last, net::Doing::receiving).effect, Effect::unknown);
}

TEST_F(LiveOpenssl, a_server_that_demands_a_certificate_refuses_us_without_one) {
    serve({"-Verify", "1", "-CAfile", certificates.ca, "-verify_return_error"});
    const auto stream = call(*tls, port, "localhost");
    (void)shake_hands(*stream);
    const Heard heard = hear(*stream);
    EXPECT_EQ(net::tls_failure(*stream, heard.last, net::Doing::receiving).code, "tls-certificate");
}

}  // namespace
}  // namespace perdure::live
