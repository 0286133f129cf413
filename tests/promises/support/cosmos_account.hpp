// SPDX-License-Identifier: Apache-2.0
//
// An account in memory for drills of regions: East US takes the writes, or both regions do. It counts
// what each way has asked it for and what it has written.
//
//     CosmosAccount account{{.partitions = 10}};
//     account.plan({{.region = "East US", .status = 503}});
//     account.counts_of("perdure", {"East US"}, since);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "promises/support/region_drill.hpp"

namespace perdure::promises {

inline constexpr const char* east = "East US";
inline constexpr const char* west = "West US";
inline const cosmos::ContainerName drill_items{"drill", "items"};

struct AccountShape {
    chaos::WriteMode writes = chaos::WriteMode::single;
    std::size_t partitions = 1;
    chaos::PartitionFailover partition_failover = chaos::PartitionFailover::silent;
    int items = 0;  // that are there to be read: k0, k1, …
    Duration call_takes{};
};

// What a call reads or writes. The key of a partition is the item's id, so that the account can tell
// which call a request belongs to.
[[nodiscard]] std::string item_of(Does does, const std::string& way, std::int64_t call);
// An item outside of the count, for calls that only prepare or disturb.
inline constexpr const char* other_item = "other";

// Any thread.
class CosmosAccount {
public:
    explicit CosmosAccount(const AccountShape& shape);

    [[nodiscard]] chaos::CosmosGateway& gateway() const noexcept { return *gateway_; }
    // From now on these strike; every other request for an item takes its usual time.
    void plan(std::vector<chaos::GatewayFault> faults);
    // What strikes in East US strikes at the global endpoint too, behind which East US answers.
    void plan_in_the_east(chaos::GatewayFault fault);
    [[nodiscard]] RegionCounts counts_of(const std::string& way, const SickPlace& sick,
                                         TimePoint first_second_over) const;

private:
    void fill(int items);

    const Duration call_takes_;
    std::unique_ptr<chaos::CosmosGateway> gateway_;
};

}  // namespace perdure::promises
