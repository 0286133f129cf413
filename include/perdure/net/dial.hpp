// SPDX-License-Identifier: Apache-2.0
//
// How do I get connected when a name has many addresses and some do not answer? Try one, after a
// moment the next beside it, and keep whichever connects first (happy eyeballs, RFC 8305).
//
//     net::Dial dial{addresses, 443};
//     while (dial.turn(clock.now(), wants) == Dial::State::under_way) wait(wants);
//     net::Socket socket = dial.take();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "perdure/duration.hpp"
#include "perdure/failure.hpp"
#include "perdure/net/addresses.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/net/wants.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

struct DialOptions {
    Duration stagger = 250ms;  // how long an address is alone before the next is tried beside it
    int most_at_once = 4;      // from 1 to 4; one more begins when one of these has failed
};

// Used by one thread at a time. It never waits and sets no limit of its own: whoever turns it gives
// up by destroying it, which closes all its sockets.
class Dial {
public:
    enum class State : std::uint8_t { under_way, connected, failed };

    // The ports within the addresses do not matter.
    Dial(std::shared_ptr<const Addresses> addresses, std::uint16_t port, DialOptions options = {});

    // Says in `wants` what it waits for. One that has ended stays as it is.
    State turn(TimePoint now, Wants& wants);

    // Only when connected, and once.
    [[nodiscard]] Socket take();
    // Only when connected: the address that won.
    [[nodiscard]] Address peer() const;
    // Only when failed: the most telling one. Having run out of descriptors comes before what the
    // last address said, and that before not having a route to it. The effect is none.
    [[nodiscard]] Failure failure() const;

private:
    static constexpr std::size_t most = Wants::most / 2;
    struct Try {
        Socket socket{};
        std::size_t which = 0;
    };

    void look_at_tries(TimePoint now);
    void start_tries(TimePoint now);
    void start(std::size_t which);
    void keep(Try winner);
    void note(Failure failure, int weight, std::size_t which);
    [[nodiscard]] bool may_start() const noexcept;

    std::shared_ptr<const Addresses> addresses_;
    std::uint16_t port_;
    DialOptions options_;
    State state_ = State::under_way;
    std::size_t next_ = 0;   // the first address not tried yet
    std::size_t count_ = 0;  // how many tries are under way
    std::array<Try, most> tries_{};
    TimePoint next_at_ = TimePoint::min();
    std::unique_ptr<Failure> failure_{};  // the most telling so far
    int weight_ = 0;                      // how telling it is
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
