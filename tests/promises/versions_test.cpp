// SPDX-License-Identifier: Apache-2.0
//
// Does the page say what its figures were taken on?
#include <gtest/gtest.h>

#include <regex>

#include "promises/support/page.hpp"
#include "promises/support/versions.hpp"

namespace perdure::promises {
namespace {

TEST(PromisesVersions, are_found_in_what_programs_say_of_themselves) {
    EXPECT_EQ(version_in("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), "15.18");
    EXPECT_EQ(version_in("mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian"), "10.11.19");
    EXPECT_EQ(version_in("PgBouncer 1.18.0\nlibevent 2.1.12-stable"), "1.18.0");
    EXPECT_EQ(version_in("v22.20.0"), "22.20.0");
    EXPECT_EQ(version_in("no number"), "");
}

TEST(PromisesVersions, stand_above_the_tables) {
    if (!versions_missing().empty()) GTEST_SKIP() << versions_missing();
    const std::string versions = versions_of_servers();
    const std::string number = "[0-9]+(\\.[0-9]+)+";
    EXPECT_TRUE(std::regex_match(
        versions, std::regex{"PostgreSQL " + number + ", PgBouncer " + number + ", MariaDB " +
                             number + ", @azure/cosmos " + number + " on Node\\.js " + number}))
        << versions;
    publish_versions(versions);
}

}  // namespace
}  // namespace perdure::promises
