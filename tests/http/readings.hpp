// SPDX-License-Identifier: Apache-2.0
//
// One message read by us and by http-parser, the one that Node.js grew up with, so that the two can
// be compared. The latter only where http_parser.h is found (PERDURE_HTTP_PARSER).
#pragma once

#include "perdure/http/parser.hpp"
#include "perdure/http/request_parser.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#if defined(PERDURE_HTTP_PARSER)
#include <http_parser.h>
#endif

namespace perdure::testing {

struct Reading {
    http::Parsed parsed = http::Parsed::more;
    http::Problem kind = http::Problem::none;
    int status = 0;
    std::string body{};
    std::size_t end = 0;  // where the message ended
    bool keep_alive = false;

    friend bool operator==(const Reading&, const Reading&) = default;
};

// Feeds pieces of at most `piece` bytes, then the end of the stream.
inline Reading read_in_pieces(http::MessageParser& parser, std::string_view bytes,
                              std::size_t piece) {
    http::Parsed parsed = http::Parsed::more;
    std::size_t at = 0;
    while (parsed == http::Parsed::more && at < bytes.size()) {
        std::size_t used = 0;
        parsed = parser.feed(bytes.substr(at, piece), used);
        at += used;
    }
    if (parsed == http::Parsed::more) parsed = parser.end_of_stream();
    if (parsed != http::Parsed::complete) return {.parsed = parsed, .kind = parser.kind()};
    return {.parsed = parsed, .body = parser.body(), .end = at, .keep_alive = parser.keep_alive()};
}

inline Reading read_response(std::string_view bytes,
                             http::Answering to = http::Answering::with_body,
                             std::size_t piece = std::string_view::npos, http::Limits limits = {}) {
    http::ResponseParser parser{limits};
    parser.expect(to);
    Reading reading = read_in_pieces(parser, bytes, piece);
    if (reading.parsed == http::Parsed::complete) reading.status = parser.status();
    return reading;
}

inline Reading read_request(std::string_view bytes, std::size_t piece = std::string_view::npos,
                            http::Limits limits = {}) {
    http::RequestParser parser{limits};
    return read_in_pieces(parser, bytes, piece);
}

#if defined(PERDURE_HTTP_PARSER)
class OtherParser {
public:
    OtherParser(http_parser_type type, http::Answering to) : to_{to} {
        http_parser_init(&parser_, type);
        parser_.data = this;
    }

    Reading read(std::string_view bytes) {
        http_parser_settings settings{};
        settings.on_headers_complete = [](http_parser* parser) {
            return self(parser).skips_body();
        };
        settings.on_body = [](http_parser* parser, const char* at, std::size_t size) {
            self(parser).reading_.body.append(at, size);
            return 0;
        };
        settings.on_message_complete = [](http_parser* parser) { return self(parser).complete(); };
        const std::size_t used =
            http_parser_execute(&parser_, &settings, bytes.data(), bytes.size());
        reading_.end = used;
        if (!complete_ && parser_.http_errno == HPE_OK) {
            http_parser_execute(&parser_, &settings, nullptr, 0);
            reading_.end = bytes.size();
        }
        reading_.parsed = complete_ ? http::Parsed::complete : http::Parsed::broken;
        return reading_;
    }

private:
    static OtherParser& self(http_parser* parser) {
        return *static_cast<OtherParser*>(parser->data);
    }
    [[nodiscard]] bool interim() const {
        return parser_.type == HTTP_RESPONSE && parser_.status_code / 100 == 1;
    }
    [[nodiscard]] int skips_body() const {
        return to_ == http::Answering::head && !interim() ? 1 : 0;
    }
    int complete() {
        if (interim()) return 0;
        complete_ = true;
        reading_.status = static_cast<int>(parser_.status_code);
        reading_.keep_alive = http_should_keep_alive(&parser_) != 0;
        http_parser_pause(&parser_, 1);
        return 0;
    }

    http_parser parser_{};
    http::Answering to_;
    Reading reading_{};
    bool complete_ = false;
};
#endif

}  // namespace perdure::testing
