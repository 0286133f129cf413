// SPDX-License-Identifier: Apache-2.0
//
// TLS against a server in memory: whom we believe, what an end means, what is remembered.
#include "perdure/net/tls.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "net/tls_peer.hpp"

namespace perdure::testing {
namespace {

using net::Io;
using net::IoKind;
using net::Ready;
using net::TlsContext;
using net::TlsOptions;
using net::TlsVerify;
using net::TlsVersion;

std::shared_ptr<TlsContext> context(const TlsOptions& options) {
    auto made = TlsContext::make(options);
    EXPECT_TRUE(made.has_value()) << (made ? "" : to_string(made.error()));
    return std::move(made).value();
}

// One good server and a client that trusts it.
struct Tls : ::testing::Test {
    const Identity identity =
        make_identity("DNS:db.internal,DNS:*.wild.internal,IP:127.0.0.1,IP:::1");
    const PemFile ca{identity};
    const ServerContext server = make_server(identity);
    const std::shared_ptr<TlsContext> client = context({.ca_file = ca.path()});

    void TearDown() override { EXPECT_EQ(ERR_peek_error(), 0UL) << "an error was left behind"; }
};

TEST_F(Tls, carries_bytes_both_ways_once_the_certificate_is_checked) {
    Link link{*client, server.get(), "db.internal"};
    EXPECT_EQ(link.client->version(), "");
    ASSERT_EQ(link.shake_hands().kind, IoKind::done) << link.client->trouble();
    EXPECT_EQ(link.client->version(), "TLSv1.3");
    EXPECT_FALSE(link.client->resumed());
    EXPECT_EQ(link.client->write("question").bytes, 8u);
    EXPECT_EQ(link.hear(), "question");
    EXPECT_EQ(link.read(), "");
    EXPECT_EQ(link.last.kind, IoKind::would_block);
    EXPECT_EQ(link.client->blocked_on(), Ready::read);
    link.say("answer");
    EXPECT_EQ(link.read(), "answer");
}

TEST_F(Tls, believes_a_certificate_only_for_the_hosts_it_names) {
    const struct {
        const char* host;
        const char* trouble;  // empty: believed
    } cases[] = {
        {"db.internal", ""},
        {"DB.Internal", ""},
        {"db.internal.", ""},
        {"a.wild.internal", ""},
        {"127.0.0.1", ""},
        {"::1", ""},
        {"[::1]", ""},
        {"other.internal", "hostname mismatch"},
        {"a.b.wild.internal", "hostname mismatch"},
        {"test", "hostname mismatch"},  // its common name
        {"127.0.0.2", "IP address mismatch"},
        {"", "no host name that a certificate could be checked for"},
        {".", "no host name that a certificate could be checked for"},
    };
    for (const auto& [host, trouble] : cases) {
        SCOPED_TRACE(host);
        Link link{*client, server.get(), host};
        const Io io = link.shake_hands();
        EXPECT_EQ(link.client->trouble(), trouble);
        EXPECT_EQ(io.kind, *trouble ? IoKind::failed : IoKind::done);
    }
    Link cut{*client, server.get(), std::string_view{"db.internal\0.evil", 16}};
    EXPECT_EQ(cut.shake_hands().error, EKEYREJECTED);
}

TEST_F(Tls, refuses_for_good_what_it_cannot_believe) {
    const Identity expired = make_identity("DNS:db.internal", "old", -3600);
    const PemFile old{expired};
    const Identity nameless = make_identity("", "db.internal");
    const PemFile bare{nameless};
    const struct {
        const Identity& shown;
        std::string trusted;
        const char* trouble;
    } cases[] = {
        {expired, old.path(), "certificate has expired"},
        {expired, ca.path(), "self-signed certificate"},
        {nameless, bare.path(), "hostname mismatch"},
    };
    for (const auto& [shown, trusted, trouble] : cases) {
        SCOPED_TRACE(trouble);
        const ServerContext far = make_server(shown);
        const auto near = context({.ca_file = trusted});
        Link link{*near, far.get(), "db.internal"};
        const Io io = link.shake_hands();
        const Failure failure = net::tls_failure(*link.client, io);
        EXPECT_EQ(failure.cause, Cause::forbidden);
        EXPECT_EQ(failure.effect, Effect::none);
        EXPECT_EQ(failure.code, "tls-certificate");
        EXPECT_EQ(failure.message, trouble);
        EXPECT_EQ(link.client->write("secret").kind, IoKind::failed) << "it stays failed";
    }
}

TEST_F(Tls, believes_anybody_only_when_told_to) {
    const Identity stranger = make_identity("DNS:elsewhere", "x", -3600);
    const ServerContext far = make_server(stranger);
    const auto near = context({.verify = TlsVerify::off});
    for (const char* host : {"db.internal", "127.0.0.1", ""}) {
        Link link{*near, far.get(), host};
        EXPECT_EQ(link.shake_hands().kind, IoKind::done) << link.client->trouble();
    }
}

TEST_F(Tls, names_the_host_it_wants_but_never_an_address) {
    const struct {
        const char* host;
        const char* server_name;
        const char* seen;
    } cases[] = {{"db.internal.", "", "db.internal"},
                 {"127.0.0.1", "", nullptr},
                 {"[::1]", "", nullptr},
                 {"127.0.0.9", "db.internal", "db.internal"}};
    for (const auto& [host, server_name, seen] : cases) {
        SCOPED_TRACE(host);
        const auto near = context({.ca_file = ca.path(), .server_name = server_name});
        Link link{*near, server.get(), host};
        ASSERT_EQ(link.shake_hands().kind, IoKind::done) << link.client->trouble();
        EXPECT_STREQ(SSL_get_servername(link.server.get(), TLSEXT_NAMETYPE_host_name), seen);
    }
}

TEST_F(Tls, tells_a_goodbye_from_a_cut) {
    Link polite{*client, server.get(), "db.internal"};
    ASSERT_EQ(polite.shake_hands().kind, IoKind::done);
    polite.say("all");
    SSL_shutdown(polite.server.get());
    EXPECT_EQ(polite.read(), "all");
    for (int again = 0; again < 2; ++again) {
        polite.read();
        EXPECT_EQ(polite.last.kind, IoKind::closed);
    }

    Link cut{*client, server.get(), "db.internal"};
    ASSERT_EQ(cut.shake_hands().kind, IoKind::done);
    cut.say("half");
    cut.close_far();
    EXPECT_EQ(cut.read(), "half");
    cut.read();
    EXPECT_EQ(cut.last.kind, IoKind::failed);
    EXPECT_EQ(cut.client->trouble(), "unexpected eof while reading");
    const Failure failure = net::tls_failure(*cut.client, cut.last, net::Doing::receiving);
    EXPECT_EQ(failure.cause, Cause::unavailable);
    EXPECT_EQ(failure.effect, Effect::unknown);
    EXPECT_EQ(failure.code, "tls");
}

TEST_F(Tls, says_goodbye_when_it_goes_but_not_when_it_resets) {
    Link leaves{*client, server.get(), "db.internal"};
    ASSERT_EQ(leaves.shake_hands().kind, IoKind::done);
    leaves.client.reset();
    EXPECT_EQ(leaves.hear(), "");
    EXPECT_TRUE(SSL_get_shutdown(leaves.server.get()) & SSL_RECEIVED_SHUTDOWN);

    Link breaks{*client, server.get(), "db.internal"};
    ASSERT_EQ(breaks.shake_hands().kind, IoKind::done);
    breaks.client->reset();
    EXPECT_EQ(breaks.client->write("more").kind, IoKind::closed);
    breaks.client.reset();
    EXPECT_EQ(breaks.hear(), "");
    EXPECT_FALSE(SSL_get_shutdown(breaks.server.get()) & SSL_RECEIVED_SHUTDOWN);
}

TEST_F(Tls, an_idle_connection_is_quiet_through_late_tickets_and_not_after_anything_else) {
    const struct {
        const char* what;
        void (*happens)(Link&);
        bool quiet;
    } cases[] = {
        {"nothing but the tickets", [](Link&) {}, true},
        {"bytes that nobody asked for", [](Link& link) { link.say("HTTP/1.1 408"); }, false},
        {"a goodbye", [](Link& link) { SSL_shutdown(link.server.get()); }, false},
        {"an end", [](Link& link) { link.close_far(); }, false},
    };
    for (const auto& [what, happens, quiet] : cases) {
        SCOPED_TRACE(what);
        const auto near = context({.ca_file = ca.path()});
        Link link{*near, server.get(), "db.internal"};
        EXPECT_FALSE(link.client->quiet()) << "before the handshake";
        ASSERT_EQ(link.shake_hands().kind, IoKind::done);
        EXPECT_EQ(near->sessions(), 0u);
        happens(link);
        EXPECT_EQ(link.client->quiet(), quiet);
        EXPECT_EQ(link.client->quiet(), quiet) << "asked again";
        EXPECT_EQ(near->sessions(), 2u) << "the tickets were taken in";
    }
}

TEST_F(Tls, bytes_seen_while_looking_are_still_there_to_be_read) {
    Link link{*client, server.get(), "db.internal"};
    ASSERT_EQ(link.shake_hands().kind, IoKind::done);
    link.say("early");
    EXPECT_FALSE(link.client->quiet());
    EXPECT_EQ(link.read(), "early");
    EXPECT_TRUE(link.client->quiet());
}

TEST_F(Tls, a_blocked_write_goes_on_from_another_place_in_memory) {
    Link link{*client, server.get(), "db.internal"};
    ASSERT_EQ(link.shake_hands().kind, IoKind::done);
    std::string text(8'000'000, 'x');
    text.back() = '.';
    std::size_t sent = 0;
    Io io = link.client->write(text);
    for (; io.kind == IoKind::done; io = link.client->write(std::string_view{text}.substr(sent)))
        sent += io.bytes;
    ASSERT_EQ(io.kind, IoKind::would_block);
    EXPECT_EQ(link.client->blocked_on(), Ready::write);
    EXPECT_GT(sent, 0u);

    const std::string moved = text;
    std::size_t heard = 0;
    std::string last;
    while (heard < moved.size()) {
        for (std::string part = link.hear(20'000); !part.empty(); part = link.hear(20'000)) {
            heard += part.size();
            last = std::move(part);
        }
        while (sent < moved.size()) {
            io = link.client->write(std::string_view{moved}.substr(sent));
            if (io.kind != IoKind::done) break;
            sent += io.bytes;
        }
        ASSERT_NE(io.kind, IoKind::failed) << link.client->trouble();
    }
    EXPECT_EQ(heard, moved.size());
    EXPECT_EQ(last.back(), '.');
}

TEST_F(Tls, insists_on_the_version_it_was_told) {
    const ServerContext old = make_server(identity, {.most_version = TLS1_2_VERSION});
    const auto strict = context({.ca_file = ca.path(), .least = TlsVersion::v1_3});
    Link refused{*strict, old.get(), "db.internal"};
    const Io io = refused.shake_hands();
    const Failure failure = net::tls_failure(*refused.client, io);
    EXPECT_EQ(failure.cause, Cause::unavailable);
    EXPECT_EQ(failure.effect, Effect::none);
    EXPECT_EQ(failure.code, "tls");
    EXPECT_EQ(failure.message, "tlsv1 alert protocol version");

    Link taken{*client, old.get(), "db.internal"};
    EXPECT_EQ(taken.shake_hands().kind, IoKind::done);
    EXPECT_EQ(taken.client->version(), "TLSv1.2");
}

TEST_F(Tls, an_end_in_the_middle_of_the_handshake_is_trouble_of_the_network) {
    Link link{*client, server.get(), "db.internal"};
    EXPECT_EQ(link.client->handshake().kind, IoKind::would_block);
    EXPECT_EQ(link.client->blocked_on(), Ready::read);
    ::shutdown(link.far.fd(), SHUT_WR);
    const Io io = link.client->handshake();
    EXPECT_EQ(io.kind, IoKind::failed);
    EXPECT_EQ(net::tls_failure(*link.client, io).cause, Cause::unavailable);
    EXPECT_EQ(net::tls_failure(*link.client, io).effect, Effect::none);
}

TEST_F(Tls, shows_its_own_certificate_and_hears_when_that_is_refused) {
    const int both = SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    const ServerContext far = make_server(identity, {.verify = both});
    SSL_CTX_load_verify_file(far.get(), ca.path().c_str());
    const auto known = context({.ca_file = ca.path(), .certificate_file = ca.path()});
    Link welcome{*known, far.get(), "db.internal"};
    ASSERT_EQ(welcome.shake_hands().kind, IoKind::done);
    EXPECT_EQ(welcome.client->write("hello").kind, IoKind::done);
    EXPECT_EQ(welcome.hear(), "hello");

    // In TLS 1.3 the client has finished before the server says no.
    Link unknown{*client, far.get(), "db.internal"};
    ASSERT_EQ(unknown.shake_hands().kind, IoKind::done);
    unknown.read();
    const Failure failure = net::tls_failure(*unknown.client, unknown.last, net::Doing::receiving);
    EXPECT_EQ(failure.cause, Cause::forbidden);
    EXPECT_EQ(failure.effect, Effect::none);
    EXPECT_EQ(failure.code, "tls-certificate");
    EXPECT_EQ(failure.message, "tlsv13 alert certificate required");
}

TEST_F(Tls, unusable_options_are_named_without_their_paths_and_ask_no_questions) {
    const PemFile locked{identity, "sesame"};
    const Identity other = make_identity("DNS:x");
    const PemFile foreign{other};
    const struct {
        TlsOptions options;
        std::string_view names;
    } cases[] = {
        {{.ca_file = "/nowhere/ca.pem"}, "ca_file"},
        {{.certificate_file = "/nowhere/me.pem"}, "certificate_file"},
        {{.certificate_file = ca.path(), .key_file = "/nowhere/key.pem"}, "key_file"},
        {{.certificate_file = locked.path()}, "key_file"},
        {{.certificate_file = ca.path(), .key_file = foreign.path()}, "key_file"},
        {{.key_file = ca.path()}, "key_file"},
    };
    for (const auto& [options, names] : cases) {
        SCOPED_TRACE(names);
        const auto made = TlsContext::make(options);
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().cause, Cause::invalid);
        EXPECT_NE(made.error().message.find("TlsOptions::" + std::string{names}),
                  std::string::npos);
        EXPECT_EQ(made.error().message.find('/'), std::string::npos) << made.error().message;
    }
}

}  // namespace
}  // namespace perdure::testing
