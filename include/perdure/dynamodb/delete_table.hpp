// SPDX-License-Identifier: Apache-2.0
//
// How is a table taken away, with everything in it?
//
//     admin.send(DeleteTable{"orders"});
//
// The answer comes before it is gone. Repeated after an unknown attempt it may find that there is no such
// table, or that it is being deleted: not_found and conflict, with effect unknown, because it may have been
// our own doing. Who only wants it gone says so: ensure_gone() in wait.hpp.
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
class DeleteTable {
public:
    using Answer = TableDescription;

    explicit DeleteTable(std::string table) : table_{std::move(table)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "DeleteTable"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::idempotent; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<TableDescription> read(std::string& json) const;

private:
    std::string table_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
