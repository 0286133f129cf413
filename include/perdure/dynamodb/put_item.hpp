// SPDX-License-Identifier: Apache-2.0
//
// How is an item written whole, in the place of what was there?
//
//     orders.send(PutItem{"orders", {{"pk", "o#1"}, {"total", 1299}}});
//
// Without a condition repeating it ends in the same state, so it is repeated; the one danger is a late
// repeat over the newer value of another writer, for those who mind: safety(Safety::once). With a
// condition, or when the old item is asked for, a repeat could be answered wrongly, so an unknown
// outcome is reported as unknown. create_once.hpp and versioned.hpp know better.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/written.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class PutItem : public WithCondition<PutItem>, public WithCapacity<PutItem> {
public:
    using Answer = Written;
    using WithCondition::safety;

    PutItem(std::string table, Item item) : table_{std::move(table)}, item_{std::move(item)} {}

    PutItem& returns_old() & {
        returns_ = Returns::all_old;
        return *this;
    }
    PutItem&& returns_old() && { return std::move(returns_old()); }
    // After an unknown outcome the item is read, consistently, and `check` is asked; so it takes the
    // names of the attributes that make up the key.
    PutItem& landed(KeyNames key, LandedCheck check) & {
        key_names_ = std::move(key);
        landed_ = std::move(check);
        return *this;
    }
    PutItem&& landed(KeyNames key, LandedCheck check) && {
        return std::move(landed(std::move(key), std::move(check)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "PutItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept;
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    // As one entry of a transaction: without what only a request of its own can ask back.
    Result<void> append_entry(std::string& out) const;
    [[nodiscard]] Result<Written> read(std::string& json) const;
    [[nodiscard]] bool has_question() const noexcept { return static_cast<bool>(landed_); }
    [[nodiscard]] std::optional<GetItem> question() const;
    [[nodiscard]] Landed<Written> landed(const std::optional<Item>& now,
                                         const CallFacts& facts) const;

private:
    Result<void> append_fields(JsonWriter& json) const;

    std::string table_;
    Item item_;
    Returns returns_ = Returns::nothing;
    KeyNames key_names_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
