// SPDX-License-Identifier: Apache-2.0
//
// How is a new item written? Its id must not be taken under its partition key.
//
//     const auto made = shop.send(CreateItem{{"shop", "orders"}, R"({"id":"o-1","pk":"c-7"})",
//                                            PartitionKey{"c-7"}});
//     if (!made && made.error().cause == Cause::conflict) …     // 409: there is one already
//
// An item without an id gets one before the first attempt, the same for all of them. An attempt whose
// answer is lost is not repeated, and the call ends as unknown: create_once.hpp can tell.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/clauses.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/item.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
class CreateItem : public WithReturn<CreateItem> {
public:
    using Answer = Written;

    // The key is what the item has at the container's partition key paths.
    CreateItem(ContainerName container, std::string json, PartitionKey key)
        : container_{std::move(container)}, json_{std::move(json)}, key_{std::move(key)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "CreateItem"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::once; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName container_;
    std::string json_;
    PartitionKey key_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
