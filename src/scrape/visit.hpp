// SPDX-License-Identifier: Apache-2.0
//
// What is said to one who asks for metrics? One connection: requests in, answers out, never waiting.
//
//     visit.turn(render, now);
//     if (visit.over()) …            else poll visit.fd() for visit.events() until visit.until()
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "perdure/http/request_parser.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/scrape/endpoint.hpp"

namespace perdure {
inline namespace v0 {

// Owned by the endpoint's thread.
class Visit {
public:
    using Render = std::function<std::string()>;
    Visit(net::Socket socket, const EndpointOptions& options, TimePoint now);

    void turn(const Render& render, TimePoint now);
    [[nodiscard]] bool over() const noexcept { return !socket_; }
    [[nodiscard]] int fd() const noexcept { return socket_.fd(); }
    [[nodiscard]] short events() const noexcept;
    [[nodiscard]] TimePoint until() const noexcept { return until_; }

private:
    [[nodiscard]] bool hear(const Render& render);
    void take_in(std::string_view bytes, const Render& render);
    void answer(const Render& render);
    void refuse();
    [[nodiscard]] bool say(TimePoint now);
    void part() noexcept;

    net::Socket socket_;
    const Duration within_;
    const Reach reach_;
    TimePoint until_;
    http::RequestParser parser_;
    std::string out_;
    std::size_t said_ = 0;
    bool last_ = false;     // nothing is answered after this
    bool parting_ = false;  // we have said our last; what still comes is read and forgotten
};

}  // namespace v0
}  // namespace perdure
