// SPDX-License-Identifier: Apache-2.0
#include "live/support/npm.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "live/support/temp_dir.hpp"

namespace perdure::live {
namespace {

// sha256sum of the three bytes "abc": an example of FIPS 180-2.
constexpr std::string_view of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

std::string written(const TempDir& folder, const std::string& name, std::string_view text) {
    const std::string path = folder.file(name);
    std::ofstream{path, std::ios::binary} << text;
    return path;
}

TEST(NpmPrograms, a_program_with_another_checksum_than_the_listed_one_is_not_started) {
    const TempDir folder;
    const std::string list =
        written(folder, "checksums", "# a comment\n" + std::string{of_abc} + "  one/program\n");
    const std::string good = written(folder, "good", "abc");
    const std::string changed = written(folder, "changed", "abd");

    EXPECT_EQ(not_as_listed(good, "one/program", list), "");
    EXPECT_NE(not_as_listed(changed, "one/program", list), "");
    EXPECT_NE(not_as_listed(good, "other/program", list), "") << "it is not listed";
    EXPECT_NE(not_as_listed(folder.file("absent"), "one/program", list), "");
    EXPECT_NE(not_as_listed(good, "one/program", folder.file("no list")), "");
}

}  // namespace
}  // namespace perdure::live
