// SPDX-License-Identifier: Apache-2.0
//
// A target in memory that refuses, forgets, waits or collides as a test tells it.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "load/target/target.hpp"

namespace tool::load {

// Keeps ids and ranges in memory, as one: both or neither.
class MemoryTarget : public Target {
public:
    std::set<std::int64_t> disliked{};         // records that are refused
    std::map<std::uint64_t, int> unknown{};    // by begin: 1, written and not told; 2, not written
    std::optional<perdure::Failure> broken{};  // what every write meets from now on
    std::uint64_t break_from = UINT64_MAX;     // where that begins
    bool break_merges = false;
    std::optional<Waiting> waits{};         // what waiting() says
    std::function<void()> while_writing{};  // called by each write
    std::uint64_t version = 0;              // of what it holds

    [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }
    [[nodiscard]] int workers() const noexcept override { return 1; }
    [[nodiscard]] Result<std::optional<TableFacts>> look() override {
        return std::optional<TableFacts>{};
    }
    [[nodiscard]] std::string create_statement(const Schema&) const override { return {}; }
    [[nodiscard]] Result<void> create(const Schema&) override { return {}; }
    void use(const Schema&) override {}
    [[nodiscard]] Result<void> open_ledger() override { return {}; }
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source) override {
        const std::lock_guard lock{mutex_};
        if (!entry_) entry_ = source;
        return *entry_;
    }
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view) override {
        return entry_;
    }
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view) override {
        const std::lock_guard lock{mutex_};
        std::vector<Range> all;
        for (const auto& [begin, range] : ranges_) all.push_back(range);
        for (Range& range : all) range.version = version;
        return all;
    }
    [[nodiscard]] Result<void> merge(std::string_view, std::uint64_t, std::uint64_t) override {
        ++merges;
        if (break_merges)
            return perdure::fail({.cause = perdure::Cause::unavailable, .message = "away"});
        return {};
    }
    [[nodiscard]] Result<void> forget(std::string_view) override { return {}; }
    [[nodiscard]] Result<void>
    rejections(std::string_view,
               const std::function<Result<void>(const KeptRejection&)>&) override {
        return {};
    }
    [[nodiscard]] Result<Range> write(const Order& order, const std::stop_token&) override;
    [[nodiscard]] Result<void> scan(const RowReader&) override { return {}; }
    [[nodiscard]] Result<void> find(std::span<const Value>, const RowReader&) override {
        return {};
    }
    [[nodiscard]] Result<std::uint64_t> count() override { return ids.size(); }
    [[nodiscard]] TargetCounts counts() const override { return {}; }
    [[nodiscard]] std::optional<Waiting> waiting() const override { return waits; }

    void start_over() {
        ids.clear();
        ranges_.clear();
    }

    std::multiset<std::int64_t> ids{};
    std::multiset<std::string> reasons{};
    int writes = 0;
    std::atomic<int> merges{0};

private:
    void keep(const Order& order, Range& range);

    std::mutex mutex_;
    std::optional<SourceEntry> entry_{};
    std::map<std::uint64_t, Range> ranges_{};
};

inline void MemoryTarget::keep(const Order& order, Range& range) {
    for (std::size_t i = 0; i < order.count; ++i)
        ids.insert(order.rows->row(order.first + i)[0].integer);
    for (const Rejected& one : order.rejected) reasons.insert(one.reason);
    range.written = order.count;
    range.rejected = order.rejected.size();
    ranges_[range.begin] = range;
}

inline Result<Range> MemoryTarget::write(const Order& order, const std::stop_token&) {
    const std::lock_guard lock{mutex_};
    ++writes;
    if (while_writing) while_writing();
    Range range = order.range;
    if (broken && range.begin >= break_from) return perdure::fail(*broken);
    if (ranges_.contains(range.begin))
        return perdure::fail({.cause = perdure::Cause::conflict, .code = "taken"});
    for (std::size_t i = 0; i < order.count; ++i)
        if (disliked.contains(order.rows->row(order.first + i)[0].integer))
            return perdure::fail(
                {.cause = perdure::Cause::invalid, .code = "record", .message = "disliked"});
    const int fate = std::exchange(unknown[range.begin], 0);
    if (fate != 2) keep(order, range);
    if (fate != 0)
        return perdure::fail({.cause = perdure::Cause::unavailable,
                              .effect = perdure::Effect::unknown,
                              .message = "lost"});
    return range;
}

}  // namespace tool::load
