// SPDX-License-Identifier: Apache-2.0
//
// Does a session token keep the furthest that was seen, and refuse what is none?
#include "perdure/cosmos/wire/session_token.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::cosmos {
namespace {

SessionToken token(std::string_view text) {
    const auto read = SessionToken::parse(text);
    if (!read) ADD_FAILURE() << text;
    return read.value_or(SessionToken{});
}

TEST(SessionToken, comes_back_from_its_text_in_both_forms) {
    for (const std::string_view text :
         {"-1#0", "-1#5", "-1#9223372036854775807", "0#5", "2#105", "2#105#1=104#4=99",
          "9223372036854775807#9223372036854775807#0=9223372036854775807", "1#7#3=-1", "-1#-1"})
        EXPECT_EQ(token(text).text(), text);
    EXPECT_EQ(token("2#105#4=99#1=104").text(), "2#105#1=104#4=99");
    EXPECT_EQ(SessionToken{7}.text(), "-1#7");
}

TEST(SessionToken, that_is_none_is_refused) {
    std::string regions = "1#1";
    for (int i = 0; i < 65; ++i) regions += "#" + std::to_string(i) + "=1";
    for (const std::string_view text : {std::string_view{},
                                        std::string_view{"5"},
                                        std::string_view{"#"},
                                        std::string_view{"1#"},
                                        std::string_view{"#1"},
                                        std::string_view{"1#2#"},
                                        std::string_view{"1#2##3=4"},
                                        std::string_view{"1#2#3"},
                                        std::string_view{"1#2#3="},
                                        std::string_view{"1#2#=4"},
                                        std::string_view{"1#2#3=4=5"},
                                        std::string_view{"1#2#3=4#3=5"},
                                        std::string_view{"-2#1"},
                                        std::string_view{"1#-1"},
                                        std::string_view{"1#2#-3=4"},
                                        std::string_view{"1#2#3=-2"},
                                        std::string_view{"1#9223372036854775808"},
                                        std::string_view{"1#1e3"},
                                        std::string_view{"+1#1"},
                                        std::string_view{" 1#1"},
                                        std::string_view{"1#1 "},
                                        std::string_view{"1#1.0"},
                                        std::string_view{"1,1"},
                                        std::string_view{"1#\0", 3},
                                        std::string_view{regions}})
        EXPECT_FALSE(SessionToken::parse(text)) << text;
}

struct Merged {
    std::string_view a, b, both;
};

TEST(SessionToken, merges_to_the_regions_of_the_higher_version_and_the_furthest_of_each) {
    for (const auto& [a, b, both] : {
             Merged{"-1#5", "-1#7", "-1#7"},
             Merged{"-1#7", "-1#5", "-1#7"},
             Merged{"-1#900", "2#10#1=9", "2#10#1=9"},
             Merged{"2#900#1=9", "3#10#1=2", "3#10#1=9"},
             Merged{"3#10#1=2", "2#900#1=9", "3#10#1=9"},
             Merged{"2#900#1=9#3=5", "3#10#1=12#2=7", "3#10#1=12#2=7"},  // region 3 has gone
             Merged{"3#10#2=7#5=1", "2#900#1=9#2=8#4=4#5=3", "3#10#2=8#5=3"},
             Merged{"2#105#1=104#4=99", "2#103#1=106", "2#105#1=106#4=99"},
             Merged{"2#1", "2#2#5=1#6=2", "2#2#5=1#6=2"},
             Merged{"2#1#2=1#9=9", "2#1#1=4#5=1#6=2#9=3", "2#1#1=4#2=1#5=1#6=2#9=9"},
         }) {
        SessionToken merged = token(a);
        merged.merge(token(b));
        EXPECT_EQ(merged.text(), both) << a << " and " << b;
    }
}

TEST(SessionToken, is_ahead_of_those_that_merging_it_would_change) {
    std::mt19937 random{8};
    RecordProperty("seed", 8);
    const auto any = [&] {
        std::string text = std::to_string(random() % 3) + "#" + std::to_string(random() % 4);
        for (int region = 0; region < 3; ++region)
            if (random() % 2 == 0)
                text += "#" + std::to_string(region) + "=" + std::to_string(random() % 4);
        return token(text);
    };
    for (int i = 0; i < 2000; ++i) {
        const SessionToken a = any(), b = any();
        SCOPED_TRACE(a.text() + " and " + b.text());
        SessionToken both = b, other_way = a;
        both.merge(a);
        other_way.merge(b);
        ASSERT_EQ(a.ahead_of(b), both != b);
        ASSERT_EQ(both, other_way);
        ASSERT_FALSE(a.ahead_of(both));
        ASSERT_FALSE(b.ahead_of(both));
        SessionToken again = both;
        again.merge(a);
        ASSERT_EQ(again, both);
    }
}

TEST(SessionToken, stands_in_a_header_with_the_range_it_is_of) {
    const auto read = parse_session_header("0:-1#5,1:-1#7,12:2#105#1=104");
    ASSERT_TRUE(read);
    EXPECT_EQ(*read,
              (std::vector<RangeToken>{
                  {"0", token("-1#5")}, {"1", token("-1#7")}, {"12", token("2#105#1=104")}}));
    std::string written;
    for (const auto& [range, each] : *read) append_session_header(written, range, each);
    EXPECT_EQ(written, "0:-1#5,1:-1#7,12:2#105#1=104");
}

TEST(SessionToken, in_a_header_that_cannot_be_read_is_corrupt_as_a_whole) {
    for (const std::string_view text :
         {"", ",", "0", "0:", ":-1#5", "0:-1#5,", ",0:-1#5", "0:-1#5,x", "0:-1#5,1:nonsense",
          "0 :-1#5", "0:0:-1#5", "0:-1#5;1:-1#7"}) {
        const auto read = parse_session_header(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().cause, Cause::corrupt);
        EXPECT_EQ(read.error().code, "unreadable-session-token");
    }
    EXPECT_FALSE(parse_session_header(std::string(65, '0') + ":-1#5"));
}

}  // namespace
}  // namespace perdure::cosmos
