// SPDX-License-Identifier: Apache-2.0
//
// What a server is told that has no TLS: it depends on what the user wrote, and never on the address
// that a name was resolved to.
#include <gtest/gtest.h>

#include <string>

#include "sql/mariadb/place.hpp"
#include "sql/mariadb/session.hpp"
#include "sql/one_visitor.hpp"

namespace perdure::sql::mariadb_inside {
namespace {

std::string packet(char number, const std::string& body) {
    using std::string_literals::operator""s;
    return std::string{static_cast<char>(body.size())} + "\0\0"s + number + body;
}

// The greeting of a server that lacks the capability CLIENT_SSL. It lets nobody in.
std::string without_tls(std::string_view sent) {
    using std::string_literals::operator""s;
    if (!sent.empty()) return packet(2, "\xff\x15\x04#28000no"s);
    const std::string body = "\x0a"
                             "5.5.5-10.11.6-MariaDB\0"s +
                             "\x07\0\0\0"
                             "saltsalt\0"s +
                             "\x09\xa2"s +    // long password, with a database, 4.1, secure
                             "\x2d\x02\0"s +  // the character set and the status
                             "\x08\0"s +      // authentication by plugins
                             "\x15"
                             "\0\0\0\0\0\0\0\0\0\0"s +
                             "saltsaltsalt\0"s + "mysql_native_password\0"s;
    return packet(0, body);
}

// All that the server was sent by a client whose host is written like this. Whatever that is, the
// resolver has answered 127.0.0.1.
std::string sent_to(const std::string& url, std::string& said) {
    OneVisitor server{without_tls};
    auto place = read_url(url);
    EXPECT_TRUE(place) << place.error().message;
    const std::string& host = place->hosts.at(0).name;
    {
        MariadbSession session{{}, system_clock()};
        const auto opened = session.open(
            *place, {.address = server.address(), .host = host, .tls = tls_for(*place, host)},
            {.deadline = Deadline::in(std::chrono::seconds{10}, system_clock().now())});
        EXPECT_FALSE(opened);
        said = opened ? "" : opened.error().message;
    }
    return server.sent();
}

TEST(MariadbEncryption, by_a_name_that_resolves_to_loopback_sends_no_login_without_tls) {
    std::string said;
    for (const std::string host : {"db.test", "localhost.evil.test", "127.0.0.1.evil.test"}) {
        SCOPED_TRACE(host);
        EXPECT_EQ(sent_to("mariadb://app:CANARY@" + host + "/shop", said), "");
        EXPECT_NE(said.find("TLS"), std::string::npos) << said;
    }
}

TEST(MariadbEncryption, by_a_loopback_address_or_localhost_does_without_tls) {
    std::string said;
    for (const std::string host : {"127.0.0.1", "localhost"})
        EXPECT_NE(sent_to("mariadb://app:CANARY@" + host + "/shop", said).find("app"),
                  std::string::npos)
            << host << ": " << said;
}

TEST(MariadbEncryption, follows_what_the_url_says_before_the_host) {
    const Place verified = *read_url("mariadb://localhost/?tls=verified");
    EXPECT_EQ(tls_for(verified, "localhost"), MariadbTls::verified);
    const Place off = *read_url("mariadb://db.test/?tls=off");
    EXPECT_EQ(tls_for(off, "db.test"), MariadbTls::off);
    const Place open = *read_url("mariadb://[::1]/");
    EXPECT_EQ(tls_for(open, "::1"), MariadbTls::off);
    EXPECT_EQ(tls_for(open, "db.localhost"), MariadbTls::off);
    EXPECT_EQ(tls_for(open, "notlocalhost"), MariadbTls::verified);
}

}  // namespace
}  // namespace perdure::sql::mariadb_inside
