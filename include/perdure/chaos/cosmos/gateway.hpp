// SPDX-License-Identifier: Apache-2.0
//
// How do I develop and test against Cosmos DB without an account? With this one: in memory, on
// loopback, plain HTTP, gateway mode, with regions that can be killed.
//
//     auto gateway = chaos::CosmosGateway::start({.regions = {{"East US"}, {"West US"}}});
//     connect((*gateway)->endpoint(), chaos::emulator_key);
//     (*gateway)->set("East US", chaos::RegionState::refusing);
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/chaos/cosmos/fault.hpp"
#include "perdure/chaos/cosmos/options.hpp"
#include "perdure/chaos/cosmos/record.hpp"
#include "perdure/result.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// refusing: the door is closed, connections are reset. black_hole: accepts, reads, never answers.
// retired: 403/1008, whatever the account document lists.
enum class RegionState : std::uint8_t { up, refusing, black_hole, retired };
enum class Listed : std::uint8_t { yes, no };
// caught_up: the new write region has everything. lagging: what it lacks comes as replication does.
enum class FailOver : std::uint8_t { caught_up, lagging };

// 410/1007 for so many requests or so long, whichever ends last; then two children.
struct GatewaySplit {
    std::string database{};
    std::string container{};
    std::string range{};  // empty: the first
    std::uint64_t requests = 0;
    Duration time{};
};

// Per-partition automatic failover: which range gets a write region of its own?
struct RangeFailOver {
    std::string database{};
    std::string container{};
    std::string range{};  // empty: the first
    std::string to{};     // a region; empty: the account's write region again
};

// Runs on one thread of its own from start() until it is destroyed. Every function may be called
// from any thread; what it changes is in force when it returns. A region is named as in the options;
// "global" is the global endpoint. An unknown name is `invalid`.
class CosmosGateway {
public:
    // The clock must outlive the gateway. On a clock that does not run by itself, look() after moving it.
    static Result<std::unique_ptr<CosmosGateway>> start(const GatewayOptions& options = {},
                                                        Clock& clock = system_clock());
    CosmosGateway(const CosmosGateway&) = delete;
    CosmosGateway& operator=(const CosmosGateway&) = delete;
    ~CosmosGateway();

    [[nodiscard]] std::string endpoint() const;                         // "http://127.0.0.1:40123/"
    [[nodiscard]] std::string endpoint(std::string_view region) const;  // empty: no such region
    [[nodiscard]] std::string control() const;
    [[nodiscard]] std::string connection_string() const;

    // The rules count anew.
    void plan(std::vector<GatewayFault> faults);
    [[nodiscard]] std::vector<std::uint64_t> struck() const;  // by rule

    Result<void> set(std::string_view region, RegionState state);
    Result<void> list(std::string_view region, Listed listed);
    Result<void> replicate(std::string_view region, Duration delay);  // `never`: held
    Result<void> fail_over(std::string_view region, FailOver how);
    // From now on the range is written in that region only: its writes are 403/3 elsewhere. Reads
    // are served everywhere. A fail-over of the account takes all ranges with it again. `invalid`
    // on an account with several write regions.
    Result<void> fail_over(const RangeFailOver& move, FailOver how);
    void set_partition_failover(PartitionFailover failover);
    void set_writes(WriteMode mode);
    void set_hedging(HedgingSwitch hedging);
    // For so long every second reader of the account document gets it as it was before the last
    // change.
    void flap(Duration time);
    void limit(double request_units);
    void empty_pages(std::uint64_t pages);  // that every query and feed begins with
    Result<void> split(const GatewaySplit& split);

    // Oldest first. A request's record is there before its client has the answer.
    [[nodiscard]] std::vector<GatewayRecord> records() const;
    [[nodiscard]] std::vector<GatewayRecord> take_records();
    [[nodiscard]] std::vector<AppliedWrite> writes() const;
    [[nodiscard]] std::vector<AppliedWrite> writes(const ItemName& item) const;
    // For each item that was written, in the order of container, key and id. An empty container
    // name: all containers. `writes_kept` bounds it as it bounds writes().
    [[nodiscard]] std::vector<WriteCount> write_counts(std::string_view database = {},
                                                       std::string_view container = {}) const;
    // The item as this region has it now.
    [[nodiscard]] std::optional<std::string> item(const ItemName& item,
                                                  std::string_view region) const;
    [[nodiscard]] std::size_t items(std::string_view database, std::string_view container,
                                    std::string_view region) const;
    [[nodiscard]] TimePoint started() const noexcept;
    void look();

private:
    struct Inside;
    explicit CosmosGateway(std::unique_ptr<Inside> inside) noexcept;

    std::unique_ptr<Inside> inside_;
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure
