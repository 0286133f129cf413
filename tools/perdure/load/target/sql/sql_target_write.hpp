// SPDX-License-Identifier: Apache-2.0
//
// How are an order's rows written when some of their keys may be there already?
//
//     RowWriter writer{statements, order, scratch};
//     PERDURE_TRY(writer.write(tx, Meeting::unlikely));       // in one attempt of a transaction
//
// Where it is unlikely that a key is there, rows are inserted at once, and only if one was (code
// "key-met") the transaction is done again with care: first it looks which keys are there, so that rows
// of its own are never taken for those of others.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "load/target/sql/sql_insert.hpp"
#include "load/target/target.hpp"
#include "perdure/time/keyed_hash.hpp"

namespace tool::load {

enum class Meeting : std::uint8_t { unlikely, likely };

// What became of the rows.
struct WrittenRows {
    std::uint64_t written = 0;
    std::uint64_t present = 0;
    std::vector<Rejected> rejected{};
};

// One attempt's; used by the thread that runs it.
class RowWriter {
public:
    RowWriter(const RowStatements& statements, const Order& order, Scratch& scratch);

    [[nodiscard]] Result<WrittenRows> write(perdure::sql::Transaction& tx, Meeting meeting);

private:
    enum class Fate : std::uint8_t { open, present, rejected };
    struct Same {
        std::vector<std::size_t> rows{};  // with this key, in order
        bool there = false;
    };

    [[nodiscard]] Result<WrittenRows> insert_all(perdure::sql::Transaction& tx);
    [[nodiscard]] Result<void> ask_about_present(perdure::sql::Transaction& tx);
    [[nodiscard]] Result<WrittenRows> insert_missing(perdure::sql::Transaction& tx);
    void group();
    [[nodiscard]] Result<void> compare_with_table(perdure::sql::Transaction& tx);
    void compare_with_first();
    [[nodiscard]] Result<void> look_again(perdure::sql::Transaction& tx, std::size_t row);
    void judge(const Same& group, std::span<const Value> there);
    [[nodiscard]] bool equal(std::span<const Value> sent, std::span<const Value> back) const;
    [[nodiscard]] const Value& key_of(std::size_t row) const;
    [[nodiscard]] std::string mark_of(const Value& key) const;
    [[nodiscard]] WrittenRows account(std::uint64_t inserted) const;

    const RowStatements& statements_;
    const Order& order_;
    Scratch& scratch_;
    std::vector<Same> groups_{};
    std::unordered_map<std::string, std::size_t, perdure::KeyedHash> group_of_{};
    std::vector<Fate> fates_{};  // of each row of the order
    std::string reason_;
};

}  // namespace tool::load
