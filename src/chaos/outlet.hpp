// SPDX-License-Identifier: Apache-2.0
//
// What is on its way to one socket? Bytes in their order, perhaps held back, perhaps dripping.
//
//     outlet.push(reply, {.due = now + 200ms});
//     if (outlet.flush(socket, now) == net::IoKind::would_block) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

struct Pace {
    TimePoint due{};        // not before
    std::size_t piece = 0;  // so many bytes at once, 0: all
    Duration every{};       // between two pieces
    friend bool operator==(const Pace&, const Pace&) noexcept = default;
};

// Owned by one link.
class Outlet {
public:
    void push(std::string_view bytes, const Pace& pace = {});
    void clear() noexcept;

    // done: nothing is left that may go now. Else as the socket says.
    [[nodiscard]] net::IoKind flush(net::Socket& socket, TimePoint now);

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // Whether one write could take all that is left, at this time.
    [[nodiscard]] bool last_write(TimePoint now) const noexcept;
    // When the next bytes may go; max if there are none.
    [[nodiscard]] TimePoint due() const noexcept;
    [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

private:
    struct Part {
        std::string bytes{};
        std::size_t sent = 0;
        Pace pace{};
    };
    std::deque<Part> parts_;
    std::size_t size_ = 0;
    std::uint64_t written_ = 0;
    TimePoint next_drop_{};
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
