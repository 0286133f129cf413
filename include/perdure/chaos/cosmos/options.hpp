// SPDX-License-Identifier: Apache-2.0
//
// What kind of account does the fake gateway play? Regions in their order, keys, limits.
//
//     chaos::GatewayOptions options;
//     options.regions = {{"East US"}, {"West US", 20ms}};
//     options.writes = chaos::WriteMode::multiple;
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

enum class WriteMode : std::uint8_t { single, multiple };
// Of the account, as clients may ask for the same or something weaker.
enum class GatewayConsistency : std::uint8_t {
    strong,
    bounded_staleness,
    session,
    consistent_prefix,
    eventual
};
// vector: {version}#{global LSN}#{region}={local LSN}; plain: -1#{LSN}, as old accounts have it.
enum class SessionForm : std::uint8_t { vector, plain };
enum class Signatures : std::uint8_t { checked, ignored };
// What the account document says about hedging: nothing is different from either.
enum class HedgingSwitch : std::uint8_t { silent, allowed, disabled };
// What it says about per-partition automatic failover (`enablePerPartitionFailoverBehavior`).
enum class PartitionFailover : std::uint8_t { silent, enabled, disabled };

// Everybody's key for emulators; no secret.
inline constexpr std::string_view emulator_key =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

struct GatewayRegion {
    std::string name{};
    Duration replication{};  // so much later it has what others wrote; `never`: held
    std::uint16_t port = 0;  // 0: a free one
};

// A plain value.
struct GatewayOptions {
    std::string account = "perdure";
    std::string key{emulator_key};
    std::string entra_token{};  // accepted as type=aad; empty: none is
    Signatures signatures = Signatures::checked;
    std::vector<GatewayRegion> regions{{"East US"}};  // the first is the write region
    WriteMode writes = WriteMode::single;
    GatewayConsistency consistency = GatewayConsistency::session;
    SessionForm session = SessionForm::vector;
    HedgingSwitch hedging = HedgingSwitch::silent;
    PartitionFailover partition_failover = PartitionFailover::silent;
    std::uint16_t port = 0;           // of the global endpoint
    std::uint16_t control_port = 0;   // see docs/reference/cosmos-gateway.md
    std::size_t partitions = 1;       // of a new container
    double request_units = 0;         // a second, for each container in each region; 0: no limit
    std::size_t head_limit = 32'768;  // bytes; more is answered 400 in HTML
    std::size_t connections = 4'000;  // at once; more wait at the door
    std::size_t records = 100'000;    // of requests; the latest are kept
    std::size_t writes_kept = 1'000'000;
    std::vector<std::string> record_headers{};  // of requests: their values stand in the records
    std::string marker{};  // a property whose value stands in the account of writes
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
