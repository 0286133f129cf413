// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/parser.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

Answering answering(std::string_view method) noexcept {
    if (method == "HEAD") return Answering::head;
    return method == "CONNECT" ? Answering::connect : Answering::with_body;
}

void ResponseParser::expect(Answering to) {
    reset();
    to_ = to;
    status_ = interim_ = 0;
    reason_.clear();
}

// "HTTP/1.1 200 OK"; the space after the status stands there even if no reason follows.
void ResponseParser::start_line(std::string_view line) {
    minor_ = minor_of(line);
    // Servers leave out the reason's space with the reason, and no two readers can disagree about it.
    const bool fits = minor_ >= 0 && line.size() >= 12 && line[8] == ' ' &&
                      (line.size() == 12 || line[12] == ' ');
    const std::string_view reason = line.substr(std::min<std::size_t>(line.size(), 13));
    if (!fits || !detail::all_are(line.substr(9, 3), detail::digit) || line[9] == '0' ||
        !detail::all_are(reason, detail::field_text))
        return broken(Problem::malformed, "this is no status line of HTTP/1");
    status_ = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
    reason_.assign(reason);
}

MessageParser::Following ResponseParser::head_ended(Framing& framing) {
    if (status_ < 200) {
        if (status_ == 101) broken(Problem::malformed, "an upgrade that nobody asked for");
        else if (announces_body(framing))
            broken(Problem::malformed, "an interim response with a body");
        else if (++interim_ > limits_.interim)
            broken(Problem::too_large, "too many interim responses");
        return Following::another_head;
    }
    // It has no body; should the server send one all the same, nobody may take it for an answer.
    if (status_ == 204 && announces_body(framing)) close_afterwards();
    const bool tunnel = to_ == Answering::connect && status_ < 300;
    if (to_ == Answering::head || tunnel || status_ == 204 || status_ == 304)
        framing = Framing::none;
    return Following::body;
}

Response ResponseParser::take() {
    assert(head_complete());
    return {.status = status_,
            .minor_version = minor_,
            .reason = std::move(reason_),
            .headers = std::move(headers_),
            .trailers = std::move(trailers_),
            .body = std::move(body_)};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
