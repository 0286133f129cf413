// SPDX-License-Identifier: Apache-2.0
//
// How is one server connected to, and may it be written to?
#pragma once

#include <optional>

#include "conninfo.hpp"
#include "failures.hpp"
#include "link.hpp"
#include "perdure/net/address.hpp"
#include "session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// Connected and logged in. Without an address it is a socket of this machine. Ends by the bounds.
[[nodiscard]] Result<Link> open_link(const Common& common, const Host& host,
                                     const std::optional<net::Address>& address,
                                     const Bounds& bounds, Clock& clock);

// Fails with 25006 if it is a standby or takes no writes for another reason.
[[nodiscard]] Result<void> check_writable(Link& link, const Wording& wording, const Bounds& bounds);

// What a session of ours has set for its whole life.
[[nodiscard]] Result<void> settle(Link& link, const Common& common, const Bounds& bounds);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure
