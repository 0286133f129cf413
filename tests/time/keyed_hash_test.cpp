// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/keyed_hash.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

#include <gtest/gtest.h>

#include "time/colliding_names.hpp"

namespace perdure {
namespace {

TEST(KeyedHash, gives_one_text_one_value_for_the_whole_process) {
    const std::string name(100, 'n');
    EXPECT_EQ(KeyedHash{}(name), KeyedHash{}(std::string{name}));
    EXPECT_NE(KeyedHash{}("a"), KeyedHash{}("b"));
    EXPECT_NE(KeyedHash{}(""), KeyedHash{}(std::string_view{"\0", 1}));
}

TEST(KeyedHash, tells_apart_what_collides_in_the_standard_librarys) {
    std::unordered_set<std::size_t> theirs, ours;
    for (const std::string& name : testing::colliding_names(1000)) {
        theirs.insert(std::hash<std::string_view>{}(name));
        ours.insert(KeyedHash{}(name));
    }
    EXPECT_EQ(theirs.size(), 1u) << "the names of this test collide";
    EXPECT_GE(ours.size(), 999u);
}

}  // namespace
}  // namespace perdure
