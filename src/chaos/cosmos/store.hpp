// SPDX-License-Identifier: Apache-2.0
//
// What does each region know, and when did it learn it? Items in physical partitions, a log of
// changes in each, and for each region how far it has followed the log.
//
//     range.follow(region, lag, now);
//     if (const ItemPtr item = range.find(region, name)) …
//     range.append(region, std::move(changed), now);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chaos/cosmos/definition.hpp"
#include "chaos/cosmos/key.hpp"
#include "perdure/duration.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

inline std::int64_t epoch_seconds(WallTime wall) noexcept {
    return std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch().count();
}

// One version of an item, or the mark that it was deleted. Never changed once made.
struct Item {
    std::string name{};  // key and id, see name_of
    Key key{};
    std::string id{};
    std::uint64_t number = 0;           // feeds go by it; of the item, not of the version
    std::string text{};                 // with its system properties
    std::string etag{};                 // with its quotes
    std::int64_t seconds = 0;           // _ts
    std::int64_t ttl = 0;               // its own; 0: the container's
    std::size_t region = 0;             // that wrote it
    std::uint64_t lsn = 0;              // its entry in the log
    std::vector<std::string> unique{};  // see ItemRules::unique_values
    bool gone = false;
};
using ItemPtr = std::shared_ptr<const Item>;

std::string name_of(const Key& key, std::string_view id);
// Who wins when two regions wrote the same item: the later, then the first region of the account.
bool wins(const Item& item, const Item& over) noexcept;

// A physical partition in all regions. Used under the account's lock.
class Range {
public:
    Range(std::string id, std::string min, std::string max, std::size_t regions);
    // A child of this one, with its part of the items and of the log.
    [[nodiscard]] std::unique_ptr<Range> child(std::string id, std::string min,
                                               std::string max) const;

    // Takes in what others wrote up to now − lag.
    void follow(std::size_t region, Duration lag, TimePoint now);
    // Null: never was there. Deleted items are there and gone.
    [[nodiscard]] ItemPtr find(std::size_t region, const std::string& name) const;
    // Of the log's last entry.
    [[nodiscard]] std::uint64_t last() const noexcept { return first_ + log_.size(); }
    // Becomes the entry last() + 1.
    void append(std::size_t region, ItemPtr item, TimePoint now);

    // Live items, in the order they were made.
    [[nodiscard]] const std::map<std::uint64_t, ItemPtr>& feed(std::size_t region) const {
        return places_[region].feed;
    }
    // Up to here this region has everything.
    [[nodiscard]] std::uint64_t complete_to(std::size_t region) const {
        return places_[region].next;
    }
    // The last it has of what another wrote.
    [[nodiscard]] std::uint64_t has_from(std::size_t region, std::size_t writer) const {
        return places_[region].has_from[writer];
    }
    [[nodiscard]] bool holds(std::string_view effective) const noexcept {
        return min <= effective && effective < max;
    }

    [[nodiscard]] bool overlaps(std::string_view from, std::string_view to) const noexcept {
        return min < to && from < max;
    }

    std::string id, min, max;
    std::vector<std::string> parents{};
    std::uint64_t changed = 0;  // the container's topology number when it came to be
    // While it splits: requests that are still refused, and until when.
    bool splitting = false;
    std::uint64_t refused_left = 0;
    TimePoint refused_until{};
    // Per-partition automatic failover: a write region of its own, and how often it changed.
    std::optional<std::size_t> write_region{};
    std::int64_t write_moves = 0;

private:
    struct Entry {
        ItemPtr item;  // null: of another child
        std::size_t region = 0;
        TimePoint at{};
    };
    struct Place {
        std::unordered_map<std::string, ItemPtr, KeyedHash> items;
        std::map<std::uint64_t, ItemPtr> feed;
        std::uint64_t next = 0;  // entry of the log
        std::vector<std::uint64_t> has_from;
    };
    static void apply(Place& place, const ItemPtr& item);
    void forget_what_all_have();

    std::deque<Entry> log_;
    std::uint64_t first_ = 0;  // number of the log's first entry
    std::vector<Place> places_;
};

// Used under the account's lock.
struct Container {
    std::string id{};
    std::string rid{};
    std::uint32_t number = 0;
    std::string database_rid{};
    std::string link{};  // "dbs/d/colls/c"
    Json definition{};   // as it is answered
    KeyDefinition keys{};
    ItemRules rules{};
    std::vector<std::unique_ptr<Range>> ranges{};             // in the order of their bounds
    std::map<std::string, std::vector<std::string>> heirs{};  // gone ranges and who came after
    std::uint64_t next_range = 0;
    std::uint64_t topology = 1;
    std::uint64_t next_item = 1;
    struct Spent {
        TimePoint since{};
        double units = 0;
    };
    std::vector<Spent> spent{};  // by region

    [[nodiscard]] bool expired(const Item& item, WallTime now) const noexcept;
    [[nodiscard]] Range* range_of(std::string_view effective) const;
    [[nodiscard]] Range* range_named(std::string_view range) const;
    // Puts two children in its place.
    void finish_split(const Range& parent);
};

// The throughput of a database or container, as clients read and replace it.
struct Offer {
    Json definition{};
};

// Used under the account's lock.
struct Database {
    std::string id{};
    std::string rid{};
    std::uint32_t number = 0;
    Json definition{};
    std::map<std::string, std::unique_ptr<Container>, std::less<>> containers{};
    std::uint32_t next_container = 1;
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
