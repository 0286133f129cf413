// SPDX-License-Identifier: Apache-2.0
//
// Does text that is not ours reach a terminal without its control characters?
#include <gtest/gtest.h>

#include "text/json_text.hpp"
#include "text/visible.hpp"

namespace tool {
namespace {

TEST(Visible, writes_what_drives_a_terminal_as_escapes) {
    const struct {
        std::string_view text;
        std::string_view shown;
    } cases[] = {
        {"plain, Zoë 値段 \xf0\x9f\x98\x80", "plain, Zoë 値段 \xf0\x9f\x98\x80"},
        {"a\nb\tc\r\n", "a\nb\tc\r\n"},
        {"a\rb", "a\\u000db"},
        {"\x1b]0;PWN\x07", "\\u001b]0;PWN\\u0007"},
        {{"\0", 1}, "\\u0000"},
        {"\x7f\b", "\\u007f\\u0008"},
        {"\xc2\x9b"
         "2J\xc2\x85",
         "\\u009b2J\\u0085"},
        {"\x9b"
         "2J",
         "\\x9b2J"},
        {"\xe2\x80\xae"
         "abc\xe2\x81\xa6",
         "\\u202eabc\\u2066"},
        {"\xe2\x80\x8f", "\xe2\x80\x8f"},  // a mark that turns nothing around
        {"\xc0\x9b \xed\xa0\x80 \xe2\x80", "\\xc0\\x9b \\xed\\xa0\\x80 \\xe2\\x80"},
        {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
        {"", ""},
    };
    for (const auto& at : cases) EXPECT_EQ(visible(at.text), at.shown);
}

TEST(Visible, leaves_a_line_of_json_the_same_values) {
    EXPECT_EQ(visible(json_text("\x1b[2J \xc2\x9b \xff")), "\"\\u001b[2J \\u009b \\ufffd\"");
}

TEST(Visible, words_repeat_no_name_and_password_of_a_url) {
    const struct {
        std::string_view text;
        std::string_view shown;
    } cases[] = {
        {"no file http://me:pw@host/a", "no file http://***@host/a"},
        {"postgres://me@h", "postgres://***@h"},
        {"http://me:a@b?c#d@host", "http://***@host"},
        {"\"http://me:a\\\"b@host\", x@y", "\"http://***@host\", x@y"},
        {"http://a:b@c/ and amqp://d:e@f", "http://***@c/ and amqp://***@f"},
        {"http://host/page@2 http://host and me@home",
         "http://host/page@2 http://host and me@home"},
        {"http://u:pa/SEC@h/x", "http://***@h/x"},
        {"\"http://u:pa/S/EC@h\", x@y", "\"http://***@h\", x@y"},
        {"http://u:80a/SEC@h http://u:123456/SEC@h", "http://***@h http://***@h"},
        {"http://u:p@a/SEC@h", "http://***@h"},
        {"http://[::1:pa/SEC@h", "http://***@h"},
        {"http://me:pw@[::1]:80/a", "http://***@[::1]:80/a"},
        {"http://h:80/a@b http://[::1]/a@b http://[::1]:80/a@b",
         "http://h:80/a@b http://[::1]/a@b http://[::1]:80/a@b"},
        {"http://h/a:b@c", "http://h/a:b@c"},
        {"https://x?m=a@b.c https://x?t=1:2&m=a@b.c", "https://x?m=a@b.c https://x?t=1:2&m=a@b.c"},
        {"http://me:pw?x@h http://me@h?m=a@b", "http://***@h http://***@h?m=a@b"},
        {"http://me:a\\", "http://me:a\\"},
        {"http://", "http://"},
        {"", ""},
    };
    for (const auto& at : cases) EXPECT_EQ(without_passwords(at.text), at.shown);
}

TEST(Visible, looks_for_passwords_in_a_long_text_of_urls_without_a_blank) {
    std::string text;
    while (text.size() < 4'000'000) text += "://a:b/";
    EXPECT_EQ(without_passwords(text), text);  // each URL to the end of the text would take minutes
    EXPECT_EQ(without_passwords(text + "@h"), "://***@h");
}

}  // namespace
}  // namespace tool
