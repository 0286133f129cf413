// SPDX-License-Identifier: Apache-2.0
#include "live/support/patient.hpp"

#include <array>
#include <functional>

#include <poll.h>

#include "live/support/process.hpp"

namespace perdure::live {
namespace {

using net::Io;
using net::IoKind;

}  // namespace

bool ready(int fd, net::Ready for_what, Duration at_most) {
    pollfd waits{fd, 0, 0};
    if (for_what != net::Ready::write) waits.events |= POLLIN;
    if (for_what != net::Ready::read) waits.events |= POLLOUT;
    return ::poll(&waits, 1, poll_milliseconds(at_most)) == 1;
}

net::Socket connect(const net::Address& address, Duration at_most) {
    auto socket = net::Socket::open(address.family());
    if (!socket) return {};
    Io io = socket->connect(address);
    if (io.kind == IoKind::would_block && ready(socket->fd(), net::Ready::write, at_most))
        io = socket->finish_connect();
    return io.kind == IoKind::done ? std::move(*socket) : net::Socket{};
}

Io patiently(net::Stream& stream, const std::function<Io()>& step) {
    Io io = step();
    while (io.kind == IoKind::would_block && ready(stream.fd(), stream.blocked_on())) io = step();
    return io;
}

Heard hear(net::Stream& stream, std::size_t enough) {
    Heard heard;
    std::array<char, 4096> buffer{};
    while (heard.text.size() < enough) {
        heard.last = patiently(stream, [&] { return stream.read(buffer); });
        if (heard.last.kind != IoKind::done) break;
        heard.text.append(buffer.data(), heard.last.bytes);
    }
    return heard;
}

Io say(net::Stream& stream, std::string_view text) {
    Io io;
    while (!text.empty()) {
        io = patiently(stream, [&] { return stream.write(text); });
        if (io.kind != IoKind::done) break;
        text.remove_prefix(io.bytes);
    }
    return io;
}

}  // namespace perdure::live
