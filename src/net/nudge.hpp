// SPDX-License-Identifier: Apache-2.0
//
// A descriptor that becomes readable when another thread says so.
#pragma once

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// give() from any thread; the rest by the one who waits.
class Nudge {
public:
    Nudge() noexcept : fd_{eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)} {}

    void give() noexcept {
        const std::uint64_t one = 1;
        // Can only be refused when there are 2^64 of them already.
        [[maybe_unused]] const auto written = ::write(fd_.fd(), &one, sizeof one);
    }
    void take_all() noexcept {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto read = ::read(fd_.fd(), &count, sizeof count);
    }
    [[nodiscard]] int fd() const noexcept { return fd_.fd(); }
    explicit operator bool() const noexcept { return static_cast<bool>(fd_); }

private:
    Socket fd_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure
