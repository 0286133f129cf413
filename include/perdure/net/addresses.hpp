// SPDX-License-Identifier: Apache-2.0
//
// Where may it be? All addresses of one name, in the order in which they are tried.
//
//     for (const Address& address : interleaved(answer)) …
#pragma once

#include <vector>

#include "perdure/net/address.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

using Addresses = std::vector<Address>;

// The two families take turns, beginning with the one that came first; within a family the order
// stays. A family that is broken then costs one step and not all of them (RFC 8305, 4).
Addresses interleaved(const Addresses& addresses);

}  // namespace net
}  // namespace v0
}  // namespace perdure
