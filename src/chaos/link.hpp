// SPDX-License-Identifier: Apache-2.0
//
// What is between one client and the server? Two sockets that never block, and what is on its way to
// each. A link moves bytes and ends well or badly; what the bytes mean is said by those who derive.
//
//     link.turn(now);
//     link.watch(polled);          // then poll(), until link.due() at the latest
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "chaos/book.hpp"
#include "chaos/judge.hpp"
#include "chaos/outlet.hpp"
#include "perdure/net/address.hpp"
#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// What all links of a proxy share; its thread's.
struct Surroundings {
    Book& book;
    std::unique_ptr<Judge> judge{};
    net::Address to{};
    std::string id_header{};
    std::uint64_t connections = 0;
    std::uint64_t requests = 0;
    TimePoint closed_until{};  // the door
    std::array<char, 65'536> buffer{};
};

// Owned and turned by the proxy's thread.
class Link {
public:
    Link(Surroundings& around, net::Socket client, TimePoint now);
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    virtual ~Link();

    // Once, before the first turn.
    virtual void begin() = 0;
    void turn(TimePoint now);
    void watch(std::vector<pollfd>& into) const;
    [[nodiscard]] TimePoint due() const noexcept;
    [[nodiscard]] bool over() const noexcept { return state_ == State::over; }
    // The connection's own record, when it is over.
    void close_account(TimePoint now);

protected:
    virtual void received(Toward from, std::string_view bytes) = 0;
    virtual void ended(Toward side) = 0;          // it sends no more
    virtual void broke(Toward side) = 0;          // reset, or never connected
    virtual void last_write(Toward /*side*/) {}   // is about to happen
    virtual void all_written(Toward /*side*/) {}  // nothing more is on its way

    void connect();
    void send(Toward side, std::string_view bytes, const Pace& pace = {});
    [[nodiscard]] bool nothing_for(Toward side) const noexcept { return at(side).out.empty(); }
    // It is told that no more will come, once it has what is on its way.
    void shut(Toward side) noexcept { at(side).shut_wanted = true; }
    void drop_server() noexcept;
    // The client is reset at once; the server still gets what is on its way, then an orderly end.
    void reset_client() noexcept;
    // Both get what is on their way, then an orderly end.
    void drain() noexcept;
    // Neither side is touched again, until the client is gone.
    void fall_silent() noexcept;
    // The client is reset; the server gets what is on its way and is then left alone: until it ends,
    // or until that time.
    void abandon_server(TimePoint until) noexcept;
    void leave() noexcept;

    void strike(const Rule& rule, When forwarding, Record& record);
    [[nodiscard]] bool open() const noexcept { return state_ == State::open; }
    [[nodiscard]] TimePoint now() const noexcept { return now_; }
    [[nodiscard]] Record& connection() noexcept { return record_; }
    [[nodiscard]] bool has_ended(Toward side) const noexcept { return at(side).ended; }

    Surroundings& around_;

private:
    enum class State : std::uint8_t { open, draining, silent, abandoned, over };
    struct Side {
        net::Socket socket{};
        Outlet out{};
        bool connecting = false;
        bool ended = false;
        bool shut_wanted = false;
        bool was_shut = false;
        TimePoint give_up = TimePoint::max();  // connecting, or waiting for its end
    };

    [[nodiscard]] Side& at(Toward side) noexcept { return sides_[index(side)]; }
    [[nodiscard]] const Side& at(Toward side) const noexcept { return sides_[index(side)]; }
    [[nodiscard]] bool may_read(Toward side) const noexcept;
    [[nodiscard]] bool lingers(Side& side) const noexcept;
    bool read(Toward side);
    void flush(Toward side);
    void finish_connecting();
    void fail(Toward side);
    void settle(Toward side);
    void look_after_silence() noexcept;
    void look_after_abandoned();

    std::array<Side, 2> sides_{};
    State state_ = State::open;
    TimePoint abandoned_until_ = TimePoint::max();
    TimePoint now_;
    Record record_;
};

std::unique_ptr<Link> tcp_link(Surroundings& around, net::Socket client, TimePoint now);
std::unique_ptr<Link> http_link(Surroundings& around, net::Socket client, TimePoint now);

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
