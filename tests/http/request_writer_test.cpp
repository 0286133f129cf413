// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/request_writer.hpp"

#include "perdure/http/method.hpp"
#include "perdure/http/request_parser.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace perdure;
using http::Header;
using http::Request;

std::string written(const Request& request, std::vector<Header> extra = {},
                    std::string_view origin = {}) {
    std::string out;
    http::append_request(out, request, "h:81", extra, origin);
    return out;
}

TEST(RequestWriter, writes_what_a_server_reads) {
    struct Case {
        Request request;
        const char* bytes;
    };
    const Case table[] = {
        {Request::get("/a?b"), "GET /a?b HTTP/1.1\r\nHost: h:81\r\n\r\n"},
        {Request::head("/"), "HEAD / HTTP/1.1\r\nHost: h:81\r\n\r\n"},
        {Request::del("/x"), "DELETE /x HTTP/1.1\r\nHost: h:81\r\n\r\n"},
        {Request::post("/"), "POST / HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
        {Request::put("/"), "PUT / HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
        {Request::patch("/"), "PATCH / HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"},
        {Request::post("/").body("{}", "application/json"),
         "POST / HTTP/1.1\r\nHost: h:81\r\nContent-Type: application/json\r\nContent-Length: "
         "2\r\n\r\n{}"},
        {Request::get("/").body("q"), "GET / HTTP/1.1\r\nHost: h:81\r\nContent-Length: 1\r\n\r\nq"},
        {Request{"PURGE", "/"}, "PURGE / HTTP/1.1\r\nHost: h:81\r\n\r\n"},
        {Request::get("/").header("A", "1").header("a", "2"),
         "GET / HTTP/1.1\r\nHost: h:81\r\nA: 1\r\na: 2\r\n\r\n"},
        {Request::get("/").header("host", "other"), "GET / HTTP/1.1\r\nHost: other\r\n\r\n"},
        {Request::post("/").idempotency_key("k-1"),
         "POST / HTTP/1.1\r\nHost: h:81\r\nIdempotency-Key: k-1\r\nContent-Length: 0\r\n\r\n"},
    };
    for (const auto& [request, bytes] : table) EXPECT_EQ(written(request), bytes);
}

TEST(RequestWriter, lets_the_request_win_over_extra_fields) {
    const auto request = Request::get("/").header("user-agent", "mine");
    EXPECT_EQ(written(request, {{"User-Agent", "ours"}, {"Accept-Encoding", "gzip"}}),
              "GET / HTTP/1.1\r\nHost: h:81\r\nAccept-Encoding: gzip\r\nuser-agent: mine\r\n\r\n");
}

TEST(RequestWriter, appends_and_can_name_the_whole_url_for_a_proxy) {
    std::string out = "before";
    http::append_request(out, Request::get("/a"), "h", {}, "http://h");
    EXPECT_EQ(out, "beforeGET http://h/a HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(RequestWriter, is_read_back_by_our_own_server_side) {
    const auto request =
        Request::post("/x?y").header("A-b_c", " v\t").body(std::string(70000, '\0'), "t/t");
    const std::string bytes = written(request);
    http::RequestParser parser;
    std::size_t used = 0;
    ASSERT_EQ(parser.feed(bytes, used), http::Parsed::complete) << parser.problem();
    EXPECT_EQ(used, bytes.size());
    EXPECT_EQ(parser.method(), "POST");
    EXPECT_EQ(parser.target(), "/x?y");
    EXPECT_EQ(parser.body(), request.body());
    EXPECT_EQ(parser.headers().find("a-b_c"), "v");
}

TEST(Request, is_refused_if_it_could_be_read_as_something_else) {
    const std::string nul{"a\0b", 3};
    const std::pair<Request, const char*> table[] = {
        {Request{"", "/"}, "method"},
        {Request{"GE T", "/"}, "method"},
        {Request{"GET\r\n", "/"}, "method"},
        {Request{"CONNECT", "/"}, "CONNECT"},
        {Request::get(""), "target"},
        {Request::get("a"), "target"},
        {Request::get("h:80"), "target"},
        {Request::get("/a b"), "target"},
        {Request::get("/a\r\nX: y"), "target"},
        {Request::get("/a#b"), "target"},
        {Request::get("/" + nul), "target"},
        {Request::get("/\xc3\xa4"), "target"},
        {Request::get("/").header("", "v"), "name"},
        {Request::get("/").header("a b", "v"), "name"},
        {Request::get("/").header("a:", "v"), "name"},
        {Request::get("/").header("a\r\nb", "v"), "name"},
        {Request::get("/").header("X-Secret", "s3cret\r\nb: c"), "X-Secret"},
        {Request::get("/").header("a", "v\n"), "value of a"},
        {Request::get("/").header("a", nul), "value of a"},
        {Request::get("/").header("a", "\x7f"), "value of a"},
        {Request::get("/").header("host", "a").header("Host", "b"), "Host"},
        {Request::post("/").header("content-length", "1"), "content-length"},
        {Request::post("/").header("Transfer-Encoding", "chunked"), "Transfer-Encoding"},
        {Request::get("/").header("Connection", "close"), "Connection"},
        {Request::get("/").header("Upgrade", "h2c"), "Upgrade"},
        {Request::get("/").header("TE", "trailers"), "TE"},
        {Request::get("/").header("Trailer", "x"), "Trailer"},
        {Request::get("/").header("Expect", "100-continue"), "Expect"},
        {Request::post("/").idempotency_key("a\r\nb"), "Idempotency-Key"},
        {Request::post("/").key_header("a b").idempotency_key(), "idempotency key"},
    };
    for (const auto& [request, named] : table) {
        const auto checked = check(request);
        ASSERT_FALSE(checked) << named;
        EXPECT_EQ(checked.error().cause, Cause::invalid);
        EXPECT_EQ(checked.error().effect, Effect::none);
        EXPECT_EQ(checked.error().origin, Origin::application);
        EXPECT_EQ(checked.error().code, "invalid-request");
        EXPECT_NE(checked.error().message.find(named), std::string::npos)
            << checked.error().message;
        EXPECT_EQ(checked.error().message.find("s3cret"), std::string::npos);
    }
}

TEST(Request, passes_when_it_is_clean) {
    for (const Request& request :
         {Request::get("/"), Request{"OPTIONS", "*"}, Request::get("http://h/x?y"),
          Request{"PROPFIND", "/%20"}.header("Depth", "1"), Request::get("/").header("Host", "x"),
          Request::get("/").header("X-Odd_~Name", "tab\tand \xc3\xa4 and empty").header("E", "")})
        EXPECT_TRUE(check(request)) << request.target();
}

TEST(Request, knows_from_method_key_and_caller_whether_it_may_be_repeated) {
    const std::pair<Request, Safety> table[] = {
        {Request::get("/"), Safety::read},
        {Request::head("/"), Safety::read},
        {Request{"OPTIONS", "*"}, Safety::read},
        {Request{"TRACE", "/"}, Safety::read},
        {Request::put("/"), Safety::idempotent},
        {Request::del("/"), Safety::idempotent},
        {Request::post("/"), Safety::once},
        {Request::patch("/"), Safety::once},
        {Request{"get", "/"}, Safety::once},
        {Request::post("/").idempotency_key(), Safety::guarded},
        {Request::post("/").idempotency_key("k"), Safety::guarded},
        {Request::put("/").idempotency_key(), Safety::idempotent},
        {Request::get("/").idempotency_key(), Safety::read},
        {Request::post("/search").safety(Safety::read), Safety::read},
        {Request::get("/count-me").safety(Safety::once), Safety::once},
        {Request::post("/").idempotency_key().safety(Safety::once), Safety::once},
    };
    for (const auto& [request, safety] : table)
        EXPECT_EQ(request.safety(), safety) << request.method();
}

TEST(Request, remembers_its_key_and_its_answers) {
    Request request =
        Request::post("/").key_header("X-Token").idempotency_key().answers(404).answers(412);
    EXPECT_EQ(request.key(), http::Key::per_call);
    EXPECT_EQ(request.key_header(), "X-Token");
    EXPECT_FALSE(request.headers().find("x-token"));
    EXPECT_TRUE(request.is_answer(404));
    EXPECT_TRUE(request.is_answer(412));
    EXPECT_FALSE(request.is_answer(409));
    request.idempotency_key("mine").header("a", "b").body("x", "t/t").body("y", "u/u");
    EXPECT_EQ(request.key(), http::Key::given);
    EXPECT_EQ(request.headers().find("x-token"), "mine");
    EXPECT_EQ(request.headers().find("content-type"), "u/u");
    EXPECT_EQ(request.body(), "y");
}

}  // namespace
