// SPDX-License-Identifier: Apache-2.0
//
// Messages, most of them nasty, and what we say to them. One table for the parsers' own tests and for
// the comparison with another parser.
#pragma once

#include "perdure/http/parser.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::testing {

enum class ParseVerdict {
    good,     // complete, and so says http-parser
    alone,    // complete, and http-parser refuses it: a reason stands beside each
    refused,  // broken: malformed
    cut,      // broken: the stream ended within it
};

struct Message {
    const char* name;
    std::string bytes;
    ParseVerdict verdict;
    std::string body{};
    std::size_t beyond = 0;  // bytes after its end
    http::Answering to = http::Answering::with_body;
};

// After "HTTP/1.1 200 OK" and its line end.
inline std::string ok(std::string_view rest) { return "HTTP/1.1 200 OK\r\n" + std::string{rest}; }
inline std::string chunked(std::string_view rest) {
    return ok("Transfer-Encoding: chunked\r\n\r\n" + std::string{rest});
}
inline std::string post(std::string_view rest) {
    return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string{rest};
}

inline std::vector<Message> responses() {
    using enum ParseVerdict;
    using enum http::Answering;
    using std::string_literals::operator""s;
    return {
        {"length", ok("Content-Length: 2\r\n\r\nhi"), good, "hi"},
        {"length, any case", ok("CONTENT-length:2\r\n\r\nhi"), good, "hi"},
        {"length, blanks", ok("Content-Length: \t 2 \r\n\r\nhi"), good, "hi"},
        // It knows no tab after a number.
        {"length, tab", ok("Content-Length: 2\t\r\n\r\nhi"), alone, "hi"},
        {"length, leading zeros", ok("Content-Length: 002\r\n\r\nhi"), good, "hi"},
        {"length zero", ok("Content-Length: 0\r\n\r\n"), good},
        {"length, more follows", ok("Content-Length: 2\r\n\r\nhiHTTP"), good, "hi", 4},
        {"length, cut", ok("Content-Length: 3\r\n\r\nhi"), cut},
        {"length empty", ok("Content-Length:\r\n\r\n"), refused},
        {"length signed", ok("Content-Length: +2\r\n\r\nhi"), refused},
        {"length negative", ok("Content-Length: -2\r\n\r\nhi"), refused},
        {"length hexadecimal", ok("Content-Length: 0x2\r\n\r\nhi"), refused},
        {"length with a blank in it", ok("Content-Length: 1 2\r\n\r\nhi"), refused},
        {"length list, equal", ok("Content-Length: 2, 2\r\n\r\nhi"), refused},
        {"length list", ok("Content-Length: 2,3\r\n\r\nhi"), refused},
        {"length twice, equal", ok("Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi"), refused},
        {"length twice", ok("Content-Length: 2\r\ncontent-length: 3\r\n\r\nhi"), refused},
        {"length beyond 64 bits", ok("Content-Length: 18446744073709551618\r\n\r\nhi"), refused},
        {"length of twenty nines", ok("Content-Length: 99999999999999999999\r\n\r\n"), refused},
        {"length and chunked",
         ok("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), refused},
        {"chunked and length",
         ok("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"), refused},

        {"until close", ok("\r\nhi"), good, "hi"},
        {"until close, nothing", ok("\r\n"), good},
        {"until close, 1.0", "HTTP/1.0 200 OK\r\n\r\nhi", good, "hi"},
        {"HEAD with a length", ok("Content-Length: 5\r\n\r\n"), good, "", 0, head},
        {"HEAD with an endless length", ok("Content-Length: 999999999999999999\r\n\r\n"), good, "",
         0, head},
        {"HEAD, chunked", ok("Transfer-Encoding: chunked\r\n\r\n"), good, "", 0, head},
        {"HEAD, more follows", ok("\r\nhi"), good, "", 2, head},
        // It waits for bodies that 204 and 304 never have (RFC 9112, 6.3).
        {"204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", alone},
        {"204, chunked", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n", alone},
        {"204, more follows", "HTTP/1.1 204 No\r\n\r\nhi", good, "", 2},
        {"304 with a length", "HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n", alone},
        {"205 has a body", "HTTP/1.1 205 Reset\r\nContent-Length: 1\r\n\r\nx", good, "x"},
        {"an error to CONNECT has a body", "HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nhi", good,
         "hi", 0, connect},

        {"interim", "HTTP/1.1 100 Continue\r\n\r\n" + ok("Content-Length: 2\r\n\r\nhi"), good,
         "hi"},
        {"interims",
         "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 102 P\r\n\r\n" +
             ok("Content-Length: 0\r\n\r\n"),
         good},
        {"interim, chunked",
         "HTTP/1.1 103 E\r\nTransfer-Encoding: chunked\r\n\r\n" + ok("Content-Length: 0\r\n\r\n"),
         refused},
        {"interim with a length",
         "HTTP/1.1 103 E\r\nContent-Length: 1\r\n\r\n" + ok("Content-Length: 0\r\n\r\n"), refused},
        {"interim with no length",
         "HTTP/1.1 100 C\r\nContent-Length: 0\r\n\r\n" + ok("Content-Length: 0\r\n\r\n"), good},
        {"interim, then nothing", "HTTP/1.1 100 Continue\r\n\r\n", cut},
        {"interim's Connection is not the response's",
         "HTTP/1.1 103 Early\r\nConnection: close\r\n\r\n" + ok("Content-Length: 0\r\n\r\n"), good},
        {"101", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n", refused},

        {"chunked", chunked("2\r\nhi\r\n0\r\n\r\n"), good, "hi"},
        {"chunked, any case", ok("transfer-ENCODING: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"), good,
         "hi"},
        {"chunks", chunked("1\r\na\r\nA\r\n0123456789\r\n0c\r\nabcdefghijkl\r\n000\r\n\r\nX"), good,
         "a0123456789abcdefghijkl", 1},
        {"chunk extension", chunked("2;name=\"value\"\r\nhi\r\n0;x\r\n\r\n"), good, "hi"},
        {"chunk with CRLF in it", chunked("4\r\n\r\n\r\n\r\n0\r\n\r\n"), good, "\r\n\r\n"},
        {"trailers", chunked("0\r\nX-Sum: 5\r\nY: z\r\n\r\n"), good},
        {"no chunks", chunked("0\r\n\r\n"), good},
        {"chunks cut", chunked("2\r\nhi\r\n"), cut},
        {"chunk cut", chunked("3\r\nhi"), cut},
        {"last chunk without the last line", chunked("2\r\nhi\r\n0\r\n"), cut},
        {"chunk size empty", chunked("\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size with blanks", chunked("2 \r\nhi\r\n0 \t\r\n\r\n"), good, "hi"},
        {"blanks before a chunk extension", chunked("2 ; ext\r\nhi\r\n0 ;x\r\n\r\n"), good, "hi"},
        {"a tab before a chunk extension", chunked("2\t;ext\r\nhi\r\n0\r\n\r\n"), alone,
         "hi"},  // it knows spaces there only
        {"chunk size of two numbers", chunked("2 2\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size with a blank inside", chunked("1 0\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size and a word", chunked("2 ext\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size after a blank", chunked(" 2\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size signed", chunked("+2\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size with 0x", chunked("0x2\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size with a stranger", chunked("2g\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size of 17 digits", chunked("00000000000000002\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size beyond 64 bits", chunked("10000000000000002\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk size after a bare line feed", chunked("2\nhi\r\n0\r\n\r\n"), refused},
        {"chunk ends in a bare line feed", chunked("2\r\nhi\n0\r\n\r\n"), refused},
        {"chunk ends in a bare return", chunked("2\r\nhi\r0\r\n\r\n"), refused},
        {"chunk longer than its size", chunked("2\r\nhiX\r\n0\r\n\r\n"), refused},
        {"chunk extension with a control", chunked("2;a\1b\r\nhi\r\n0\r\n\r\n"), refused},
        {"chunk extension with a bare return", chunked("2;a\rb\r\nhi\r\n0\r\n\r\n"), refused},
        {"trailer with a length", chunked("0\r\nContent-Length: 5\r\n\r\n"), refused},
        {"trailer with a coding", chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n"), refused},
        {"trailer folded", chunked("0\r\nA: b\r\n c\r\n\r\n"), refused},
        {"coding twice",
         ok("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), refused},
        {"coding list", ok("Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), refused},
        {"coding not last", ok("Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), refused},
        {"coding unknown", ok("Transfer-Encoding: identity\r\n\r\n"), refused},
        {"coding quoted", ok("Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"), refused},
        {"coding with a vertical tab", ok("Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n"),
         refused},
        {"coding empty", ok("Transfer-Encoding:\r\n\r\n"), refused},
        {"coding with a parameter", ok("Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n"), refused},
        {"coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         refused},

        {"bare line feed after the status", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n", refused},
        {"bare line feed after a field", ok("Content-Length: 0\n\r\n"), refused},
        {"bare line feed at the end", ok("Content-Length: 0\r\n\n"), refused},
        {"bare return in a value", ok("A: b\rc\r\nContent-Length: 0\r\n\r\n"), refused},
        {"two returns", ok("A: b\r\r\nContent-Length: 0\r\n\r\n"), refused},
        {"folded", ok("A: b\r\n c\r\nContent-Length: 0\r\n\r\n"), refused},
        {"folded by a tab", ok("A: b\r\n\tc\r\nContent-Length: 0\r\n\r\n"), refused},
        {"blank before the first field", ok(" A: b\r\nContent-Length: 0\r\n\r\n"), refused},
        {"blank before the colon", ok("Content-Length : 2\r\n\r\nhi"), refused},
        {"tab before the colon", ok("A\t: 2\r\n\r\n"), refused},
        {"no colon", ok("Content-Length 2\r\n\r\nhi"), refused},
        {"no name", ok(": 2\r\n\r\nhi"), refused},
        {"name with a stranger", ok("A(b): 2\r\n\r\n"), refused},
        {"name beyond ASCII", ok("\xc3\xa4: 2\r\n\r\n"), refused},
        {"NUL in a value", ok("A: b\0c\r\n\r\n"s), refused},
        {"NUL in a name", ok("A\0: b\r\n\r\n"s), refused},
        {"control in a value", ok("A: b\x01\r\n\r\n"), refused},
        {"delete in a value", ok("A: b\x7f\r\n\r\n"), refused},
        {"odd but allowed",
         ok("!#$%&'*+-.^_`|~9: \x80\xff\t(\"\r\nEmpty:\r\nContent-Length: 0\r\n\r\n"), good},

        {"nothing", "", cut},
        {"half a status line", "HTTP/1.1 20", cut},
        {"half a head", ok("A: b\r\n"), cut},
        {"leading empty line", "\r\n" + ok("Content-Length: 0\r\n\r\n"), refused},
        {"no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", good},
        {"no space after the status", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", good},
        {"reason with a tab", "HTTP/1.1 200 all\tright\r\nContent-Length: 0\r\n\r\n", good},
        {"reason with a bare return", "HTTP/1.1 200 a\rb\r\nContent-Length: 0\r\n\r\n", refused},
        {"reason with NUL", "HTTP/1.1 200 a\0b\r\nContent-Length: 0\r\n\r\n"s, refused},
        {"status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"status below 100", "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"status with a stranger", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"status 999", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", good},
        {"two spaces", "HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"version 2.0", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"version 1.12", "HTTP/1.12 200 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"version in lower case", "http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", refused},
        {"version 0.9", "<html>hello</html>\n", refused},
        {"another protocol", "SSH-2.0-OpenSSH_9.2\r\n", refused},
    };
}

inline std::vector<Message> requests() {
    using enum ParseVerdict;
    return {
        {"get", "GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n", good},
        {"get, more follows", "GET / HTTP/1.1\r\nHost: h\r\n\r\nGET", good, "", 3},
        {"get in 1.0 without Host", "GET / HTTP/1.0\r\n\r\n", good},
        {"star", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", good},
        {"whole url", "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n", good},
        {"length", post("Content-Length: 2\r\n\r\nhiX"), good, "hi", 1},
        {"chunked", post("Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nX"), good, "hi", 1},
        {"no length is no body", post("\r\nhi"), good, "", 2},
        {"a method of its own", "BREW /pot HTTP/1.1\r\nHost: h\r\n\r\n", alone},  // it has a list
        {"expects", post("Expect: 100-continue\r\nContent-Length: 2\r\n\r\nhi"), good, "hi"},
        {"cut", post("Content-Length: 3\r\n\r\nhi"), cut},
        {"length and chunked",
         post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), refused},
        {"length twice", post("Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), refused},
        {"length list", post("Content-Length: 5, 5\r\n\r\nhello"), refused},
        {"coding misspelt", post("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), refused},
        {"coding hidden", post("Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), refused},
        {"coding folded", post("Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"), refused},
        {"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         refused},
        {"no Host", "GET / HTTP/1.1\r\n\r\n", refused},
        {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", refused},
        {"bare line feeds", "GET / HTTP/1.1\nHost: h\n\n", refused},
        {"no version", "GET /\r\n\r\n", refused},
        {"no target", "GET  HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"space at the end", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n", refused},
        {"tab instead of space", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"target beyond ASCII", "GET /\xc3\xa4 HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"method with a stranger", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"no method", " / HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"leading empty line", "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", refused},
        {"version 2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", refused},
        {"TLS to a plain port", "\x16\x03\x01\x02\r\n", refused},
    };
}

}  // namespace perdure::testing
