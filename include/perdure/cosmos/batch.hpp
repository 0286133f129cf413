// SPDX-License-Identifier: Apache-2.0
//
// How are several items under one partition key written together, all or none?
//
//     const auto moved = bank.send(Batch{{"bank", "accounts"}, PartitionKey{"c-7"}}
//                                      .replace("a-1", less, etag)
//                                      .create(transfer)
//                                      .read("a-2"));
//     if (moved) use(moved->results[2].body);
//
// At most 100 operations and 2 MB. If one fails, nothing is done, and the failure is that of the
// operation that failed, which its message names. A batch whose answer is lost ends as unknown, because
// done again it would fail against itself; marked_by() tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/patch.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/wire/batch_reply.hpp"
#include "perdure/landed.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Batched {
    std::vector<BatchResult> results{};  // in the order of the operations
    double charge = 0;
    bool found_out = false;  // the answer was lost, and the marker is there: no results
};

// A plain value. Texts without an id get none here: creations need one.
class Batch {
public:
    using Answer = Batched;

    Batch(ContainerName container, PartitionKey key)
        : container_{std::move(container)}, key_{std::move(key)} {}

    Batch& create(std::string json) & { return add(Kind::create, {}, std::move(json)); }
    Batch&& create(std::string json) && { return std::move(create(std::move(json))); }
    Batch& upsert(std::string json) & { return add(Kind::upsert, {}, std::move(json)); }
    Batch&& upsert(std::string json) && { return std::move(upsert(std::move(json))); }
    Batch& read(std::string id) & { return add(Kind::read, std::move(id), {}); }
    Batch&& read(std::string id) && { return std::move(read(std::move(id))); }
    Batch& replace(std::string id, std::string json, std::optional<std::string> etag = {}) & {
        return add(Kind::replace, std::move(id), std::move(json), std::move(etag));
    }
    Batch&& replace(std::string id, std::string json, std::optional<std::string> etag = {}) && {
        return std::move(replace(std::move(id), std::move(json), std::move(etag)));
    }
    Batch& remove(std::string id, std::optional<std::string> etag = {}) & {
        return add(Kind::remove, std::move(id), {}, std::move(etag));
    }
    Batch&& remove(std::string id, std::optional<std::string> etag = {}) && {
        return std::move(remove(std::move(id), std::move(etag)));
    }
    Batch& patch(std::string id, Patch changes, std::optional<std::string> etag = {}) & {
        add(Kind::patch, std::move(id), {}, std::move(etag));
        operations_.back().patch = std::move(changes);
        return *this;
    }
    Batch&& patch(std::string id, Patch changes, std::optional<std::string> etag = {}) && {
        return std::move(patch(std::move(id), std::move(changes), std::move(etag)));
    }
    // One more item is created with it, {"id":"transfer-17","pk":"c-7"}, that has nothing else to do than
    // to say whose it is. After a lost answer the batch is repeated: a repeat of what was done fails
    // against this item, which then tells that it was done. Counts as an operation.
    Batch& marked_by(std::string json) & {
        marker_ = std::move(json);
        return *this;
    }
    Batch&& marked_by(std::string json) && { return std::move(marked_by(std::move(json))); }

    [[nodiscard]] std::size_t size() const noexcept { return operations_.size(); }
    [[nodiscard]] std::string_view operation() const noexcept { return "ExecuteBatch"; }
    [[nodiscard]] Safety safety() const noexcept;
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Batched> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return !marker_.empty(); }
    [[nodiscard]] std::optional<FindItem> question() const;
    [[nodiscard]] Landed<Batched> landed(std::optional<Item> now, const CallFacts& facts) const;

private:
    enum class Kind : std::uint8_t { create, upsert, read, replace, remove, patch };
    struct One {
        Kind kind = Kind::read;
        std::string id{};
        std::string json{};
        std::optional<std::string> etag{};
        Patch patch{};
    };
    Batch& add(Kind kind, std::string id, std::string json, std::optional<std::string> etag = {}) {
        One one;
        one.kind = kind;
        one.id = std::move(id);
        one.json = std::move(json);
        one.etag = std::move(etag);
        operations_.push_back(std::move(one));
        return *this;
    }
    static std::string_view word(Kind kind) noexcept;
    Result<void> append_operation(std::string& body, const One& one) const;
    Result<void> append_marker(std::string& body, const CallFacts& facts) const;
    [[nodiscard]] std::size_t expected() const noexcept {
        return operations_.size() + (marker_.empty() ? 0 : 1);
    }

    ContainerName container_;
    PartitionKey key_;
    std::vector<One> operations_{};
    std::string marker_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
