// SPDX-License-Identifier: Apache-2.0
//
// How is an item taken away?
//
//     orders.send(DeleteItem{"orders", {{"pk", "o#1"}}});
//
// Safe to repeat without a condition; with one, or when the old item is asked for, see put_item.hpp.
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
class DeleteItem : public WithCondition<DeleteItem>, public WithCapacity<DeleteItem> {
public:
    using Answer = Written;
    using WithCondition::safety;

    DeleteItem(std::string table, Item key) : table_{std::move(table)}, key_{std::move(key)} {}

    DeleteItem& returns_old() & {
        returns_ = Returns::all_old;
        return *this;
    }
    DeleteItem&& returns_old() && { return std::move(returns_old()); }
    // After an unknown outcome the item is read, consistently, and `check` is asked.
    DeleteItem& landed(LandedCheck check) & {
        landed_ = std::move(check);
        return *this;
    }
    DeleteItem&& landed(LandedCheck check) && { return std::move(landed(std::move(check))); }

    [[nodiscard]] std::string_view operation() const noexcept { return "DeleteItem"; }
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
    Item key_;
    Returns returns_ = Returns::nothing;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
