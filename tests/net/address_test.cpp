// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/address.hpp"

#include <gtest/gtest.h>

#include "net/host_name.hpp"
#include "perdure/net/addresses.hpp"

namespace perdure::net {
namespace {

TEST(Address, reads_numeric_addresses_and_shows_them_again) {
    struct Case {
        const char* text;
        const char* shown;
        Family family;
        bool loopback;
    };
    const Case cases[] = {
        {"127.0.0.1", "127.0.0.1:80", Family::v4, true},
        {"127.9.9.9", "127.9.9.9:80", Family::v4, true},
        {"192.0.2.7", "192.0.2.7:80", Family::v4, false},
        {"::1", "[::1]:80", Family::v6, true},
        {"[::1]", "[::1]:80", Family::v6, true},
        {"::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", Family::v6, true},
        {"2001:DB8::7", "[2001:db8::7]:80", Family::v6, false},
        {"fe80::1%1", "[fe80::1%1]:80", Family::v6, false},
        {"fe80::1%lo", "[fe80::1%1]:80", Family::v6, false},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.text);
        const auto address = Address::parse(each.text, 80);
        ASSERT_TRUE(address);
        EXPECT_EQ(address->to_string(), each.shown);
        EXPECT_EQ(address->family(), each.family);
        EXPECT_EQ(address->loopback(), each.loopback);
        EXPECT_EQ(Address::parse(address->host(), 80), address);
    }
}

TEST(Address, refuses_what_is_not_numeric) {
    for (const std::string_view text :
         {"", "localhost", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4 ", "[127.0.0.1]", "[::1",
          "::1]", ":::", "fe80::1%", "fe80::1%no-such-interface", "1.2.3.4:80"}) {
        EXPECT_FALSE(Address::parse(text, 80)) << text;
    }
    EXPECT_FALSE(Address::parse(std::string_view{"1.2.3.4\0x", 9}, 80));
    EXPECT_FALSE(Address::parse(std::string(1000, '1'), 80));
}

TEST(Address, takes_another_port_and_stays_the_same_otherwise) {
    const auto address = *Address::parse("::1", 80);
    EXPECT_EQ(address.with_port(443).to_string(), "[::1]:443");
    EXPECT_NE(address.with_port(443), address);
    EXPECT_EQ(address.with_port(443).with_port(80), address);
}

TEST(Addresses, let_the_families_take_turns) {
    const auto all = [](std::initializer_list<const char*> texts) {
        Addresses addresses;
        for (const char* const text : texts) addresses.push_back(*Address::parse(text, 0));
        return addresses;
    };
    EXPECT_EQ(interleaved({}), Addresses{});
    EXPECT_EQ(interleaved(all({"::1", "::2", "::3", "1.1.1.1", "1.1.1.2"})),
              all({"::1", "1.1.1.1", "::2", "1.1.1.2", "::3"}));
    EXPECT_EQ(interleaved(all({"1.1.1.1", "::1", "::2"})), all({"1.1.1.1", "::1", "::2"}));
    EXPECT_EQ(interleaved(all({"1.1.1.1", "1.1.1.2"})), all({"1.1.1.1", "1.1.1.2"}));
}

TEST(HostName, is_checked_and_taken_in_lower_case) {
    EXPECT_EQ(HostName::parse("DB.Internal")->text(), "db.internal");
    EXPECT_EQ(HostName::parse("fe80::A%Eth0")->text(), "fe80::a%Eth0");
    EXPECT_TRUE(HostName::parse(std::string(253, 'a')));
    EXPECT_FALSE(HostName::parse(std::string(254, 'a')));
    for (const std::string_view text : {"", "a b", "a\nb", "a\\046b", "b\xc3\xbc.test", "a\x7f"}) {
        EXPECT_FALSE(HostName::parse(text)) << text;
    }
    EXPECT_FALSE(HostName::parse(std::string_view{"a\0b", 3}));
}

TEST(HostName, needs_nobody_to_know_localhost_and_numbers) {
    for (const char* const text : {"localhost", "LOCALHOST.", "app.localhost"}) {
        const auto known = HostName::parse(text)->known_addresses();
        ASSERT_EQ(known.size(), 2U) << text;
        EXPECT_TRUE(known[0].loopback() && known[1].loopback());
        EXPECT_NE(known[0].family(), known[1].family());
    }
    EXPECT_EQ(HostName::parse("[::1]")->known_addresses().size(), 1U);
    EXPECT_TRUE(HostName::parse("localhost.example.org")->known_addresses().empty());
}

}  // namespace
}  // namespace perdure::net
