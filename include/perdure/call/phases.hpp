// SPDX-License-Identifier: Apache-2.0
//
// Where did an attempt's time go, and how far did it get? Filled in by transports, shown by
// Diagnostics.
//
//     attempt.phases.tls     how long the handshake took; zero on a connection that was there already
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/effect.hpp"

namespace perdure {
inline namespace v0 {

enum class Phase : std::uint8_t { pool, dns, connect, tls, send, first_byte, body };
inline constexpr int phase_count = 7;

// How much of the request left us. Decides what can have happened when no answer came.
enum class Sent : std::uint8_t { nothing, partly, all, response_begun };

// A server cannot act on a request of which it has no byte. From the first byte on it can: bodies are
// streamed, and heads alone are sometimes enough.
constexpr Effect effect_of(Sent sent) noexcept {
    return sent == Sent::nothing ? Effect::none : Effect::unknown;
}

struct Phases {
    std::array<Duration, phase_count> took{};
    Phase reached = Phase::pool;  // the last one that began
    Sent sent = Sent::nothing;
    bool reused = false;  // the connection had been there before this attempt

    [[nodiscard]] Duration& operator[](Phase phase) noexcept {
        return took[static_cast<std::size_t>(phase)];
    }
    [[nodiscard]] Duration operator[](Phase phase) const noexcept {
        return took[static_cast<std::size_t>(phase)];
    }
    friend bool operator==(const Phases&, const Phases&) noexcept = default;
};

std::string_view to_string(Phase phase) noexcept;
std::string_view to_string(Sent sent) noexcept;

}  // namespace v0
}  // namespace perdure
