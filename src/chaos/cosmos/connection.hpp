// SPDX-License-Identifier: Apache-2.0
//
// What becomes of one client's requests? Bytes in, answers out, never waiting; unless a rule says
// that they wait, or never come.
//
//     connection.turn(now);
//     if (connection.over()) …
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chaos/cosmos/server.hpp"
#include "perdure/http/request_parser.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// Owned by the server's thread.
class Connection {
public:
    Connection(Server& server, net::Socket socket, std::size_t where);

    void turn(TimePoint now);
    [[nodiscard]] bool over() const noexcept { return !socket_; }
    // -1: nothing is to be heard or said until it is due.
    [[nodiscard]] int fd() const noexcept { return due_ == TimePoint::max() ? socket_.fd() : -1; }
    [[nodiscard]] short events() const noexcept { return said_ < out_.size() ? POLLOUT : POLLIN; }
    [[nodiscard]] TimePoint due() const noexcept { return due_; }
    [[nodiscard]] std::size_t where() const noexcept { return where_; }
    void reset() noexcept { socket_.reset(); }
    // Stays open and hears nothing any more.
    void fall_silent() noexcept;

private:
    enum class Then : std::uint8_t { go_on, close, reset };

    bool hear(TimePoint now);
    bool say();
    void take_in(TimePoint now);
    void serve(TimePoint now);
    void apply(const Asked& request, const GatewayFault* fault);
    void refuse();
    [[nodiscard]] bool unreachable(const Asked& request);
    void send(const Answer& answer, FaultEnding ending);
    [[nodiscard]] Asked asked(TimePoint now) const;

    Server& server_;
    net::Socket socket_;
    const std::size_t where_;
    http::RequestParser parser_;
    std::string in_;
    std::string out_;
    std::size_t said_ = 0;
    Then then_ = Then::go_on;
    bool silent_ = false;
    bool continued_ = false;
    TimePoint due_ = TimePoint::max();     // something waits until then
    std::optional<GatewayFault> waits_{};  // for the request; without: the answer is ready
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
