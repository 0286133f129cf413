// SPDX-License-Identifier: Apache-2.0
//
// How are many items read by their keys, and come back in the order in which they were asked for?
//
//     BatchGet wanted{"orders"};
//     for (const auto& id : ids) wanted.key({{"pk", id}});
//     const auto report = batch_get(client, wanted);
//     if (const auto& first = report.values[0]) …      // it was asked; *first: the item, or nothing
//
// Cut to what BatchGetItem takes (100 keys) and sent side by side; what the service did not get to is
// asked for again, until the deadline. A value that is there and holds nothing: no such item. A value
// that is not there: the key is among the leftovers, with the reason. A key that was given twice is
// read once and answered in both places.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perdure/call/batch_parallel.hpp"
#include "perdure/call/batch_report.hpp"
#include "perdure/call/task.hpp"
#include "perdure/dynamodb/client.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class BatchGet {
public:
    struct Table {
        std::string name{};
        std::string projection{};
        std::vector<std::pair<std::string, std::string>> names{};  // "#state", "state"
        bool consistent = false;
    };
    struct Key {
        std::size_t table = 0;  // its place in tables()
        Item key{};
    };

    explicit BatchGet(std::string table) { add_table(std::move(table)); }

    // What follows is for this table, keys and all else. One that is named again goes on.
    BatchGet& add_table(std::string name) &;
    BatchGet&& add_table(std::string name) && { return std::move(add_table(std::move(name))); }
    BatchGet& key(Item key) & {
        keys_.push_back({table_, std::move(key)});
        return *this;
    }
    BatchGet&& key(Item which) && { return std::move(key(std::move(which))); }

    // Sees every write that was acknowledged before; costs twice as much.
    BatchGet& consistent() & {
        tables_[table_].consistent = true;
        return *this;
    }
    BatchGet&& consistent() && { return std::move(consistent()); }
    // Only these attributes: "cents, #state". The key is always read, and taken out again if it was
    // not asked for.
    BatchGet& projection(std::string expression) & {
        tables_[table_].projection = std::move(expression);
        return *this;
    }
    BatchGet&& projection(std::string expression) && {
        return std::move(projection(std::move(expression)));
    }
    BatchGet& name(std::string placeholder, std::string attribute) & {
        tables_[table_].names.emplace_back(std::move(placeholder), std::move(attribute));
        return *this;
    }
    BatchGet&& name(std::string placeholder, std::string attribute) && {
        return std::move(name(std::move(placeholder), std::move(attribute)));
    }
    void reserve(std::size_t keys) { keys_.reserve(keys); }

    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }
    [[nodiscard]] const std::vector<Key>& keys() const noexcept { return keys_; }

private:
    std::vector<Table> tables_{};
    std::size_t table_ = 0;
    std::vector<Key> keys_{};
};

// As batch_write (batch_write.hpp).
BatchReport<std::optional<Item>> batch_get(Client& client, const BatchGet& wanted,
                                           const CallOptions& options = {},
                                           const ParallelOptions& parallel = {});
[[nodiscard]] Pending<BatchReport<std::optional<Item>>>
start_batch_get(Client& client, BatchGet wanted, CallOptions options = {},
                ParallelOptions parallel = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
