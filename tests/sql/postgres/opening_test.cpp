// SPDX-License-Identifier: Apache-2.0
//
// What a server is told that has no TLS: it depends on what the user wrote, and never on the address
// that a name was resolved to.
#include "sql/postgres/opening.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "sql/one_visitor.hpp"

namespace perdure::sql::pg {
namespace {

constexpr std::size_t ssl_request = 8;  // bytes

// "N" to the request for TLS, and to all others: in plain text, please.
std::string without_tls(std::string_view sent) {
    using std::string_literals::operator""s;
    const std::string password_please = "R\0\0\0\x08\0\0\0\x03"s;
    const std::string refusal = "E\0\0\0\x17SFATAL\0C28P01\0Mno\0\0"s;
    if (sent.empty()) return {};
    const bool asked = sent.size() >= ssl_request && sent[4] == '\x04' && sent[5] == '\xd2';
    if (sent.size() == ssl_request && asked) return "N";
    return sent.find("CANARY") == std::string_view::npos ? password_please : refusal;
}

class PostgresOpening : public ::testing::Test {
protected:
    PostgresOpening() { ::unsetenv("PGSSLMODE"); }

    // All that the server was sent by a client whose host is written like this. Whatever that is, the
    // resolver has answered 127.0.0.1.
    std::string sent_to(const std::string& host, const std::string& more = {}) {
        OneVisitor server{without_tls};
        auto common = std::make_shared<Common>();
        const std::string port = std::to_string(server.address().port());
        auto target = parse_target("postgres://app:CANARY@" + host + ':' + port + "/shop" + more);
        EXPECT_TRUE(target) << target.error().message;
        common->target = *std::move(target);
        const Host& only = common->target.hosts.at(0);
        auto link =
            open_link(*common, only, server.address(),
                      {.deadline = Deadline::in(std::chrono::seconds{10}, system_clock().now())},
                      system_clock());
        EXPECT_FALSE(link);
        said = link ? "" : link.error().message;
        return server.sent();
    }
    std::string said;
};

TEST_F(PostgresOpening, by_a_name_that_resolves_to_loopback_sends_no_password_without_tls) {
    for (const char* const host : {"db.test", "localhost.evil.test", "127.0.0.1.evil.test"}) {
        SCOPED_TRACE(host);
        const std::string sent = sent_to(host);
        EXPECT_EQ(sent.size(), ssl_request) << sent;
        EXPECT_EQ(sent.find("CANARY"), std::string::npos);
        EXPECT_NE(said.find("SSL"), std::string::npos) << said;
    }
}

TEST_F(PostgresOpening, by_a_loopback_address_or_localhost_does_without_tls) {
    for (const char* const host : {"127.0.0.1", "[::1]", "localhost", "LocalHost"})
        EXPECT_NE(sent_to(host).find("CANARY"), std::string::npos) << host << ": " << said;
    EXPECT_NE(sent_to("db.test", "?hostaddr=127.0.0.1").find("CANARY"), std::string::npos) << said;
}

TEST_F(PostgresOpening, by_any_name_does_without_tls_if_the_url_says_so) {
    EXPECT_NE(sent_to("db.test", "?sslmode=disable").find("CANARY"), std::string::npos) << said;
}

}  // namespace
}  // namespace perdure::sql::pg
