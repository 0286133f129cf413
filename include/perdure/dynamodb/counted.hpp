// SPDX-License-Identifier: Apache-2.0
//
// How is a number raised exactly once, although the answer may be lost? The item remembers which calls
// have been counted, and refuses to count one twice.
//
//     const auto count = orders.send(Counted{"visits", {{"pk", "home"}}, "n"});      // + 1
//     if (count) show(count->value);
//
// The ids of the calls are kept in four sets, `perdure_counted_0` to `_3`, filled in turn, one for each
// window of time; the set before the last is dropped. So each id is remembered for at least one window. A
// call ends after half a window, 10 s by default; the other half must be longer than a lost request can
// take to arrive and than the clocks of the clients differ. A client that has not yet measured the
// service's clock reads the item once before its first count.
//
// Price: a write costs one write unit for each KB of the item, and the item holds 17 bytes for each
// count of the last one to two windows, 20 to 40 s: 340 to 680 bytes at one count a second, one unit a
// count. TransactWrite with one update costs two units for each KB of the item without these sets,
// whatever the rate. With an otherwise small item Counted is cheaper up to about one count a second on
// one item, costs the same up to about three, and is dearer above: at ten a second 4 to 7 units a count.
// Counted does not switch over by itself, because a transaction does not return the new value.
//
// Not for an item that several regions of a global table (MREC, the default) count on: the last writer's
// whole item wins there, so counts of the other region are lost, and the ids with them. Count in one
// region, or on an item for each region.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/service_error.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
struct Count {
    Number value{};
    // The answer was lost, and the id was found afterwards: others may have counted since.
    bool found_out = false;
};

// A plain value.
class Counted {
public:
    using Answer = Count;
    // Its windows are told by the service's clock.
    static constexpr bool needs_service_clock = true;

    Counted(std::string table, Item key, std::string attribute, Number by = Number{1})
        : table_{std::move(table)},
          key_{std::move(key)},
          attribute_{std::move(attribute)},
          by_{std::move(by)} {}

    // The same for all who count on this item; at least a second. Twice the longest deadline of a count.
    Counted& window(Duration time) & {
        window_ = time;
        return *this;
    }
    Counted&& window(Duration time) && { return std::move(window(time)); }

    [[nodiscard]] std::string_view operation() const noexcept { return "UpdateItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    // The other half of the window is for requests that linger.
    [[nodiscard]] Duration lasts() const noexcept { return window_ / 2; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Count> read(std::string& json) const;
    [[nodiscard]] std::optional<Count> recognise(const ServiceError& error,
                                                 const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<GetItem> question() const;
    [[nodiscard]] Landed<Count> landed(const std::optional<Item>& now,
                                       const CallFacts& facts) const;

private:
    [[nodiscard]] std::optional<Count> counted_in(const Item& item, const CallFacts& facts) const;

    std::string table_;
    Item key_;
    std::string attribute_;
    Number by_;
    Duration window_ = 20s;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
