// SPDX-License-Identifier: Apache-2.0
//
// What is asked of us, and where does the request end? The serving side, with the same strictness;
// the fault proxy and the servers in tests stand on it.
//
//     RequestParser parser{limits};
//     while (parser.feed(read_some(), used) == Parsed::more) {}
//     if (parser.kind() == Problem::none) answer(parser.method(), parser.target(), parser.body());
//
// Whoever passes the bytes on keeps what it fed: head_bytes() says where the head ended, and `used`
// where the message did.
#pragma once

#include <string>
#include <string_view>

#include "perdure/http/message_parser.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Used by one thread at a time.
class RequestParser final : public MessageParser {
public:
    explicit RequestParser(Limits limits = {}) : MessageParser{limits} { reset(); }

    // Ready for the next request; keeps its capacity.
    void next();

    [[nodiscard]] const std::string& method() const noexcept { return method_; }
    [[nodiscard]] const std::string& target() const noexcept { return target_; }
    // The client waits for "100 Continue" before it sends the body. Known once the head is complete.
    [[nodiscard]] bool expects_continue() const noexcept;

private:
    void start_line(std::string_view line) override;
    Following head_ended(Framing& framing) override;

    std::string method_{};
    std::string target_{};
};

}  // namespace http
}  // namespace v0
}  // namespace perdure
