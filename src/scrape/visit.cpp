// SPDX-License-Identifier: Apache-2.0
#include "visit.hpp"

#include <array>
#include <utility>

#include <poll.h>
#include <sys/socket.h>

#include "perdure/http/response_writer.hpp"
#include "perdure/net/resolver.hpp"

namespace perdure {
inline namespace v0 {

namespace {

// Who asks for metrics has little to say.
constexpr http::Limits limits{.head = 8192, .headers = 64, .body = 4096};
constexpr int most_steps = 16;

http::Response plain(int status, std::string reason, std::string body) {
    http::Response response{.status = status, .reason = std::move(reason), .body = std::move(body)};
    response.headers.add("Content-Type", "text/plain; charset=utf-8");
    return response;
}

http::Response metrics(const Visit::Render& render) {
    try {
        http::Response response{.status = 200, .reason = "OK", .body = render()};
        response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        return response;
    } catch (...) {
        return plain(500, "Internal Server Error", "the metrics could not be written\n");
    }
}

// A page in a browser of this machine may use a name of its own that resolves to loopback (DNS
// rebinding), but then the name stands in Host. Every browser sends one.
bool is_meant_for_us(const http::RequestParser& request) {
    const auto host = request.headers().find("host");
    if (!host) return true;
    const std::size_t colon = host->rfind(':');
    const bool in_brackets = host->ends_with(']');
    return net::is_loopback_host(in_brackets ? *host : host->substr(0, colon));
}

http::Response response_to(const http::RequestParser& request, const Visit::Render& render,
                           Reach reach) {
    if (reach == Reach::loopback_only && !is_meant_for_us(request))
        return plain(421, "Misdirected Request",
                     "the Host must be localhost or a loopback address\n");
    if (request.method() != "GET" && request.method() != "HEAD") {
        auto refused = plain(405, "Method Not Allowed", "only GET and HEAD\n");
        refused.headers.add("Allow", "GET, HEAD");
        return refused;
    }
    const std::string_view target = request.target();
    if (target.substr(0, target.find('?')) != "/metrics")
        return plain(404, "Not Found", "there is only /metrics\n");
    return metrics(render);
}

}  // namespace

Visit::Visit(net::Socket socket, const EndpointOptions& options, TimePoint now)
    : socket_{std::move(socket)},
      within_{options.request_within},
      reach_{options.reach},
      until_{after(now, within_)},
      parser_{limits} {}

short Visit::events() const noexcept { return said_ < out_.size() ? POLLOUT : POLLIN; }

void Visit::turn(const Render& render, TimePoint now) {
    if (now >= until_) return socket_.close();
    // Whoever floods us is heard again when the others had their turn.
    for (int i = 0; i < most_steps && !over(); ++i)
        if (!(said_ < out_.size() ? say(now) : hear(render))) return;
}

// True: look again.
bool Visit::hear(const Render& render) {
    std::array<char, 4096> bytes;
    const net::Io io = socket_.read(bytes);
    if (io.kind == net::IoKind::would_block) return false;
    if (io.kind != net::IoKind::done) return socket_.close(), false;
    if (!parting_) take_in({bytes.data(), io.bytes}, render);
    return true;
}

void Visit::take_in(std::string_view bytes, const Render& render) {
    std::size_t used = 0;
    const http::Parsed parsed = parser_.feed(bytes, used);
    if (parsed == http::Parsed::broken) return refuse();
    if (parsed == http::Parsed::more) return;
    // Several requests at once are nothing a scraper sends: the first is answered.
    last_ = used < bytes.size();
    answer(render);
}

void Visit::answer(const Render& render) {
    http::Response response = response_to(parser_, render, reach_);
    last_ = last_ || !parser_.keep_alive();
    response.headers.add("Connection", last_ ? "close" : "keep-alive");
    append_response(out_, response);
    if (parser_.method() == "HEAD") out_.resize(out_.size() - response.body.size());
    parser_.next();
}

void Visit::refuse() {
    http::Response response =
        parser_.kind() == http::Problem::too_large
            ? plain(431, "Request Header Fields Too Large", "the request is too large\n")
            : plain(400, "Bad Request", std::string{parser_.problem()} + '\n');
    response.headers.add("Connection", "close");
    append_response(out_, response);
    last_ = true;
}

bool Visit::say(TimePoint now) {
    const net::Io io = socket_.write(std::string_view{out_}.substr(said_));
    if (io.kind == net::IoKind::would_block) return false;
    if (io.kind != net::IoKind::done) return socket_.close(), false;
    said_ += io.bytes;
    if (said_ < out_.size()) return true;
    out_.clear();
    said_ = 0;
    if (last_) return part(), true;
    until_ = after(now, within_);
    return true;
}

// A socket that is closed with unread bytes is reset, and our answer might be lost on the way.
void Visit::part() noexcept {
    (void)::shutdown(socket_.fd(), SHUT_WR);
    parting_ = true;
}

}  // namespace v0
}  // namespace perdure
