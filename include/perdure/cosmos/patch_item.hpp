// SPDX-License-Identifier: Apache-2.0
//
// How is a part of an item changed?
//
//     const auto paid = shop.send(PatchItem{{"shop", "orders"}, "o-1", PartitionKey{"c-7"},
//                                           Patch{}.set("/state", "paid")}.idempotent());
//
// Not every patch may be done twice: one that counts, adds or moves is refused if it is declared
// idempotent, unless it has a condition that does not hold any more once it was done, which is then the
// caller's word.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/clauses.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/item.hpp"
#include "perdure/cosmos/patch.hpp"
#include "perdure/cosmos/reply.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
class PatchItem : public WithReturn<PatchItem>,
                  public WithEtag<PatchItem>,
                  public WithRepeat<PatchItem> {
public:
    using Answer = Written;

    PatchItem(ContainerName container, std::string id, PartitionKey key, Patch patch)
        : container_{std::move(container)},
          id_{std::move(id)},
          key_{std::move(key)},
          patch_{std::move(patch)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "PatchItem"; }
    [[nodiscard]] Safety safety() const noexcept {
        if (is_guarded() || (idempotent_ && patch_.has_condition())) return Safety::guarded;
        return declared();
    }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName container_;
    std::string id_;
    PartitionKey key_;
    Patch patch_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
