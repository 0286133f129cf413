// SPDX-License-Identifier: Apache-2.0
//
// What is somebody waiting for? Sockets and a point in time, said by a state machine to whoever turns
// it: poll() on the caller's thread, or a reactor.
//
//     wants.add(socket.fd(), Ready::read);
//     wants.until(deadline);
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

enum class Ready : std::uint8_t { read = 1, write = 2, both = 3 };

struct Want {
    int fd = -1;
    Ready for_what = Ready::read;
};

// A plain value, used by one thread. Eight sockets are enough for a race of addresses and a copy of
// the request; one more is not waited for, and whoever wanted it is turned again at `until`.
class Wants {
public:
    static constexpr std::size_t most = 8;

    void clear() noexcept {
        count_ = 0;
        woken_by_others_ = false;
        until_ = TimePoint::max();
    }
    void add(int fd, Ready for_what) noexcept {
        if (count_ < most) sockets_[count_++] = {fd, for_what};
    }
    // News may come through a Waker.
    void add_others() noexcept { woken_by_others_ = true; }
    void until(TimePoint when) noexcept {
        if (when < until_) until_ = when;
    }

    [[nodiscard]] std::span<const Want> sockets() const noexcept {
        return {sockets_.data(), count_};
    }
    [[nodiscard]] bool woken_by_others() const noexcept { return woken_by_others_; }
    [[nodiscard]] TimePoint until() const noexcept { return until_; }

private:
    std::array<Want, most> sockets_{};
    std::size_t count_ = 0;
    bool woken_by_others_ = false;
    TimePoint until_ = TimePoint::max();
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
