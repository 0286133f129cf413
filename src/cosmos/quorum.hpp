// SPDX-License-Identifier: Apache-2.0
//
// Has a read that finds nothing asked more than one replica of its region? A single one may be behind.
#pragma once

#include <string_view>

#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/wire/consistency.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Of a read with x-ms-cosmos-read-consistency-strategy: LatestCommitted, by the account's own level. Strong and
// bounded staleness read a quorum anyway; the other levels only if the gateway honours the field. The gateways
// of accounts do: the tests of the Java SDK passed against them in June 2026 at every level, with one write
// region and with several (pull request 48787 of azure-sdk-for-java). Nothing in an answer confirms it, so a
// server that may not is not believed: an address whose account document is not read, an emulator for example,
// and a dedicated gateway, whose cache answers Session and weaker reads.
[[nodiscard]] inline bool reads_a_quorum(Discovery discovery, std::string_view host,
                                         Consistency level) noexcept {
    if (discovery == Discovery::endpoint_only) return false;
    if (level == Consistency::strong || level == Consistency::bounded_staleness) return true;
    return host.find(".sqlx.") == std::string_view::npos;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
