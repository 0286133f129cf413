// SPDX-License-Identifier: Apache-2.0
//
// Where do clients come in? By a door of net's, which the proxy closes when a plan says so.
#pragma once

#include "perdure/net/door.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

using net::address_from;
using net::Door;

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
