// SPDX-License-Identifier: Apache-2.0
#include "cosmos/sessions.hpp"

#include <gtest/gtest.h>

namespace perdure::cosmos {
namespace {

std::string token_for(const Sessions& sessions, const std::string& id,
                      std::vector<std::string> parents = {}) {
    std::string text;
    sessions.append_for(text, {.id = id, .min = "", .max = "FF", .parents = std::move(parents)});
    return text;
}

std::string all_of(const Sessions& sessions) {
    std::string text;
    sessions.append_all(text);
    return text;
}

TEST(Sessions, have_nothing_to_say_before_anything_was_heard) {
    Sessions sessions;
    EXPECT_FALSE(sessions.any());
    EXPECT_EQ(token_for(sessions, "0"), "");
    EXPECT_EQ(all_of(sessions), "");
    sessions.heard("", "rid");
    EXPECT_FALSE(sessions.any());
}

TEST(Sessions, never_go_back) {
    Sessions sessions;
    const struct {
        std::string heard, then;
    } steps[] = {
        {"0:2#105#1=104#4=99", "0:2#105#1=104#4=99"},
        {"0:2#103#1=106", "0:2#105#1=106#4=99"},
        {"0:2#105#1=104#4=99", "0:2#105#1=106#4=99"},
        {"0:2#110#1=106#4=99", "0:2#110#1=106#4=99"},
        {"0:3#90#1=80", "0:3#90#1=106"},  // the account has changed: a newer count of the regions
        {"0:2#999#1=999", "0:3#90#1=999"},
    };
    for (const auto& [heard, then] : steps) {
        sessions.heard(heard, "rid");
        EXPECT_TRUE(sessions.any());
        EXPECT_EQ(token_for(sessions, "0"), then) << heard;
    }
}

TEST(Sessions, are_kept_for_each_partition) {
    Sessions sessions;
    sessions.heard("0:-1#5", "rid");
    sessions.heard("1:-1#7", "rid");
    sessions.heard("0:-1#4,2:-1#9", "rid");
    EXPECT_EQ(token_for(sessions, "0"), "0:-1#5");
    EXPECT_EQ(token_for(sessions, "1"), "1:-1#7");
    EXPECT_EQ(token_for(sessions, "3"), "");
    EXPECT_EQ(all_of(sessions), "0:-1#5,1:-1#7,2:-1#9");
}

TEST(Sessions, pass_from_parents_to_the_children_of_a_split) {
    Sessions sessions;
    sessions.heard("0:-1#5", "rid");
    EXPECT_EQ(token_for(sessions, "1", {"0"}), "1:-1#5");
    sessions.heard("1:-1#8", "rid");
    EXPECT_EQ(token_for(sessions, "1", {"0"}), "1:-1#8");
    EXPECT_EQ(token_for(sessions, "3", {"0", "1"}), "3:-1#8");  // the grandchild
    EXPECT_EQ(token_for(sessions, "4", {"2"}), "");
}

// The parent's last answer came after the child's first and counts the regions of a newer account.
TEST(Sessions, of_parents_do_not_count_once_the_range_has_its_own) {
    Sessions sessions;
    sessions.heard("0:3#900#1=900", "rid");
    sessions.heard("1:2#905#1=905", "rid");
    EXPECT_EQ(token_for(sessions, "1", {"0"}), "1:2#905#1=905");
    EXPECT_EQ(token_for(sessions, "2", {"0"}), "2:3#900#1=900");
}

// A write's answer names the child before anybody has looked at the ranges again.
TEST(Sessions, know_whether_a_map_is_older_than_what_they_have_heard) {
    const auto old = RoutingMap::from({{.id = "0", .min = "", .max = "FF", .parents = {}}});
    Sessions sessions;
    EXPECT_TRUE(sessions.all_in(*old));
    sessions.heard("0:-1#5", "rid");
    EXPECT_EQ(sessions.news(), 1u);
    EXPECT_TRUE(sessions.all_in(*old));
    sessions.heard("0:-1#6", "rid");
    EXPECT_EQ(sessions.news(), 1u);
    sessions.heard("1:-1#7", "rid");
    EXPECT_EQ(sessions.news(), 2u);
    EXPECT_FALSE(sessions.all_in(*old));
    const auto split = old->with({{.id = "1", .min = "", .max = "1F", .parents = {"0"}},
                                  {.id = "2", .min = "1F", .max = "FF", .parents = {"0"}}});
    ASSERT_TRUE(split);
    EXPECT_TRUE(sessions.all_in(*split));
}

TEST(Sessions, pass_from_both_parents_of_a_merge) {
    Sessions sessions;
    sessions.heard("1:2#5#1=5", "rid");
    sessions.heard("2:2#7#1=4#2=3", "rid");
    EXPECT_EQ(token_for(sessions, "3", {"1", "2"}), "3:2#7#1=5#2=3");
}

TEST(Sessions, of_a_container_that_was_made_anew_begin_anew) {
    Sessions sessions;
    sessions.heard("0:-1#500", "old");
    sessions.heard("0:-1#3", "new");
    EXPECT_EQ(token_for(sessions, "0"), "0:-1#3");
    sessions.heard("0:-1#500", "");  // nobody says whose: taken as this one's
    EXPECT_EQ(token_for(sessions, "0"), "0:-1#500");
    sessions.forget();
    EXPECT_FALSE(sessions.any());
    EXPECT_EQ(all_of(sessions), "");
}

// Half of a token would let a stale read pass.
TEST(Sessions, take_no_token_that_they_cannot_read_to_its_end) {
    Sessions sessions;
    sessions.heard("0:-1#5", "rid");
    for (const std::string header : {"0", "0:", ":5", "0:x", "0:2#9#", "0:-1#6,", "0:-1#6,1",
                                     "0:-1#99999999999999999999", "0:-1#7\r\nx: y", "0:2#1#1=-4"}) {
        sessions.heard(header, "rid");
        EXPECT_EQ(all_of(sessions), "0:-1#5") << header;
    }
}

}  // namespace
}  // namespace perdure::cosmos
