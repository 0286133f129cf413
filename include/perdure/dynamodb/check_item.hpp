// SPDX-License-Identifier: Apache-2.0
//
// What must be true of an item that a transaction does not write?
//
//     CheckItem{"accounts", {{"pk", "a#1"}}, "#state = :open"}.name("#state", "state").value(":open", "open")
//
// Only in a transaction: transact_write.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/clauses.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class CheckItem : public WithPlaceholders<CheckItem> {
public:
    CheckItem(std::string table, Item key, std::string condition)
        : table_{std::move(table)}, key_{std::move(key)}, condition_{std::move(condition)} {}

    // The reason of the cancellation then carries the item as it is: CancellationReason::item.
    CheckItem& old_item_when_refused() & {
        old_when_refused_ = true;
        return *this;
    }
    CheckItem&& old_item_when_refused() && { return std::move(old_item_when_refused()); }

    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    Result<void> append_entry(std::string& out) const;

private:
    std::string table_;
    Item key_;
    std::string condition_;
    bool old_when_refused_ = false;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
