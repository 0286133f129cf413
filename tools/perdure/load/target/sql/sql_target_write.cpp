// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_target_write.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "load/target/sql/sql_target_values.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr const char* other_key = "a value that must be unique is there under another key";

// Rules of the table's own (letters without case, blanks at the end) make one key of two: alone, each
// is compared with what is there.
Failure alike() {
    return {.cause = Cause::conflict,
            .code = "record",
            .message = "a key that the table takes for another one's"};
}

Failure swallowed(std::uint64_t inserted, std::size_t sent) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .code = "rows-swallowed",
            .message = "of " + std::to_string(sent) + " rows the table took " +
                       std::to_string(inserted) + " without an error: a trigger or a rule?"};
}

}  // namespace

RowWriter::RowWriter(const RowStatements& statements, const Order& order, Scratch& scratch)
    : statements_{statements}, order_{order}, scratch_{scratch}, fates_(order.count, Fate::open) {}

const Value& RowWriter::key_of(std::size_t row) const {
    return order_.rows->row(row)[*statements_.schema().key];
}

std::string RowWriter::mark_of(const Value& key) const {
    const Column& column = statements_.schema().columns[*statements_.schema().key];
    return key_mark(column.type == Type::other ? column.made_for : column.type, key);
}

Result<WrittenRows> RowWriter::write(sql::Transaction& tx, Meeting meeting) {
    if (order_.count == 0) return WrittenRows{};
    const bool careful = statements_.schema().key && meeting == Meeting::likely;
    return careful ? insert_missing(tx) : insert_all(tx);
}

Result<WrittenRows> RowWriter::insert_all(sql::Transaction& tx) {
    scratch_.which.clear();
    for (std::size_t i = 0; i < order_.count; ++i) scratch_.which.push_back(order_.first + i);
    PERDURE_TRY_VALUE(
        const std::uint64_t inserted,
        statements_.insert(tx, *order_.rows, scratch_.which, IfThere::fail, scratch_));
    if (inserted == order_.count) return WrittenRows{.written = inserted};
    return fail(swallowed(inserted, order_.count));
}

void RowWriter::group() {
    for (std::size_t i = 0; i < order_.count; ++i) {
        const std::size_t row = order_.first + i;
        const auto [found, fresh] = group_of_.try_emplace(mark_of(key_of(row)), groups_.size());
        if (fresh) groups_.emplace_back();
        groups_[found->second].rows.push_back(row);
    }
}

bool RowWriter::equal(std::span<const Value> sent, std::span<const Value> back) const {
    const auto& columns = statements_.schema().columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (!same(columns[i].type, sent[i], back[i])) return false;
    return true;
}

void RowWriter::judge(const Same& group, std::span<const Value> there) {
    for (const std::size_t row : group.rows)
        fates_[row - order_.first] =
            equal(order_.rows->row(row), there) ? Fate::present : Fate::rejected;
}

Result<void> RowWriter::compare_with_table(sql::Transaction& tx) {
    const std::size_t key = *statements_.schema().key;
    std::vector<Value> keys;
    for (const Same& group : groups_) keys.push_back(key_of(group.rows.front()));
    return statements_.find(tx, keys, Reading::plain,
                            [&](std::span<const Value> row) -> Result<void> {
                                const auto found = group_of_.find(mark_of(row[key]));
                                // Asked for one key alone, whatever comes is what the table takes for it.
                                if (found == group_of_.end() && groups_.size() > 1) return {};
                                Same& group = groups_[found == group_of_.end() ? 0 : found->second];
                                group.there = true;
                                judge(group, row);
                                return {};
                            });
}

// A key that comes twice in one batch: the first is written.
void RowWriter::compare_with_first() {
    for (const Same& group : groups_) {
        if (group.there || group.rows.size() < 2) continue;
        const auto first = order_.rows->row(group.rows.front());
        judge({.rows = {group.rows.begin() + 1, group.rows.end()}}, first);
    }
}

Result<WrittenRows> RowWriter::insert_missing(sql::Transaction& tx) {
    group();
    PERDURE_TRY(compare_with_table(tx));
    compare_with_first();
    scratch_.which.clear();
    for (const Same& group : groups_)
        if (!group.there) scratch_.which.push_back(group.rows.front());
    PERDURE_TRY_VALUE(
        const std::uint64_t inserted,
        statements_.insert(tx, *order_.rows, scratch_.which, IfThere::pass_over, scratch_));
    if (inserted < scratch_.which.size()) {
        if (order_.count > 1) return fail(alike());
        PERDURE_TRY(look_again(tx, scratch_.which.front()));
    }
    PERDURE_TRY(ask_about_present(tx));
    return account(inserted);
}

// What only the database can compare, it compares: a decimal or a date that differs is no row of ours.
// Many at once first: mostly they are all the same. Copies within the batch count once.
Result<void> RowWriter::ask_about_present(sql::Transaction& tx) {
    constexpr std::size_t at_once = 100;
    if (!statements_.has_others()) return {};
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < fates_.size(); ++i)
        if (fates_[i] == Fate::present) present.push_back(order_.first + i);
    for (std::size_t at = 0; at < present.size(); at += at_once) {
        const auto some = std::span{present}.subspan(at, std::min(at_once, present.size() - at));
        std::set<std::string> keys;
        for (const std::size_t row : some) keys.insert(mark_of(key_of(row)));
        PERDURE_TRY_VALUE(const std::uint64_t there,
                          statements_.count_there(tx, *order_.rows, some));
        if (there == keys.size() && some.size() == keys.size()) continue;
        for (const std::size_t row : some) {
            const std::array<std::size_t, 1> one{row};
            PERDURE_TRY_VALUE(const std::uint64_t found,
                              statements_.count_there(tx, *order_.rows, one));
            if (found == 0) fates_[row - order_.first] = Fate::rejected;
        }
    }
    return {};
}

// Somebody was faster, or another unique column is in the way.
Result<void> RowWriter::look_again(sql::Transaction& tx, std::size_t row) {
    const std::array<Value, 1> key{key_of(row)};
    bool found = false;
    PERDURE_TRY(statements_.find(tx, key, Reading::locking,
                                 [&](std::span<const Value> there) -> Result<void> {
                                     found = true;
                                     judge({.rows = {row}}, there);
                                     return {};
                                 }));
    if (found) return {};
    fates_[row - order_.first] = Fate::rejected;
    reason_ = other_key;
    return {};
}

WrittenRows RowWriter::account(std::uint64_t inserted) const {
    WrittenRows result{.written = inserted};
    for (std::size_t i = 0; i < fates_.size(); ++i) {
        if (fates_[i] == Fate::present) ++result.present;
        if (fates_[i] == Fate::rejected)
            result.rejected.push_back({.record = order_.rows->records[order_.first + i],
                                       .reason = reason_.empty() ? other_values : reason_});
    }
    return result;
}

}  // namespace tool::load
