// SPDX-License-Identifier: Apache-2.0
//
// How is an item written whether it is there or not?
//
//     const auto put = shop.send(UpsertItem{{"shop", "orders"}, json, PartitionKey{"c-7"}}.idempotent());
//     if (put && put->created) …
//
// It overwrites whatever somebody else wrote in between; so does a repeat, and idempotent() says that
// this is meant. With if_match an item that is there must have that etag; one that is not is created.
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
class UpsertItem : public WithReturn<UpsertItem>,
                   public WithEtag<UpsertItem>,
                   public WithRepeat<UpsertItem> {
public:
    using Answer = Written;

    UpsertItem(ContainerName container, std::string json, PartitionKey key)
        : container_{std::move(container)}, json_{std::move(json)}, key_{std::move(key)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "UpsertItem"; }
    // An etag does not guard an item that is not there: after another's deletion a repeat creates it.
    [[nodiscard]] Safety safety() const noexcept { return declared(); }
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
