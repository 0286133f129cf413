// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/gzip.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "http/packed.hpp"

namespace {

using namespace perdure;
using http::Compression;
using http::decode_content;
using http::gunzip;
using http::Inflater;
using http::packed;
using http::Response;

constexpr std::size_t plenty = 1 << 20;

// 31 is gzip, 15 zlib.
TEST(Gzip, gives_back_what_was_packed) {
    for (const std::string& text : {std::string{}, std::string{"hello"}, std::string(100000, 'x')})
        EXPECT_EQ(gunzip(packed(text), plenty), Result<std::string>{text}) << text.size();
}

TEST(Gzip, reads_several_members_as_one_body) {
    EXPECT_EQ(gunzip(packed("one ") + packed("") + packed("two"), plenty),
              Result<std::string>{"one two"});
}

TEST(Gzip, does_not_care_how_the_bytes_come) {
    const std::string bytes = packed("some text, some text") + packed(std::string(50000, 'y'));
    Inflater inflater{Compression::gzip, plenty};
    std::string out;
    for (const char byte : bytes) ASSERT_TRUE(inflater.feed({&byte, 1}, out));
    ASSERT_TRUE(inflater.finish());
    EXPECT_EQ(out, "some text, some text" + std::string(50000, 'y'));
}

TEST(Gzip, refuses_what_is_cut_short_changed_or_something_else) {
    const std::string good = packed("hello, hello, hello");
    std::string checksum = good, length = good;
    checksum[good.size() - 8] = static_cast<char>(checksum[good.size() - 8] ^ 1);
    length[good.size() - 1] = static_cast<char>(length[good.size() - 1] ^ 1);
    for (const std::string& bytes :
         {std::string{}, good.substr(0, 5), good.substr(0, good.size() - 1), checksum, length,
          good + "x", good + good.substr(0, 9), std::string{"plain text"}, packed("zlib", 15)}) {
        const auto text = gunzip(bytes, plenty);
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().cause, Cause::corrupt);
        EXPECT_EQ(text.error().effect, Effect::unknown);
        EXPECT_EQ(text.error().code, "gzip");
    }
}

TEST(Gzip, stops_at_the_limit_and_not_a_byte_earlier) {
    std::string zeros;
    zeros.resize(10'000'000);
    const auto text = gunzip(packed(zeros), plenty);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().cause, Cause::too_large);
    EXPECT_EQ(text.error().effect, Effect::unknown);
    EXPECT_TRUE(gunzip(packed(std::string(5000, 'x')), 5000));
    EXPECT_FALSE(gunzip(packed(std::string(5001, 'x')), 5000));
    EXPECT_TRUE(gunzip(packed(""), 0));
    EXPECT_TRUE(gunzip(packed("x"), static_cast<std::size_t>(-1)));
    // Each member alone fits.
    EXPECT_FALSE(gunzip(packed(std::string(3000, 'x')) + packed(std::string(3000, 'x')), 5000));
}

TEST(Gzip, knows_deflate_in_its_zlib_form) {
    Inflater inflater{Compression::deflate, plenty};
    std::string out;
    ASSERT_TRUE(inflater.feed(packed("text", 15), out));
    ASSERT_TRUE(inflater.finish());
    EXPECT_EQ(out, "text");
    EXPECT_FALSE(inflater.feed("more", out));
}

Response encoded(std::string_view encoding, std::string body, int status = 200) {
    Response response{.status = status, .body = std::move(body)};
    response.headers.add("Content-Encoding", encoding);
    response.headers.add("Content-Length", std::to_string(response.body.size()));
    return response;
}

TEST(ContentEncoding, is_undone_and_no_longer_claimed) {
    for (const char* encoding : {"gzip", "x-gzip", "GZip"}) {
        Response response = encoded(encoding, packed("text"));
        ASSERT_TRUE(decode_content(response, plenty));
        EXPECT_EQ(response.body, "text");
        EXPECT_TRUE(response.headers.empty());
    }
    Response plain = encoded("identity", "text");
    ASSERT_TRUE(decode_content(plain, plenty));
    EXPECT_EQ(plain.body, "text");
    EXPECT_FALSE(plain.headers.find("content-encoding"));
    EXPECT_TRUE(plain.headers.find("content-length"));
}

TEST(ContentEncoding, is_left_alone_where_we_cannot_or_need_not_undo_it) {
    for (Response response :
         {encoded("br", "text"), encoded("gzip, gzip", "text"), encoded("deflate", "x"),
          encoded("gzip", ""), Response{.status = 200, .body = "text"}}) {
        const Response before = response;
        ASSERT_TRUE(decode_content(response, plenty));
        EXPECT_EQ(response, before);
    }
}

TEST(ContentEncoding, that_cannot_be_read_after_a_success_says_that_it_was_applied) {
    Response response = encoded("gzip", "no gzip");
    EXPECT_EQ(decode_content(response, plenty).error().effect, Effect::applied);
    response = encoded("gzip", "no gzip", 500);
    EXPECT_EQ(decode_content(response, plenty).error().effect, Effect::unknown);
    response = encoded("gzip", packed(std::string(100, 'x')));
    EXPECT_EQ(decode_content(response, 10).error().effect, Effect::applied);
}

}  // namespace
