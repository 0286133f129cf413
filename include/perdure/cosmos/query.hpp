// SPDX-License-Identifier: Apache-2.0
//
// Which items fit a description in SQL?
//
//     const auto page = shop.send(
//         Query{{"shop", "orders"}, "SELECT * FROM c WHERE c.total > @least ORDER BY c.total"}
//             .with("@least", 100).in(PartitionKey{"c-7"}).page_size(50));
//
// One page; all of them by pages.hpp. In one partition the service does everything. Across partitions it
// answers plain selections only; what sorts, groups or counts there is refused as 400/1004.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/page.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/cosmos/value.hpp"
#include "perdure/cosmos/wire/consistency.hpp"
#include "perdure/cosmos/wire/effective_key.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
class Query {
public:
    using Answer = Page;

    Query(ContainerName container, std::string text)
        : container_{std::move(container)}, text_{std::move(text)} {}

    // What a parameter stands for.
    Query& with(std::string name, Value value) & {
        parameters_.emplace_back(std::move(name), std::move(value));
        return *this;
    }
    Query&& with(std::string name, Value value) && {
        return std::move(with(std::move(name), std::move(value)));
    }
    // In one logical partition; the whole key, of a hierarchical one too. Else in all of them.
    Query& in(PartitionKey key) & {
        key_ = std::move(key);
        return *this;
    }
    Query&& in(PartitionKey key) && { return std::move(in(std::move(key))); }
    // In one physical partition, by the id of its range, and perhaps only in a part of its keys.
    Query& in_range(std::string id, std::optional<EffectiveRange> part = {}) & {
        range_ = std::move(id);
        part_ = std::move(part);
        return *this;
    }
    Query&& in_range(std::string id, std::optional<EffectiveRange> part = {}) && {
        return std::move(in_range(std::move(id), std::move(part)));
    }
    // At most so many documents in a page; the service may give fewer.
    Query& page_size(int most) & {
        page_size_ = most;
        return *this;
    }
    Query&& page_size(int most) && { return std::move(page_size(most)); }
    // Page::next of the same query.
    Query& after(std::string continuation) & {
        continuation_ = std::move(continuation);
        return *this;
    }
    Query&& after(std::string continuation) && { return std::move(after(std::move(continuation))); }
    // How large a continuation may become; where headers are refused as too large.
    Query& continuation_limit_kb(int kilobytes) & {
        limit_kb_ = kilobytes;
        return *this;
    }
    Query&& continuation_limit_kb(int kilobytes) && {
        return std::move(continuation_limit_kb(kilobytes));
    }
    // Weaker than the account's own.
    Query& consistency(Consistency level) & {
        consistency_ = level;
        return *this;
    }
    Query&& consistency(Consistency level) && { return std::move(consistency(level)); }
    // What the service says about how it went.
    Query& metrics() & {
        metrics_ = true;
        return *this;
    }
    Query&& metrics() && { return std::move(metrics()); }

    [[nodiscard]] std::string_view operation() const noexcept { return "QueryItems"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Page> read(Reply& reply, const CallFacts& facts) const;

    [[nodiscard]] const ContainerName& container() const noexcept { return container_; }
    // Whether it says itself where to look.
    [[nodiscard]] bool has_place() const noexcept { return key_ || !range_.empty(); }
    [[nodiscard]] const std::string& continuation() const noexcept { return continuation_; }

private:
    Result<void> check_words() const;
    Result<void> add_place(Envelope& envelope) const;
    void add_wishes(Envelope& envelope) const;

    ContainerName container_;
    std::string text_;
    std::vector<std::pair<std::string, Value>> parameters_{};
    std::optional<PartitionKey> key_{};
    std::string range_{};
    std::optional<EffectiveRange> part_{};
    std::string continuation_{};
    std::optional<int> page_size_{};
    std::optional<int> limit_kb_{};
    std::optional<Consistency> consistency_{};
    bool metrics_ = false;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
