// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/request_parser.hpp"

#include <algorithm>

#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

void RequestParser::next() {
    reset();
    method_.clear();
    target_.clear();
}

bool RequestParser::expects_continue() const noexcept {
    return minor_ >= 1 && headers_.has("expect", "100-continue");
}

// "GET /path HTTP/1.1", one space each.
void RequestParser::start_line(std::string_view line) {
    const std::size_t method = detail::run_of(line, detail::token);
    const std::string_view rest = line.substr(std::min(method + 1, line.size()));
    const std::size_t target = detail::run_of(rest, detail::target);
    const std::string_view version = rest.substr(std::min(target + 1, rest.size()));
    const bool spaced =
        method < line.size() && line[method] == ' ' && target < rest.size() && rest[target] == ' ';
    minor_ = version.size() == 8 ? minor_of(version) : -1;
    if (method == 0 || target == 0 || !spaced || minor_ < 0)
        return broken(Problem::malformed, "this is no request line of HTTP/1");
    method_.assign(line.substr(0, method));
    target_.assign(rest.substr(0, target));
}

MessageParser::Following RequestParser::head_ended(Framing& framing) {
    int hosts = 0;
    for ([[maybe_unused]] const Header& host : headers_.all("host")) ++hosts;
    if (hosts > 1 || (hosts == 0 && minor_ >= 1))
        broken(Problem::malformed, "Host is missing or there twice");
    if (method_ == "CONNECT" && announces_body(framing))
        broken(Problem::malformed,
               "CONNECT with a body, which some read as the tunnel's first bytes");
    // A request never ends with its connection: without a length it has no body.
    if (framing == Framing::until_close) framing = Framing::none;
    return Following::body;
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
