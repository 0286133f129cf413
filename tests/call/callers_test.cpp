// SPDX-License-Identifier: Apache-2.0
//
// Names are taken for the whole process, so every test has its own.
#include "perdure/call/callers.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace perdure {
namespace {

TEST(Callers, one_name_is_one_caller) {
    Caller& users = callers.get("callers-test/users");
    EXPECT_EQ(&users, &callers.get("callers-test/users"));
    EXPECT_NE(&users, &callers.get("callers-test/orders"));
    EXPECT_EQ(users.plan().name, "callers-test/users");
    EXPECT_EQ(users.plan().deadline, 10s);
}

TEST(Callers, what_was_defined_is_what_one_gets) {
    EXPECT_TRUE(callers.define({.name = "callers-test/defined", .deadline = 3s}));
    EXPECT_EQ(callers.get("callers-test/defined").plan().deadline, 3s);
}

TEST(Callers, a_name_that_is_taken_is_refused_and_the_first_stays) {
    EXPECT_TRUE(callers.define({.name = "callers-test/taken", .deadline = 3s}));
    const auto again = callers.define({.name = "callers-test/taken", .deadline = 4s});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().cause, Cause::conflict);
    EXPECT_EQ(again.error().dependency, "callers-test/taken");
    EXPECT_EQ(callers.get("callers-test/taken").plan().deadline, 3s);
    (void)callers.get("callers-test/used");
    EXPECT_FALSE(callers.define({.name = "callers-test/used"}))
        << "define comes before the first use";
}

TEST(Callers, a_plan_with_problems_is_refused_and_its_name_stays_free) {
    const auto refused =
        callers.define({.name = "callers-test/unsound", .deadline = -1s, .spread = -1s});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::invalid);
    EXPECT_EQ(refused.error().code, "invalid-plan");
    EXPECT_NE(refused.error().message.find("deadline"), std::string::npos);
    EXPECT_NE(refused.error().message.find("spread"), std::string::npos);
    EXPECT_TRUE(callers.define({.name = "callers-test/unsound"}));
}

TEST(CallersThreads, all_threads_get_the_same_one) {
    std::vector<Caller*> seen(4);
    std::vector<std::thread> threads;
    for (Caller*& mine : seen)
        threads.emplace_back([&mine] { mine = &callers.get("callers-test/threads"); });
    for (std::thread& thread : threads) thread.join();
    for (Caller* each : seen) EXPECT_EQ(each, seen.front());
}

}  // namespace
}  // namespace perdure
