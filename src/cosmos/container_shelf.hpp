// SPDX-License-Identifier: Apache-2.0
//
// What is known of each container? How it divides its items, which ranges it has, and what this client
// has seen of it. Fetched by the clerk when a call first needs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "fetching.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/wire/container_properties.hpp"
#include "perdure/cosmos/wire/partition_ranges.hpp"
#include "range_health.hpp"
#include "sessions.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Never changes, but for what was found out about it.
struct Known {
    ContainerProperties properties{};
    std::shared_ptr<const RoutingMap> ranges{};
    std::string etag{};      // of the ranges
    std::uint64_t news = 0;  // Sessions::news() before the ranges were fetched
    mutable std::atomic<std::uint64_t> enough{0};  // the last at which they fitted the sessions
};

// One container. Shared: any thread.
class Shelved {
public:
    explicit Shelved(ContainerName name) : name_{std::move(name)} {}

    [[nodiscard]] const ContainerName& name() const noexcept { return name_; }
    [[nodiscard]] std::shared_ptr<const Known> known() const {
        const std::lock_guard held{mutex_};
        return known_;
    }
    void keep(std::shared_ptr<const Known> known) {
        const std::lock_guard held{mutex_};
        known_ = std::move(known);
    }
    // Whether these are ranges that the sessions know by name. After a split what was written since is
    // known under names of which old ranges know nothing.
    [[nodiscard]] bool fits_sessions(const Known& known) const;
    // The range a key falls into; null: nobody knows.
    [[nodiscard]] static const PartitionRange* range_of(const Known* known,
                                                        const PartitionKey& key);

    Sessions sessions;
    Fetching fetching;
    RangeHealth health;
    // Somebody was told that the ranges are old: a feed that has no news must be wrong.
    std::atomic<bool> doubted{false};

private:
    const ContainerName name_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Known> known_;
};

// Shared: any thread. What stands in it stays as long as the client.
class ContainerShelf {
public:
    Shelved& at(const ContainerName& name);
    void forget(Region& region);

private:
    std::shared_mutex mutex_;
    std::map<ContainerName, std::unique_ptr<Shelved>> shelved_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
