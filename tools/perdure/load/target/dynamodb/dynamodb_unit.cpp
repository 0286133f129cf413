// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_unit.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "perdure/time/keyed_hash.hpp"

namespace tool::load {

using namespace perdure;

UnitRows::UnitRows(const ItemRows& rows, const Order& order)
    : rows_{rows}, order_{order}, fates_(order.count, Fate::open), reasons_(order.count) {
    std::unordered_map<std::string, std::size_t, KeyedHash> by_key;
    dynamodb::Item item;
    for (std::size_t i = 0; i < order.count; ++i) {
        const std::size_t row = order.first + i;
        const Slice& slice = order.batch->records[order.rows->records[row]];
        std::string wrong =
            rows.make(order.rows->row(row), {order.source->name, order.batch->offset(slice)}, item);
        if (!wrong.empty()) {
            reject(i, std::move(wrong));
            continue;
        }
        const auto [found, fresh] =
            by_key.try_emplace(dynamodb::key_text(rows.key_of(item)), open_.size());
        if (fresh) open_.push_back({.item = item, .bytes = dynamodb::stored_size(item)});
        open_[found->second].rows.push_back(i);
    }
}

std::size_t UnitRows::bytes() const noexcept {
    std::size_t sum = 0;
    for (const Candidate& one : open_) sum += one.bytes;
    return sum;
}

void UnitRows::reject(std::size_t row, std::string reason) {
    fates_[row] = Fate::rejected;
    reasons_[row] = std::move(reason);
}

void UnitRows::judge(std::size_t row, const dynamodb::Item& there, std::vector<Fate>& fates) const {
    const bool same = rows_.same(order_.rows->row(order_.first + row), there);
    fates[row] = same ? Fate::present : Fate::rejected;
}

void UnitRows::met(std::size_t candidate, const dynamodb::Item& there) {
    for (const std::size_t row : open_[candidate].rows) judge(row, there, fates_);
    open_[candidate].rows.clear();
}

void UnitRows::refuse(std::size_t candidate, const std::string& reason) {
    for (const std::size_t row : open_[candidate].rows) reject(row, reason);
    open_[candidate].rows.clear();
}

void UnitRows::drop_settled() {
    std::erase_if(open_, [](const Candidate& one) { return one.rows.empty(); });
}

UnitOutcome UnitRows::outcome() const {
    std::vector<Fate> fates = fates_;
    UnitOutcome end;
    for (const Candidate& one : open_) {
        if (one.rows.empty()) continue;
        ++end.written;
        for (std::size_t i = 1; i < one.rows.size(); ++i) judge(one.rows[i], one.item, fates);
    }
    for (std::size_t i = 0; i < fates.size(); ++i) {
        if (fates[i] == Fate::present) ++end.present;
        if (fates[i] != Fate::rejected) continue;
        end.rejected.push_back({.record = order_.rows->records[order_.first + i],
                                .reason = reasons_[i].empty() ? other_values : reasons_[i]});
    }
    return end;
}

}  // namespace tool::load
