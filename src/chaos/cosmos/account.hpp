// SPDX-License-Identifier: Apache-2.0
//
// What is true of the whole account? Regions, databases, who may do what where, and the books.
//
//     const auto fault = account.strike(asked);
//     const Answer answer = account.serve(asked);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/cosmos/answer.hpp"
#include "chaos/cosmos/authorization.hpp"
#include "chaos/cosmos/resource.hpp"
#include "chaos/cosmos/session.hpp"
#include "chaos/cosmos/store.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

inline constexpr std::size_t global = static_cast<std::size_t>(-1);

// One request, as it came. A plain value that points into its connection.
struct Asked {
    std::size_t door = global;  // a region's number
    std::string_view method{};
    std::string_view target{};
    const http::Headers& headers;
    std::string_view body{};
    TimePoint now{};
    WallTime wall{};

    [[nodiscard]] std::string_view header(std::string_view name) const {
        return headers.find(name).value_or(std::string_view{});
    }
    // "True" in any case.
    [[nodiscard]] bool flagged(std::string_view name) const {
        return http::same_name(header(name), "true");
    }
};

// What reads of the account document see. A plain value.
struct Topology {
    std::size_t hub = 0;
    WriteMode writes = WriteMode::single;
    HedgingSwitch hedging = HedgingSwitch::silent;
    PartitionFailover partition_failover = PartitionFailover::silent;
    std::vector<Listed> listed{};
};

struct RegionNow {
    std::string name{};
    std::uint16_t port = 0;
    RegionState state = RegionState::up;
    Duration lag{};
};

class Turn;

// Used under the gateway's lock.
class Account {
public:
    Account(const GatewayOptions& options, std::vector<std::uint16_t> ports);

    // Before anything else is done with a request: it gets its activity id.
    void begin(const Asked& asked);
    // The rule that strikes this request; it has been counted.
    [[nodiscard]] std::optional<GatewayFault> strike(const Asked& asked);
    [[nodiscard]] Answer serve(const Asked& asked);
    // Headers that every answer has.
    void finish(Answer& answer) const;
    // What a rule wants said instead.
    [[nodiscard]] Answer instead(const GatewayFault& fault) const;
    void note(const Asked& asked, const GatewayFault* fault, const Answer* answer);

    [[nodiscard]] std::optional<std::size_t> region_named(std::string_view name) const;
    // A change that readers of the account document see.
    void change(const std::function<void(Topology&)>& how);
    void fail_over(std::size_t region, FailOver how, TimePoint now);
    void fail_over(Range& range, std::optional<std::size_t> region, FailOver how, TimePoint now);
    [[nodiscard]] Container* container(std::string_view database, std::string_view id) const;
    // Every region takes in what is due.
    void follow(Container& container, TimePoint now) const;
    [[nodiscard]] Duration lag_of(std::size_t region) const noexcept;
    [[nodiscard]] SessionMark mark_of(const Range& range, std::size_t region) const;
    [[nodiscard]] bool writable(std::size_t region, std::size_t hub) const noexcept;
    // The write region of this range, or of the account.
    [[nodiscard]] std::size_t hub_of(const Range* range) const noexcept {
        return range ? range->write_region.value_or(topology.hub) : topology.hub;
    }
    [[nodiscard]] std::string document(TimePoint now);
    [[nodiscard]] std::string new_etag(std::int64_t seconds);
    void keep(AppliedWrite write);

    const GatewayOptions options;
    Topology topology{};
    std::optional<Topology> before{};
    TimePoint flapping_until{};
    std::vector<RegionNow> regions{};
    RegionState global_state = RegionState::up;
    double limit = 0;
    std::uint64_t empty_pages = 0;
    bool ranges_moved = false;  // some have a write region of their own
    std::vector<GatewayFault> faults{};
    std::vector<std::uint64_t> fitting{}, struck{};
    std::deque<GatewayRecord> records{};
    std::deque<AppliedWrite> writes{};
    std::map<std::string, std::unique_ptr<Database>, std::less<>> databases{};
    std::uint32_t next_database = 1;
    std::map<std::string, std::unique_ptr<Offer>, std::less<>> offers{};  // by id
    std::uint32_t next_offer = 1;

private:
    [[nodiscard]] bool fits(const GatewayFault& fault, const Asked& asked) const;
    [[nodiscard]] bool reaches(const Asked& asked, const Resource& resource,
                               std::string_view range) const;
    // Of a request that was not served; empty: none or several.
    [[nodiscard]] std::string range_of(const Asked& asked) const;
    [[nodiscard]] std::string describe(const Topology& view) const;

    Authority authority_;
    std::int64_t token_version_ = 1;
    std::uint64_t flips_ = 0, etags_ = 0, activities_ = 0;
    std::string activity_id_;  // of the request that is served
    std::string range_id_;     // where it went
    friend class Turn;
};

// Queries and query plans are reads.
bool is_write(const Asked& asked, const Resource& resource);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
