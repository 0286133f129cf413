// SPDX-License-Identifier: Apache-2.0
//
// What does the table hold under this key?
//
//     const auto got = orders.send(GetItem{"orders", {{"pk", "o#1"}}}.consistent());
//     if (got && got->item) cents = got->item->get<int>("cents");
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

class JsonWriter;  // src/dynamodb

struct Got {
    std::optional<Item> item{};  // nothing: there is none
    double capacity = 0;
};

// A plain value.
class GetItem : public WithPlaceholders<GetItem>, public WithCapacity<GetItem> {
public:
    using Answer = Got;

    GetItem(std::string table, Item key) : table_{std::move(table)}, key_{std::move(key)} {}

    // Sees every write that was acknowledged before; costs twice as much.
    GetItem& consistent() & {
        consistent_ = true;
        return *this;
    }
    GetItem&& consistent() && { return std::move(consistent()); }
    // Only these attributes: "cents, #state".
    GetItem& projection(std::string expression) & {
        projection_ = std::move(expression);
        return *this;
    }
    GetItem&& projection(std::string expression) && {
        return std::move(projection(std::move(expression)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "GetItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    // As one entry of a transaction: without what only a request of its own can ask back.
    Result<void> append_entry(std::string& out) const;
    [[nodiscard]] Result<Got> read(std::string& json) const;

private:
    Result<void> append_fields(JsonWriter& json) const;

    std::string table_;
    Item key_;
    std::string projection_{};
    bool consistent_ = false;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
