// SPDX-License-Identifier: Apache-2.0
//
// Which items share a partition key, and perhaps a range of sort keys?
//
//     const auto page = orders.send(Query{"orders"}
//                                       .key("pk = :customer AND begins_with(sk, :year)")
//                                       .value(":customer", "c#7").value(":year", "2026-")
//                                       .backward().limit(20));
//
// One page; all of them by pages.hpp. The other setters are in page.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/page.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class Query : public WithPages<Query> {
public:
    using Answer = Page;

    explicit Query(std::string table) : table_{std::move(table)} {}

    // The key condition: "pk = :pk AND sk > :from".
    Query& key(std::string condition) & {
        key_ = std::move(condition);
        return *this;
    }
    Query&& key(std::string condition) && { return std::move(key(std::move(condition))); }
    // From the largest sort key down.
    Query& backward() & {
        backward_ = true;
        return *this;
    }
    Query&& backward() && { return std::move(backward()); }

    [[nodiscard]] std::string_view operation() const noexcept { return "Query"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Page> read(std::string& json) const;

private:
    std::string table_;
    std::string key_{};
    bool backward_ = false;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
