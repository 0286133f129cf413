// SPDX-License-Identifier: Apache-2.0
#include "sql/postgres/conninfo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "perdure/sql/postgres.hpp"

namespace {

using namespace std::chrono_literals;
using perdure::Cause;
using perdure::sql::pg::parse_target;
using perdure::sql::pg::Target;

std::string setting(const Target& target, std::string_view key) {
    const auto found =
        std::ranges::find(target.settings, key, [](const auto& s) { return s.first; });
    return found == target.settings.end() ? "" : found->second;
}

TEST(PostgresTarget, is_read_from_a_url_with_several_hosts) {
    const auto got = parse_target(
        "postgres://app:s%2Fcret@db1:5433,[::1],db3:5434/bank?sslmode=require&connect_timeout=3");
    ASSERT_TRUE(got.has_value()) << got.error().message;
    ASSERT_EQ(got->hosts.size(), 3u);
    EXPECT_EQ(got->hosts[0].shown(), "db1:5433");
    EXPECT_EQ(got->hosts[1].name, "::1");
    EXPECT_EQ(got->hosts[2].port, 5434);
    EXPECT_TRUE(got->says_sslmode);
    EXPECT_EQ(got->connect_timeout, 3s);
    EXPECT_EQ(got->user, "app");
    EXPECT_EQ(setting(*got, "password"), "s/cret");
    EXPECT_EQ(setting(*got, "dbname"), "bank");
    EXPECT_EQ(setting(*got, "gssencmode"), "disable");
    EXPECT_EQ(setting(*got, "host"), "");
}

TEST(PostgresTarget, is_read_from_settings_and_knows_sockets_of_this_machine) {
    const auto got = parse_target("host=/run/pg,db2 port=6000 dbname='my bank' user=u");
    ASSERT_TRUE(got.has_value()) << got.error().message;
    ASSERT_EQ(got->hosts.size(), 2u);
    EXPECT_TRUE(got->hosts[0].local());
    EXPECT_FALSE(got->hosts[1].local());
    EXPECT_EQ(got->hosts[1].port, 6000);
    EXPECT_EQ(setting(*got, "dbname"), "my bank");
}

TEST(PostgresTarget, has_a_name_without_user_and_password) {
    const auto driver = perdure::sql::postgres("postgresql://app:secret@db1:5433,db2:1/bank");
    ASSERT_TRUE(driver.has_value());
    EXPECT_EQ((*driver)->name(), "postgres db1:5433,db2:1/bank");
    EXPECT_TRUE((*driver)->traits().notes_transactions);
}

TEST(PostgresTarget, says_which_field_is_wrong_and_quotes_no_secret) {
    struct Wrong {
        const char* text;
        const char* says;
    };
    const Wrong table[] = {
        {"mysql://u:secret@h/db", "postgres://"},
        {"secret", "settings"},
        {"postgres://u:secret@h:99999/db", "port"},
        {"postgres://u:secret@h:0/db", "port"},
        {"postgres://u:secret@h:x1/db", "port"},
        {"host=a,b,c port=1,2 password=secret", "port"},
        {"host=h hots=x password=secret", "hots"},
        {"postgres://u:sec%zzret@h/db", "percent-encoded"},
        {"host=h password='secret", "quoted"},
        {"host=h password=a secret", "missing"},
        {"postgres://u:secret@[::1/db", "IPv6"},
        {"postgres://u:secret@h/db?sslmode=maybe", "sslmode"},
        {"postgres://u:secret@h/db?ssl_mode=require", "ssl_mode"},
        {"postgres://u:secret@h/db?connect_timeout=soon", "connect_timeout"},
        {"postgres://u:secret@h/db?target_session_attrs=standby", "target_session_attrs"},
    };
    for (const Wrong& row : table) {
        SCOPED_TRACE(row.text);
        const auto got = perdure::sql::postgres(row.text);
        ASSERT_FALSE(got.has_value());
        EXPECT_EQ(got.error().cause, Cause::invalid);
        EXPECT_NE(got.error().message.find(row.says), std::string::npos) << got.error().message;
        EXPECT_EQ(got.error().message.find("secret"), std::string::npos) << got.error().message;
    }
    EXPECT_FALSE(parse_target(std::string{"host=a\0b", 8}).has_value());
}

}  // namespace
