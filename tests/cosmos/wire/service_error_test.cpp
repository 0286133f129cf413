// SPDX-License-Identifier: Apache-2.0
//
// Is what a service, a proxy or nobody says about an error fit for a log?
#include "perdure/cosmos/wire/service_error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace perdure::cosmos {
namespace {

TEST(ServiceError, is_code_and_message) {
    EXPECT_EQ(parse_error(R"({"code":"NotFound","message":"Entity does not exist."})"),
              (ServiceError{"NotFound", "Entity does not exist."}));
    EXPECT_EQ(parse_error(R"({"message":"m","extra":{"a":[1]},"code":7})"),
              (ServiceError{"", "m"}));
}

TEST(ServiceError, is_told_without_its_wrapping) {
    EXPECT_EQ(
        parse_error(
            R"({"code":"Conflict","message":"Message: {\"Errors\":[\"Already there.\",\"Really.\"]})"
            R"(\r\nActivityId: 1-2, Request URI: /apps/x, RequestStats: , SDK: y"})"),
        (ServiceError{"Conflict", "Already there.; Really."}));
    EXPECT_EQ(
        parse_error("{\"code\":\"Gone\",\"message\":\"Moved.\\r\\nActivityId: 1, x\"}").message,
        "Moved.");
    EXPECT_EQ(parse_error(R"({"code":"X","message":"Message: {not JSON"})").message, "{not JSON");
}

TEST(ServiceError, of_a_page_is_its_words) {
    const auto error = parse_error("<!DOCTYPE HTML>\r\n<HTML><HEAD><TITLE>Bad "
                                   "Request</TITLE>\r\n<style>body {a:b}</style></HEAD>\r\n"
                                   "<BODY><h2>Bad Request - Request Too Long</h2>\r\n<hr><p>HTTP "
                                   "Error 400.</p></BODY></HTML>");
    EXPECT_EQ(error.code, "");
    EXPECT_EQ(error.message, "Bad Request Bad Request - Request Too Long HTTP Error 400.");
    EXPECT_EQ(parse_error("<script>alert(1)").message, "");
    EXPECT_EQ(parse_error("<").message, "");
    EXPECT_EQ(parse_error("<style>").message, "");
}

TEST(ServiceError, of_anything_else_is_its_first_bytes) {
    EXPECT_EQ(parse_error(""), ServiceError{});
    EXPECT_EQ(parse_error("upstream connect error"), (ServiceError{"", "upstream connect error"}));
    EXPECT_EQ(parse_error(R"({"error":"odd"})").message, R"({"error":"odd"})");
    EXPECT_EQ(parse_error(R"({"code":"A","message":"b")").code, "") << "cut off";
    EXPECT_EQ(parse_error("a\x1b[31mb\xff\n\tc\xe2\x80\xae"
                          "d\xc2\x85"
                          "e")
                  .message,
              "a [31mb c d e");
}

TEST(ServiceError, is_cut_between_characters) {
    std::string long_text(1023, 'x');
    long_text += "\xc3\xbc";
    const auto error = parse_error(R"({"code":")" + std::string(500, 'c') + R"(","message":")" +
                                   long_text + "\"}");
    EXPECT_EQ(error.message, std::string(1023, 'x'));
    EXPECT_EQ(error.code.size(), 128U);
    EXPECT_EQ(parse_error(std::string(1'000'000, 'y')).message.size(), longest_error_message);
}

TEST(ServiceError, does_not_repeat_signatures_keys_and_tokens) {
    for (const std::string_view text :
         {"token: type=master&ver=1.0&sig=SECRET/SECRET= was wrong",
          "type%3Dmaster%26sig%3dSECRET was wrong", "AccountKey=SECRET; was wrong",
          "Authorization: Bearer SECRET was wrong", "bearer SECRET was wrong",
          "'eyJSECRET.SECRET' was wrong"}) {
        for (const std::string& body :
             {std::string{text},
              R"({"code":"Unauthorized","message":")" + std::string{text} + "\"}",
              "<html>" + std::string{text} + "</html>"}) {
            const auto error = parse_error(body);
            EXPECT_EQ(error.message.find("SECRET"), std::string::npos) << error.message;
            EXPECT_NE(error.message.find("was wrong"), std::string::npos) << error.message;
        }
    }
}

TEST(ServiceError, can_say_that_headers_have_grown_too_large) {
    EXPECT_TRUE(looks_like_header_too_large(400, "<h2>Bad Request - Request Too Long</h2>"));
    EXPECT_TRUE(looks_like_header_too_large(
        400, R"({"code":"BadRequest","message":"Request header too large"})"));
    EXPECT_TRUE(looks_like_header_too_large(400, "Request Header Or Cookie Too Large"));
    EXPECT_TRUE(looks_like_header_too_large(431, ""));
    EXPECT_FALSE(
        looks_like_header_too_large(400, R"({"code":"BadRequest","message":"Invalid id"})"));
    EXPECT_FALSE(looks_like_header_too_large(404, "Request header too large"));
    EXPECT_FALSE(looks_like_header_too_large(400, ""));
}

}  // namespace
}  // namespace perdure::cosmos
