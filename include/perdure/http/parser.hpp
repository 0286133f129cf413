// SPDX-License-Identifier: Apache-2.0
//
// What did the server answer, and where does its answer end? Interim answers (1xx) are skipped.
//
//     ResponseParser parser{limits};
//     parser.expect(Answering::with_body);
//     while (parser.feed(read_some(), used) == Parsed::more) {}
//     if (parser.kind() == Problem::none) use(parser.take());
#pragma once

#include <string>
#include <string_view>

#include "perdure/http/message_parser.hpp"
#include "perdure/http/response.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// What was asked: the answer to HEAD has no body, nor has a tunnel that CONNECT opened.
enum class Answering : std::uint8_t { with_body, head, connect };

Answering answering(std::string_view method) noexcept;

// Used by one thread at a time. Without expect() it waits for an answer with a body.
class ResponseParser final : public MessageParser {
public:
    explicit ResponseParser(Limits limits = {}) : MessageParser{limits} { reset(); }

    // Ready for the next response; keeps its capacity.
    void expect(Answering to);

    [[nodiscard]] int status() const noexcept { return status_; }
    // The whole response; afterwards expect() is next.
    [[nodiscard]] Response take();

private:
    void start_line(std::string_view line) override;
    Following head_ended(Framing& framing) override;

    Answering to_ = Answering::with_body;
    int status_ = 0;
    int interim_ = 0;
    std::string reason_{};
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
