// SPDX-License-Identifier: Apache-2.0
//
// How are many items written or deleted, each of them, whatever the service leaves over?
//
//     BatchWrite writes{"orders", {"pk"}};                  // the table and what makes up its key
//     for (Item& order : orders) writes.put(std::move(order));
//     writes.remove({{"pk", "o#0"}});
//     const BatchReport<> report = batch_write(client, writes);
//     for (const Leftover& left : report.leftovers) retry_later(writes.entries()[left.index]);
//
// Cut to what BatchWriteItem takes (25 entries, 16 MB) and sent side by side; what the service did not
// get to is sent again with growing waits, until the deadline. Indices in the report are those of the
// entries as they were given.
//
// Of several entries for one key the last is sent: the earlier ones are done, or left, with it. An
// entry that cannot be sent (no key, over 400 KB, a broken number) is left as `invalid` or
// `too_large` at once, and takes nothing from an earlier one of the same key. One that only the
// service finds wrong makes it refuse the whole request: those of that request are then sent each on
// its own, once, so that the others are not lost with it.
//
// Entries replace or delete whole items, so sending one twice ends in the same state; the one danger
// is a late repeat over the newer value of another writer.
#pragma once

#include <cstddef>
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
class BatchWrite {
public:
    enum class What : std::uint8_t { put, remove };
    struct Table {
        std::string name{};
        KeyNames key{};
    };
    struct Entry {
        std::size_t table = 0;  // its place in tables()
        What what = What::put;
        Item item{};  // for `remove` the key
    };

    BatchWrite(std::string table, KeyNames key) { add_table(std::move(table), std::move(key)); }

    // What follows is for this table. One that is named again goes on; its key is what was said last.
    BatchWrite& add_table(std::string name, KeyNames key) &;
    BatchWrite&& add_table(std::string name, KeyNames key) && {
        return std::move(add_table(std::move(name), std::move(key)));
    }
    BatchWrite& put(Item item) & { return add(What::put, std::move(item)); }
    BatchWrite&& put(Item item) && { return std::move(put(std::move(item))); }
    BatchWrite& remove(Item key) & { return add(What::remove, std::move(key)); }
    BatchWrite&& remove(Item key) && { return std::move(remove(std::move(key))); }
    void reserve(std::size_t entries) { entries_.reserve(entries); }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] const std::vector<Table>& tables() const noexcept { return tables_; }
    [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

private:
    BatchWrite& add(What what, Item item) {
        entries_.push_back({table_, what, std::move(item)});
        return *this;
    }

    std::vector<Table> tables_{};
    std::size_t table_ = 0;
    std::vector<Entry> entries_{};
};

// On the caller's thread and up to parallel.most - 1 further ones; one batch is one call, with one
// deadline. `diagnostics` and `error` of the options are for single requests and stay as they are.
BatchReport<> batch_write(Client& client, const BatchWrite& writes, const CallOptions& options = {},
                          const ParallelOptions& parallel = {});
// For coroutines and block_on: no threads. What the options refer to outlives it.
[[nodiscard]] Pending<BatchReport<>> start_batch_write(Client& client, BatchWrite writes,
                                                       CallOptions options = {},
                                                       ParallelOptions parallel = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
