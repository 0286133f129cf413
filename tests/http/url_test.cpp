// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/url.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using namespace perdure;
using http::parse_url;
using http::resolve;
using http::Url;

struct Good {
    const char* text;
    Url url;
};

TEST(Url, says_where_to_connect_and_what_to_ask_for) {
    const Good table[] = {
        {"http://example.com", {"http", "example.com", 80, "/", ""}},
        {"HTTPS://Example.COM/A?b=%2F", {"https", "example.com", 443, "/A?b=%2F", ""}},
        {"http://example.com:8080/x#part", {"http", "example.com", 8080, "/x", ""}},
        {"http://example.com:/", {"http", "example.com", 80, "/", ""}},
        {"http://example.com?q", {"http", "example.com", 80, "/?q", ""}},
        {"http://[::1]:81/", {"http", "::1", 81, "/", ""}},
        {"https://[FE80::1]", {"https", "fe80::1", 443, "/", ""}},
        {"http://me:se%40cret@h/", {"http", "h", 80, "/", "me:se%40cret"}},
        {"http://127.0.0.1/a/../b", {"http", "127.0.0.1", 80, "/a/../b", ""}},
        {"http://h/?a?b/c@d:e", {"http", "h", 80, "/?a?b/c@d:e", ""}},
    };
    for (const auto& [text, url] : table) {
        const auto parsed = parse_url(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(*parsed, url) << text;
    }
}

TEST(Url, refuses_what_readers_disagree_about) {
    for (const std::string_view text : {"",
                                        "example.com",
                                        "/path",
                                        "ftp://h/",
                                        "http:/h",
                                        "http:h",
                                        "http://",
                                        "http:///p",
                                        "http://h:0/",
                                        "http://h:65536/",
                                        "http://h:80x/",
                                        "http://h:-1/",
                                        "http://h: 80/",
                                        "http://h /",
                                        "http://h/a b",
                                        "http://h/a\tb",
                                        "http://h/a\r\nX: y",
                                        "http://h\\@evil/",
                                        "http://h/\\..",
                                        "http://a@b@c/",
                                        "http://h%00/",
                                        "http://h\x80/",
                                        "http://h/\xc3\xa4",
                                        "http://[::1/",
                                        "http://[h]/",
                                        "http://[]/",
                                        "http://[::1]x/",
                                        "http://::1/",
                                        "http://h<>/",
                                        "http://@/",
                                        "http://:80/",
                                        "javascript://h/"}) {
        const auto parsed = parse_url(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().cause, Cause::invalid);
        EXPECT_EQ(parsed.error().effect, Effect::none);
        EXPECT_EQ(parsed.error().origin, Origin::application);
        EXPECT_EQ(parsed.error().code, "invalid-url");
    }
    EXPECT_FALSE(parse_url(std::string_view{"http://h/\0", 10}));
}

TEST(Url, is_printed_without_name_and_password) {
    const auto url = parse_url("https://me:secret@[::1]:444/x");
    ASSERT_TRUE(url);
    EXPECT_EQ(to_string(*url), "https://[::1]:444/x");
    EXPECT_EQ(host_of(*url), "[::1]:444");
    EXPECT_EQ(host_of(*parse_url("https://h:443/")), "h");
    EXPECT_EQ(host_of(*parse_url("http://h:443/")), "h:443");
    EXPECT_EQ(parse_url("http://me:secret@h h/").error().message.find("secret"), std::string::npos);
}

TEST(Url, follows_a_redirect_as_the_standard_says) {
    struct Case {
        const char* location;
        const char* result;
    };
    const auto base = parse_url("http://a/b/c/d;p?q");
    ASSERT_TRUE(base);
    // The examples of RFC 3986, 5.4, as far as they are http, and some of redirects.
    for (const auto& [location, result] : {Case{"g", "http://a/b/c/g"},
                                           Case{"./g", "http://a/b/c/g"},
                                           Case{"g/", "http://a/b/c/g/"},
                                           Case{"/g", "http://a/g"},
                                           Case{"//g", "http://g/"},
                                           Case{"?y", "http://a/b/c/d;p?y"},
                                           Case{"g?y", "http://a/b/c/g?y"},
                                           Case{"#s", "http://a/b/c/d;p?q"},
                                           Case{"g#s", "http://a/b/c/g"},
                                           Case{";x", "http://a/b/c/;x"},
                                           Case{"", "http://a/b/c/d;p?q"},
                                           Case{".", "http://a/b/c/"},
                                           Case{"./", "http://a/b/c/"},
                                           Case{"..", "http://a/b/"},
                                           Case{"../", "http://a/b/"},
                                           Case{"../g", "http://a/b/g"},
                                           Case{"../..", "http://a/"},
                                           Case{"../../g", "http://a/g"},
                                           Case{"../../../g", "http://a/g"},
                                           Case{"/./g", "http://a/g"},
                                           Case{"/../g", "http://a/g"},
                                           Case{"g.", "http://a/b/c/g."},
                                           Case{"..g", "http://a/b/c/..g"},
                                           Case{"./../g", "http://a/b/g"},
                                           Case{"g/./h", "http://a/b/c/g/h"},
                                           Case{"g/../h", "http://a/b/c/h"},
                                           Case{"g?y/../x", "http://a/b/c/g?y/../x"},
                                           Case{"https://g:8443/x", "https://g:8443/x"},
                                           Case{"HTTP://G", "http://g/"},
                                           Case{"/a:b", "http://a/a:b"},
                                           Case{"./a:b", "http://a/b/c/a:b"}}) {
        const auto next = resolve(*base, location);
        ASSERT_TRUE(next) << location;
        EXPECT_EQ(to_string(*next), result) << location;
    }
    for (const char* location :
         {"mailto:me", "http:g", "file:///etc/passwd", "g h", "\\\\evil\\x", "//", "///x", "a:b"})
        EXPECT_FALSE(resolve(*base, location)) << location;
}

TEST(Url, keeps_name_and_password_only_for_the_same_host_and_port) {
    const auto base = parse_url("https://me:pw@h/x");
    ASSERT_TRUE(base);
    EXPECT_EQ(resolve(*base, "/y")->userinfo, "me:pw");
    EXPECT_EQ(resolve(*base, "https://h/y")->userinfo, "me:pw");
    EXPECT_EQ(resolve(*base, "https://other/y")->userinfo, "");
    EXPECT_EQ(resolve(*base, "//h:444/y")->userinfo, "");
    EXPECT_EQ(resolve(*base, "http://h/y")->userinfo, "");
    EXPECT_EQ(resolve(*base, "https://you@h/y")->userinfo, "you");
}

}  // namespace
