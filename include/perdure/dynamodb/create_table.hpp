// SPDX-License-Identifier: Apache-2.0
//
// How is a table made?
//
//     admin.send(CreateTable{"orders", "pk", {"number", KeyType::number}}
//                    .global_index("by-state", "state", "changed"));
//
// The answer comes before the table can be used; wait_until_active() waits, and ensure_table() does both
// (wait.hpp). A name that is taken is refused with `conflict`. If the outcome of an earlier attempt of the
// same call is unknown, that refusal may speak of our own table, and the effect says unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/table_description.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value. Paid by the request unless provisioned.
class CreateTable {
public:
    using Answer = TableDescription;

    CreateTable(std::string table, KeyAttribute partition)
        : table_{std::move(table)}, key_{std::move(partition)} {}
    CreateTable(std::string table, KeyAttribute partition, KeyAttribute sort)
        : table_{std::move(table)}, key_{std::move(partition), std::move(sort)} {}

    // Capacity units for each second, of the table and of each index.
    CreateTable& provisioned(std::int64_t reads, std::int64_t writes) & {
        provisioned_ = Provisioned{reads, writes};
        return *this;
    }
    CreateTable&& provisioned(std::int64_t reads, std::int64_t writes) && {
        return std::move(provisioned(reads, writes));
    }
    // With all attributes of the items. For other projections, local indexes, streams and the like
    // there is AnyOperation.
    CreateTable& global_index(std::string name, KeyAttribute partition) & {
        return add({std::move(name), {std::move(partition)}});
    }
    CreateTable&& global_index(std::string name, KeyAttribute partition) && {
        return std::move(global_index(std::move(name), std::move(partition)));
    }
    CreateTable& global_index(std::string name, KeyAttribute partition, KeyAttribute sort) & {
        return add({std::move(name), {std::move(partition), std::move(sort)}});
    }
    CreateTable&& global_index(std::string name, KeyAttribute partition, KeyAttribute sort) && {
        return std::move(global_index(std::move(name), std::move(partition), std::move(sort)));
    }

    [[nodiscard]] const std::vector<KeyAttribute>& key() const noexcept { return key_; }
    [[nodiscard]] std::string_view operation() const noexcept { return "CreateTable"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<TableDescription> read(std::string& json) const;

private:
    struct Provisioned {
        std::int64_t reads = 0;
        std::int64_t writes = 0;
    };
    struct Index {
        std::string name;
        std::vector<KeyAttribute> key;
    };
    CreateTable& add(Index index) {
        indexes_.push_back(std::move(index));
        return *this;
    }
    [[nodiscard]] Result<std::vector<KeyAttribute>> definitions() const;

    std::string table_;
    std::vector<KeyAttribute> key_;
    std::vector<Index> indexes_{};
    std::optional<Provisioned> provisioned_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
