// SPDX-License-Identifier: Apache-2.0
//
// What does an error of the operating system mean for a call? Its cause, and whether anything can
// have happened.
//
//     return fail(net::failure_of(errno, Doing::connecting));
#pragma once

#include <cstdint>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

enum class Doing : std::uint8_t { opening, connecting, handshaking, sending, receiving };

// Running out of our own descriptors, ports or memory is `exhausted`, everything else `unavailable`.
// Before anything was sent the effect is none; afterwards unknown, and whoever knows better says so.
// The code is the error's own name ("ECONNRESET").
Failure failure_of(int error, Doing doing);

}  // namespace net
}  // namespace v0
}  // namespace perdure
