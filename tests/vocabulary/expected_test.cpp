// SPDX-License-Identifier: Apache-2.0
//
// Compiled as C++23 (tests/CMakeLists.txt), where the standard class exists.
#include <gtest/gtest.h>

#include <string>
#include <version>

#include "perdure/result.hpp"

namespace perdure {
namespace {

#if defined(__cpp_lib_expected)

TEST(Result, converts_to_and_from_std_expected) {
    const std::expected<std::string, Failure> value = Result<std::string>{"here"};
    EXPECT_EQ(value.value(), "here");
    const std::expected<std::string, Failure> failure = Result<std::string>{fail({.code = "gone"})};
    EXPECT_EQ(failure.error().code, "gone");
    EXPECT_EQ(*Result<std::string>{value}, "here");
    EXPECT_EQ(Result<std::string>{failure}.error().code, "gone");

    const std::expected<void, Failure> nothing = Result<void>{};
    EXPECT_TRUE(nothing.has_value());
    const Result<void> broken =
        std::expected<void, Failure>{std::unexpected{Failure{.code = "gone"}}};
    EXPECT_EQ(broken.error().code, "gone");
}

#else

TEST(Result, converts_to_and_from_std_expected) {
    GTEST_SKIP() << "this compiler has no std::expected, so there is nothing to convert";
}

#endif

}  // namespace
}  // namespace perdure
