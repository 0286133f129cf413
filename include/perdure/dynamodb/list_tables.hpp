// SPDX-License-Identifier: Apache-2.0
//
// Which tables are there?
//
//     auto tables = pages(admin, ListTables{});
//     for (auto& page : tables)
//         if (page) for (const std::string& name : page->names) …
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct TableNames {
    std::vector<std::string> names{};
    std::optional<std::string> next{};  // the name after which the next page begins
};

// A plain value.
class ListTables {
public:
    using Answer = TableNames;

    // 1 to 100 names a page.
    ListTables& limit(int names) & {
        limit_ = names;
        return *this;
    }
    ListTables&& limit(int names) && { return std::move(limit(names)); }
    ListTables& start_after(std::string name) & {
        start_after_ = std::move(name);
        return *this;
    }
    ListTables&& start_after(std::string name) && {
        return std::move(start_after(std::move(name)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "ListTables"; }
    [[nodiscard]] std::string_view table() const noexcept { return {}; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<TableNames> read(std::string& json) const;

private:
    std::optional<int> limit_{};
    std::string start_after_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
