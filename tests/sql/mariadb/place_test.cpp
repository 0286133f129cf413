// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sql/mariadb/place.hpp"

namespace perdure::sql::mariadb_inside {
namespace {

Place place_of(std::string_view url, const Settings& variables = {}, const Settings& file = {}) {
    Result<Place> place = read_url(url);
    if (place) place = complete(*std::move(place), variables, file);
    EXPECT_TRUE(place) << url << ": " << (place ? "" : to_string(place.error()));
    return place.value_or(Place{});
}

TEST(MariadbUrl, says_who_comes_and_where_to) {
    const Place place = place_of("mariadb://app:secret@db.internal:3307/bank");
    EXPECT_EQ(place.hosts, (std::vector<Host>{{"db.internal", 3307}}));
    EXPECT_EQ(place.user, "app");
    EXPECT_EQ(place.password, "secret");
    EXPECT_EQ(place.database, "bank");
    EXPECT_EQ(place.tls, MariadbTls::by_host);
    EXPECT_EQ(name_of(place), "mariadb db.internal:3307/bank");
}

TEST(MariadbUrl, may_name_several_hosts_and_numeric_addresses) {
    const Place place = place_of("mysql://a:1,b,[::1]:3/x");
    EXPECT_EQ(place.hosts, (std::vector<Host>{{"a", 1}, {"b", 3306}, {"::1", 3}}));
    EXPECT_EQ(name_of(place), "mariadb a:1,b:3306,[::1]:3/x");
}

TEST(MariadbUrl, has_its_parts_percent_decoded) {
    const Place place =
        place_of("mysql://a%40b:p%3A%2F%40%25@h/d%20b?socket=&tls-ca=%2Fca%26b.pem");
    EXPECT_EQ(place.user, "a@b");
    EXPECT_EQ(place.password, "p:/@%");
    EXPECT_EQ(place.database, "d b");
    EXPECT_EQ(place.tls_ca, "/ca&b.pem");
}

TEST(MariadbUrl, may_name_a_socket_instead_of_a_host) {
    const Place place = place_of("mariadb:///bank?socket=/run/mysqld/mysqld.sock&tls=off");
    EXPECT_TRUE(place.hosts.empty());
    EXPECT_EQ(place.socket, "/run/mysqld/mysqld.sock");
    EXPECT_EQ(place.tls, MariadbTls::off);
}

TEST(MariadbUrl, is_refused_without_repeating_what_stands_in_it) {
    for (const std::string_view url :
         {"postgres://app:secret@h/d", "secret", "mysql://app:secret%zz@h", "mysql://app:secret%0",
          "mysql://secret:0/x", "mysql://secret:65536/x", "mysql://secret:1x/", "mysql://[secret/x",
          "mysql://[secret]x/", "mysql://h?tls=secret", "mysql://h?secret=1", "mysql://h/%00secret",
          "mysql://h/?socket=secret"}) {
        const Result<Place> place = read_url(url);
        ASSERT_FALSE(place) << url;
        EXPECT_EQ(place.error().cause, Cause::invalid);
        EXPECT_EQ(place.error().code, "url");
        EXPECT_EQ(to_string(place.error()).find("secret"), std::string::npos) << url;
    }
}

TEST(MariadbUrl, wins_over_the_environment_and_that_over_the_option_file) {
    const Settings variables{{"MYSQL_HOST", "e"}, {"MYSQL_TCP_PORT", "11"}, {"MYSQL_PWD", "ep"}};
    const Settings file{{"host", "f"}, {"port", "12"}, {"password", "fp"}, {"user", "fu"}};
    const Place all = place_of("mysql://u:p@h:10/", variables, file);
    EXPECT_EQ(all.hosts, (std::vector<Host>{{"h", 10}}));
    EXPECT_EQ(all.user + all.password, "up");
    const Place some = place_of("mysql:///", variables, file);
    EXPECT_EQ(some.hosts, (std::vector<Host>{{"e", 11}}));
    EXPECT_EQ(some.user + some.password, "fuep");
    const Place least = place_of("mysql:///", {}, file);
    EXPECT_EQ(least.hosts, (std::vector<Host>{{"f", 12}}));
    EXPECT_EQ(least.password, "fp");
    EXPECT_EQ(place_of("mysql://").hosts, (std::vector<Host>{{"localhost", 3306}}));
    EXPECT_EQ(place_of("mysql://", {{"MYSQL_UNIX_PORT", "/s"}}).socket, "/s");
    EXPECT_EQ(place_of("mysql://", {}, {{"socket", "/f"}}).socket, "/f");
    EXPECT_FALSE(complete({}, {{"MYSQL_TCP_PORT", "x"}}, {}));
}

TEST(MariadbOptionFile, is_read_as_the_server_reads_it) {
    const Settings settings = read_option_text("[mysqld]\nport=1\n"
                                               "# comment\n; another\n!include /x\n"
                                               "[client]\r\n  user = app  # who\r\n"
                                               "password=\"a # b\\\"\"\nssl_ca = 'x y'\nskip\n"
                                               "[client-mariadb]\nport=2\n[mysql]\nport=3\n");
    EXPECT_EQ(
        settings,
        (Settings{{"user", "app"}, {"password", "a # b\""}, {"ssl-ca", "x y"}, {"port", "2"}}));
    EXPECT_TRUE(read_option_text("").empty());
    EXPECT_TRUE(read_option_text("[").empty());
    EXPECT_FALSE(read_option_file("/nowhere/my.cnf"));
    EXPECT_TRUE(read_option_file(""));
    const auto endless = read_option_file("/dev/zero");
    EXPECT_TRUE(!endless && endless.error().message.find("1 MiB") != std::string::npos);
}

}  // namespace
}  // namespace perdure::sql::mariadb_inside
