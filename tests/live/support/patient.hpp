// SPDX-License-Identifier: Apache-2.0
//
// Streams and sockets turned until they are done, for tests that look at one layer alone.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/net/stream.hpp"

namespace perdure::live {

// Whether it became ready in time.
bool ready(int fd, net::Ready for_what, Duration at_most = 5s);

// A connected socket, or none (false) if nobody answered in time.
net::Socket connect(const net::Address& address, Duration at_most = 5s);

// Repeats the step while it would block, and waits in between. The last answer.
net::Io patiently(net::Stream& stream, const std::function<net::Io()>& step);

struct Heard {
    std::string text{};
    net::Io last{};  // what came after the text
};
// Everything up to the end of the stream, or up to `enough` bytes.
Heard hear(net::Stream& stream, std::size_t enough = std::string::npos);
// Sends the whole of it.
net::Io say(net::Stream& stream, std::string_view text);

}  // namespace perdure::live
