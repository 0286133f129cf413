// SPDX-License-Identifier: Apache-2.0
//
// What is a table like now?
//
//     const auto orders = admin.send(DescribeTable{"orders"});
//     if (!orders && orders.error().cause == Cause::not_found) …
//
// Also for a little while after CreateTable was answered; waiters are in wait.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/table_description.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class DescribeTable {
public:
    using Answer = TableDescription;

    explicit DescribeTable(std::string table) : table_{std::move(table)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "DescribeTable"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<TableDescription> read(std::string& json) const;

private:
    std::string table_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
