// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/parser.hpp"

#include "perdure/http/request_parser.hpp"
#include "perdure/http/response_writer.hpp"

#include "messages.hpp"
#include "readings.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using namespace perdure;
using namespace perdure::testing;
using http::Answering;
using http::Limits;
using http::Parsed;
using http::Problem;
using http::RequestParser;
using http::Response;
using http::ResponseParser;

void expect_verdict(const Message& message, const Reading& reading) {
    const bool accepted =
        message.verdict == ParseVerdict::good || message.verdict == ParseVerdict::alone;
    ASSERT_EQ(reading.parsed, accepted ? Parsed::complete : Parsed::broken);
    if (!accepted) {
        EXPECT_EQ(reading.kind,
                  message.verdict == ParseVerdict::cut ? Problem::truncated : Problem::malformed);
        return;
    }
    EXPECT_EQ(reading.body, message.body);
    EXPECT_EQ(reading.end, message.bytes.size() - message.beyond);
}

TEST(ResponseParser, accepts_only_what_every_reader_reads_alike) {
    for (const Message& message : responses()) {
        SCOPED_TRACE(message.name);
        expect_verdict(message, read_response(message.bytes, message.to));
    }
}

TEST(RequestParser, accepts_only_what_every_reader_reads_alike) {
    for (const Message& message : requests()) {
        SCOPED_TRACE(message.name);
        expect_verdict(message, read_request(message.bytes));
    }
}

TEST(ResponseParser, does_not_care_how_the_bytes_come) {
    for (const Message& message : responses()) {
        SCOPED_TRACE(message.name);
        const Reading whole = read_response(message.bytes, message.to);
        for (std::size_t piece = 1; piece < message.bytes.size(); ++piece)
            EXPECT_EQ(read_response(message.bytes, message.to, piece), whole) << piece;
    }
}

TEST(RequestParser, does_not_care_how_the_bytes_come) {
    for (const Message& message : requests()) {
        SCOPED_TRACE(message.name);
        const Reading whole = read_request(message.bytes);
        for (std::size_t piece = 1; piece < message.bytes.size(); ++piece)
            EXPECT_EQ(read_request(message.bytes, piece), whole) << piece;
    }
}

Response parsed(std::string_view bytes, std::size_t piece) {
    ResponseParser parser;
    EXPECT_EQ(read_in_pieces(parser, bytes, piece).parsed, Parsed::complete) << parser.problem();
    return parser.take();
}

TEST(ResponseParser, gives_the_whole_response) {
    const std::string bytes =
        "HTTP/1.0 404 Not there\r\nA: b\r\nX-Much-Longer-Name: c, d\r\na:  e\r\n"
        "Content-Length: 3\r\n\r\nabc";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
        const Response response = parsed(bytes, piece);
        EXPECT_EQ(response.status, 404);
        EXPECT_FALSE(response.ok());
        EXPECT_EQ(response.minor_version, 0);
        EXPECT_EQ(response.reason, "Not there");
        EXPECT_EQ(response.body, "abc");
        ASSERT_EQ(response.headers.size(), 4U);
        EXPECT_EQ(response.headers[1], (http::Header{"X-Much-Longer-Name", "c, d"}));
        EXPECT_EQ(response.headers[2], (http::Header{"a", "e"}));
    }
}

TEST(ResponseParser, keeps_trailers_apart) {
    const Response response =
        parsed(chunked("1\r\nx\r\n0\r\nSum: 1\r\nConnection: close\r\n\r\n"), 99);
    EXPECT_FALSE(response.headers.find("sum"));
    EXPECT_EQ(response.trailers.find("sum"), "1");
}

TEST(ResponseParser, knows_whether_the_connection_may_be_used_again) {
    struct Case {
        const char* head;
        bool keep_alive;
    };
    for (const auto& [head, keep_alive] :
         {Case{"HTTP/1.1 200 OK\r\nContent-Length: 0", true},
          Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close", false},
          Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: foo,\tCLOSE", false},
          Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive", true},
          Case{
              "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\nConnection: close",
              false},
          Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: closed", true},
          Case{"HTTP/1.0 200 OK\r\nContent-Length: 0", false},
          Case{"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive", true},
          Case{"HTTP/1.1 200 OK", false}, Case{"HTTP/1.0 200 OK\r\nConnection: keep-alive", false},
          Case{"HTTP/1.1 204 No\r\nContent-Length: 0", true}, Case{"HTTP/1.1 204 No", true},
          Case{"HTTP/1.1 204 No\r\nContent-Length: 1", false},
          Case{"HTTP/1.1 204 No\r\nTransfer-Encoding: chunked", false},
          Case{"HTTP/1.1 304 Same\r\nContent-Length: 1", true},
          Case{"HTTP/1.1 500 Broken\r\nContent-Length: 0", true}})
        EXPECT_EQ(read_response(std::string{head} + "\r\n\r\n").keep_alive, keep_alive) << head;
}

TEST(ResponseParser, says_how_far_it_is) {
    ResponseParser parser;
    parser.expect(Answering::with_body);
    std::size_t used = 0;
    EXPECT_FALSE(parser.begun());
    EXPECT_EQ(parser.feed("", used), Parsed::more);
    EXPECT_FALSE(parser.begun());
    EXPECT_EQ(parser.feed("HTTP/1.1 100 C\r\n\r\n", used), Parsed::more);
    EXPECT_TRUE(parser.begun());
    EXPECT_FALSE(parser.head_complete());
    EXPECT_EQ(parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", used), Parsed::more);
    EXPECT_TRUE(parser.head_complete());
    EXPECT_EQ(parser.head_bytes(), 18U + 38U);
    EXPECT_FALSE(parser.keep_alive());
    EXPECT_EQ(parser.feed("xyz", used), Parsed::complete);
    EXPECT_EQ(used, 1U);
    EXPECT_EQ(parser.feed("yz", used), Parsed::complete);
    EXPECT_EQ(used, 0U);
    EXPECT_EQ(parser.end_of_stream(), Parsed::complete);
    EXPECT_TRUE(parser.keep_alive());
    parser.expect(Answering::with_body);
    EXPECT_FALSE(parser.begun());
    EXPECT_EQ(parser.end_of_stream(), Parsed::broken);
    EXPECT_EQ(parser.kind(), Problem::truncated);
}

TEST(ResponseParser, leaves_the_bytes_of_a_tunnel_to_those_who_dug_it) {
    const Reading reading =
        read_response(ok("Content-Length: 9\r\n\r\n\x16\x03"), Answering::connect);
    EXPECT_EQ(reading.parsed, Parsed::complete);
    EXPECT_EQ(reading.end, ok("Content-Length: 9\r\n\r\n").size());
}

TEST(ResponseParser, forgets_the_last_response_before_the_next) {
    ResponseParser parser;
    std::size_t used = 0;
    for (const char* bytes :
         {"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
          "1\r\na\r\n0\r\nT: t\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "garbage\r\n",
          "HTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\nx"}) {
        parser.expect(Answering::with_body);
        parser.feed(bytes, used);
    }
    ASSERT_EQ(parser.kind(), Problem::none);
    EXPECT_TRUE(parser.keep_alive());
    const Response response = parser.take();
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, "x");
    EXPECT_EQ(response.headers.size(), 1U);
    EXPECT_TRUE(response.trailers.empty());
}

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

TEST(ResponseParser, stops_at_its_limits_and_not_earlier) {
    constexpr Limits small{.head = 200, .headers = 5, .body = 10, .interim = 2};
    const std::string interim = "HTTP/1.1 103 E\r\n\r\n", end = "Content-Length: 0\r\n\r\n";
    struct Case {
        const char* name;
        std::string fits, over;
    };
    const Case table[] = {
        {"head", ok("A: " + std::string(200 - 17 - 5 - 21, 'x') + "\r\n" + end),
         ok("A: " + std::string(200 - 17 - 5 - 20, 'x') + "\r\n" + end)},
        {"an endless line", "HTTP/1.1 200 " + std::string(164, 'x') + "\r\n" + end,
         std::string(201, 'x')},
        {"fields", ok(repeated("A: b\r\n", 4) + end), ok(repeated("A: b\r\n", 5) + end)},
        {"odd fields", ok(repeated("A: b \r\n", 4) + end), ok(repeated("A: b \r\n", 5) + end)},
        {"length", ok("Content-Length: 10\r\n\r\n0123456789"), ok("Content-Length: 11\r\n\r\n")},
        {"until close", ok("\r\n0123456789"), ok("\r\n01234567890")},
        {"chunks", chunked("5\r\n01234\r\n5\r\n01234\r\n0\r\n\r\n"),
         chunked("5\r\n01234\r\n6\r\n012345\r\n0\r\n\r\n")},
        {"one chunk", chunked("a\r\n0123456789\r\n0\r\n\r\n"), chunked("FFFFFFFFFFFFFFFF\r\n")},
        {"chunk extensions",
         chunked(repeated("1;" + std::string(65, 'x') + "\r\na\r\n", 3) + "0\r\n\r\n"),
         chunked(repeated("1;" + std::string(70, 'x') + "\r\na\r\n", 3) + "0\r\n\r\n")},
        {"trailer fields", chunked("0\r\n" + repeated("A: b\r\n", 5) + "\r\n"),
         chunked("0\r\n" + repeated("A: b\r\n", 6) + "\r\n")},
        {"trailers", chunked("0\r\nA: " + std::string(193, 'x') + "\r\n\r\n"),
         chunked("0\r\nA: " + std::string(194, 'x') + "\r\n\r\n")},
        {"interims", interim + interim + ok(end), interim + interim + interim + ok(end)},
    };
    for (const auto& [name, fits, over] : table) {
        SCOPED_TRACE(name);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{16}, std::size_t{1000}}) {
            EXPECT_EQ(read_response(fits, Answering::with_body, piece, small).parsed,
                      Parsed::complete);
            EXPECT_EQ(read_response(over, Answering::with_body, piece, small).kind,
                      Problem::too_large);
        }
    }
}

TEST(RequestParser, tells_head_body_and_rest_apart_for_those_who_pass_them_on) {
    const std::string head = post("Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
    RequestParser parser;
    std::size_t used = 0;
    ASSERT_EQ(parser.feed(head, used), Parsed::more);
    EXPECT_TRUE(parser.head_complete());
    EXPECT_TRUE(parser.expects_continue());
    EXPECT_EQ(parser.head_bytes(), head.size());
    ASSERT_EQ(parser.feed("hiGET", used), Parsed::complete);
    EXPECT_EQ(used, 2U);
    EXPECT_EQ(parser.method(), "POST");
    EXPECT_EQ(parser.target(), "/");
    EXPECT_TRUE(parser.keep_alive());
    parser.next();
    ASSERT_EQ(parser.feed("GET /x HTTP/1.0\r\nExpect: 100-continue\r\n\r\n", used),
              Parsed::complete);
    EXPECT_EQ(parser.target(), "/x");
    EXPECT_FALSE(parser.expects_continue());
    EXPECT_FALSE(parser.keep_alive());
}

TEST(ResponseWriter, writes_what_the_parser_reads) {
    for (const int status : {200, 204, 304, 503}) {
        Response response{.status = status, .reason = "Why not"};
        response.headers.add("A", "b");
        response.headers.add("Transfer-Encoding", "chunked");
        response.headers.add("content-length", "99");
        if (status == 200 || status == 503) response.body = "body";
        std::string bytes;
        http::append_response(bytes, response);
        const Response read = parsed(bytes + "beyond", 1000);
        EXPECT_EQ(read.status, status);
        EXPECT_EQ(read.reason, "Why not");
        EXPECT_EQ(read.headers.find("a"), "b");
        EXPECT_EQ(read.body, response.body);
    }
}

}  // namespace
