// SPDX-License-Identifier: Apache-2.0
//
// How is an item that is there written anew, as a whole?
//
//     const auto kept = shop.send(
//         ReplaceItem{{"shop", "orders"}, "o-1", PartitionKey{"c-7"}, json}.if_match(read->etag));
//     if (!kept && kept.error().cause == Cause::conflict) …     // 412: somebody was faster
//
// To know afterwards whose write it was: replace_versioned.hpp. To read, change and replace until it
// holds: modify.hpp.
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
class ReplaceItem : public WithReturn<ReplaceItem>,
                    public WithEtag<ReplaceItem>,
                    public WithRepeat<ReplaceItem> {
public:
    using Answer = Written;

    // A text without an id gets this one. With another id the item has that one afterwards, in the same
    // partition, and is no longer found under `id`; a repeat of it fails with `not_found`.
    ReplaceItem(ContainerName container, std::string id, PartitionKey key, std::string json)
        : container_{std::move(container)},
          id_{std::move(id)},
          key_{std::move(key)},
          json_{std::move(json)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "ReplaceItem"; }
    [[nodiscard]] Safety safety() const noexcept {
        return is_guarded() ? Safety::guarded : declared();
    }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName container_;
    std::string id_;
    PartitionKey key_;
    std::string json_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
