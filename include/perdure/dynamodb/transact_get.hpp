// SPDX-License-Identifier: Apache-2.0
//
// How are up to 100 items read as they were at one moment?
//
//     const auto both = bank.send(TransactGet{}
//                                     .get("accounts", {{"pk", "a#1"}})
//                                     .get(GetItem{"accounts", {{"pk", "a#2"}}}.projection("cents")));
//     if (both && both->items[1]) …
//
// Costs twice what single reads cost. A transaction that writes one of them at the same time gets in
// the way: `contended`, and it is repeated.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/get_item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct GotTogether {
    std::vector<std::optional<Item>>
        items{};          // one for each get, in their order; nothing: there is none
    double capacity = 0;  // of all tables
};

// A plain value.
class TransactGet : public WithCapacity<TransactGet> {
public:
    using Answer = GotTogether;

    // consistent() and report_capacity() of a single one are without meaning here.
    TransactGet& get(GetItem one) & {
        gets_.push_back(std::move(one));
        return *this;
    }
    TransactGet&& get(GetItem one) && { return std::move(get(std::move(one))); }
    TransactGet& get(std::string table, Item key) & {
        return get(GetItem{std::move(table), std::move(key)});
    }
    TransactGet&& get(std::string table, Item key) && {
        return std::move(get(std::move(table), std::move(key)));
    }

    [[nodiscard]] std::size_t size() const noexcept { return gets_.size(); }
    [[nodiscard]] std::string_view operation() const noexcept { return "TransactGetItems"; }
    [[nodiscard]] std::string_view table() const noexcept;  // of the first
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<GotTogether> read(std::string& json) const;

private:
    std::vector<GetItem> gets_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
