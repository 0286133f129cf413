// SPDX-License-Identifier: Apache-2.0
//
// How is an item changed in part?
//
//     orders.send(UpdateItem{"orders", {{"pk", "o#1"}}}
//                     .update("SET #state = :paid").name("#state", "state").value(":paid", "paid")
//                     .safety(Safety::idempotent));
//
// Nobody can tell from an expression whether doing it twice is the same as once, so an update is `once`
// unless the caller says more: that it is idempotent, or how to see whether it has landed. To count,
// there is counted.hpp.
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
class UpdateItem : public WithCondition<UpdateItem>, public WithCapacity<UpdateItem> {
public:
    using Answer = Written;
    using WithCondition::safety;

    UpdateItem(std::string table, Item key) : table_{std::move(table)}, key_{std::move(key)} {}

    // The whole update expression: "SET a = :a REMOVE b ADD n :one".
    UpdateItem& update(std::string expression) & {
        update_ = std::move(expression);
        return *this;
    }
    UpdateItem&& update(std::string expression) && {
        return std::move(update(std::move(expression)));
    }
    UpdateItem& returns(Returns what) & {
        returns_ = what;
        return *this;
    }
    UpdateItem&& returns(Returns what) && { return std::move(returns(what)); }
    // After an unknown outcome the item is read, consistently, and `check` is asked.
    UpdateItem& landed(LandedCheck check) & {
        landed_ = std::move(check);
        return *this;
    }
    UpdateItem&& landed(LandedCheck check) && { return std::move(landed(std::move(check))); }

    [[nodiscard]] std::string_view operation() const noexcept { return "UpdateItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return declared_.value_or(Safety::once); }
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
    Item key_;
    std::string update_{};
    Returns returns_ = Returns::nothing;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
