// SPDX-License-Identifier: Apache-2.0
//
// Which entries of a batch are about the same item, and which item is it that an answer speaks of? A
// request may name an item only once, and answers come in no order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json_reader.hpp"
#include "perdure/call/batch_chunk.hpp"
#include "perdure/call/batch_report.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct KeyedTable {
    std::string name{};
    KeyNames key{};
};

// Filled by one thread, then read by any number. Keys are numbered from 0 in the order in which they
// were first seen; these numbers are what the batch sends.
class BatchKeys {
public:
    BatchKeys(std::vector<KeyedTable> tables, std::string dependency)
        : tables_{std::move(tables)}, dependency_{std::move(dependency)} {}

    // The next entry is for this key, and is sent in the place of earlier ones.
    void add(std::size_t table, const Item& key);
    // The next entry is not sent at all.
    void refuse(Failure why);

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] const std::vector<KeyedTable>& tables() const noexcept { return tables_; }
    // The entry that is sent for this key.
    [[nodiscard]] std::size_t entry(std::size_t key) const noexcept { return entries_[key]; }
    // The key of an entry; nothing for those that were refused.
    [[nodiscard]] std::optional<std::size_t> key(std::size_t entry) const noexcept;

    // What an answer says is looked for here. What was not asked for is `corrupt`.
    [[nodiscard]] Result<std::size_t> table(std::string_view name) const;
    [[nodiscard]] Result<std::size_t> position(const Chunk& chunk, std::size_t table,
                                               const Item& key) const;
    // The key within attributes, without reading the others.
    [[nodiscard]] Result<Item> read_key(std::size_t table, JsonNode& attributes) const;

    // From the account of keys that of the entries as they were given.
    [[nodiscard]] BatchTotals account(const BatchTotals& of_keys) const;
    // Nothing can be sent, for this reason.
    [[nodiscard]] BatchTotals all_left(const Failure& why) const;

private:
    std::vector<KeyedTable> tables_;
    std::string dependency_;
    // By table and text of the key.
    std::unordered_map<std::string, std::size_t, KeyedHash> numbers_{};
    std::vector<std::size_t> entries_{};  // by key
    std::vector<std::size_t> keys_{};     // by entry; refused: none
    std::vector<Leftover> refused_{};     // by entry
};

// The attributes of `item` that make up its key, if the service would take them for one.
Result<Item> usable_key(const Item& item, const KeyNames& names);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
