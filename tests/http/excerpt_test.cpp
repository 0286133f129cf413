// SPDX-License-Identifier: Apache-2.0
#include "http/excerpt.hpp"

#include "http/asking.hpp"
#include "http/packed.hpp"
#include "perdure/call/diagnostics.hpp"

namespace perdure::http {
namespace {

TEST(Excerpt, is_one_line_without_control_characters) {
    EXPECT_EQ(one_line("{\n  \"error\": \"sold out\"\r\n}\n"), R"({ "error": "sold out" })");
    EXPECT_EQ(one_line("\x1b[31mred\x7f\xc2\x9b"), "[31mred");
    EXPECT_EQ(one_line("caf\xc3\xa9 \xff\xc3"), "caf\xc3\xa9 ??");
    EXPECT_EQ(one_line(" \n"), "");
    EXPECT_EQ(one_line(std::string_view{"a\0b", 3}), "a b");
}

TEST(Excerpt, is_cut_between_characters_to_200_bytes) {
    EXPECT_EQ(one_line(std::string(200, 'x')), std::string(200, 'x'));
    EXPECT_EQ(one_line(std::string(201, 'x')), std::string(197, 'x') + "…");
    std::string umlauts;
    for (int i = 0; i < 200; ++i) umlauts += "ü";
    const std::string cut = one_line(umlauts);
    EXPECT_EQ(cut, umlauts.substr(0, 196) + "…");
}

std::string said_of(std::string_view type, std::string_view body) {
    Response response{.status = 409};
    response.headers.add("Content-Type", type);
    response.body = body;
    return excerpt_of(response);
}

TEST(Excerpt, is_taken_of_text_and_json_only) {
    for (const char* const type :
         {"text/plain", "text/html; charset=utf-8", "application/json", "Application/JSON ;a=b",
          "application/problem+json", "application/vnd.api+json"})
        EXPECT_EQ(said_of(type, "sold out"), "sold out") << type;
    for (const char* const type : {"", "image/png", "application/octet-stream", "application/pdf"})
        EXPECT_EQ(said_of(type, "sold out"), "") << type;
}

class Refusals : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Refusals, ::testing::Values(Way::blocking, Way::coroutine), name_of);

TEST_P(Refusals, say_in_the_message_what_the_server_said) {
    Server server{[](const Seen&) {
        return status(409, R"({"error":"book 7 is sold out"})",
                      "Content-Type: application/json\r\n");
    }};
    Client client{server.url(), {.proxy_from = ProxyFrom::nowhere}};
    const auto got = ask(client, Request::get("/books/7"));
    ASSERT_FALSE(got);
    EXPECT_TRUE(got.error().message.ends_with(R"(: {"error":"book 7 is sold out"})"))
        << got.error().message;
}

TEST_P(Refusals, keep_the_body_out_of_diagnostics) {
    Server server{
        [](const Seen&) { return status(503, "hunter2", "Content-Type: text/plain\r\n"); }};
    Client client{server.url(), repeating(2)};
    Diagnostics record;
    const auto got = ask(client, Request::get("/"), {.diagnostics = &record});
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("hunter2"), std::string::npos);
    EXPECT_EQ(record.to_json().find("hunter2"), std::string::npos) << record.to_json();
}

TEST_P(Refusals, are_read_through_gzip) {
    Server server{[](const Seen&) {
        return status(400, packed("what is wrong"),
                      "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n");
    }};
    Client client{server.url(), plain()};
    Response answer;
    const auto got = ask(client, Request::get("/"), {.last_answer = &answer});
    ASSERT_FALSE(got);
    EXPECT_NE(got.error().message.find("what is wrong"), std::string::npos) << got.error().message;
    EXPECT_EQ(answer.status, 400) << "the answer itself is still handed over";
}

}  // namespace
}  // namespace perdure::http
