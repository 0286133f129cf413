// SPDX-License-Identifier: Apache-2.0
//
// How is one item read? By its id and its partition key.
//
//     const auto order = client.send(ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"o-1"}});
//     if (!order && order.error().cause == Cause::not_found) …
//     const auto maybe = client.send(FindItem{{"shop", "orders"}, "o-1", PartitionKey{"o-1"}});
//
// Cheaper and faster than any query that finds the same item.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/item.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/cosmos/wire/consistency.hpp"
#include "perdure/cosmos/wire/status_code.hpp"
#include "perdure/result.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
class ReadItem {
public:
    using Answer = Item;

    ReadItem(ContainerName container, std::string id, PartitionKey key)
        : container_{std::move(container)}, id_{std::move(id)}, key_{std::move(key)} {}

    // Only if it has changed since; else the answer has no text.
    ReadItem& unless(std::string etag) & {
        etag_ = std::move(etag);
        return *this;
    }
    ReadItem&& unless(std::string etag) && { return std::move(unless(std::move(etag))); }
    // Weaker than the account's own; stronger is refused by the service.
    ReadItem& consistency(Consistency level) & {
        consistency_ = level;
        return *this;
    }
    ReadItem&& consistency(Consistency level) && { return std::move(consistency(level)); }

    [[nodiscard]] std::string_view operation() const noexcept { return "ReadItem"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Item> read(Reply& reply, const CallFacts& facts) const;

    [[nodiscard]] const ContainerName& container() const noexcept { return container_; }
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const PartitionKey& key() const noexcept { return key_; }

private:
    ContainerName container_;
    std::string id_;
    PartitionKey key_;
    std::string etag_{};
    std::optional<Consistency> consistency_{};
};

// The same, where an item that is not there is an answer and no failure.
class FindItem {
public:
    using Answer = std::optional<Item>;

    FindItem(ContainerName container, std::string id, PartitionKey key)
        : read_{std::move(container), std::move(id), std::move(key)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "ReadItem"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const {
        return read_.describe(envelope, facts);
    }
    [[nodiscard]] Result<std::optional<Item>> read(Reply& reply, const CallFacts& facts) const;
    // Which failures are answers.
    [[nodiscard]] bool takes(StatusCode code) const noexcept { return code == StatusCode{404}; }

private:
    ReadItem read_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
