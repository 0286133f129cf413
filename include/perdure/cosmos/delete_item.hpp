// SPDX-License-Identifier: Apache-2.0
//
// How is an item deleted?
//
//     const auto gone = shop.send(DeleteItem{{"shop", "orders"}, "o-1", PartitionKey{"c-7"}}.idempotent());
//     if (gone && !gone->was_there) …
//
// Declared idempotent, an item that is not there is as good as one that was deleted: it may have been an
// earlier attempt of the call. A repeat may also delete what somebody has created meanwhile; with
// if_match it does not.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/clauses.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/cosmos/wire/status_code.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// What a deletion gave; of items, containers and databases.
struct Deleted {
    double charge = 0;      // request units of the answer
    bool was_there = true;  // when the attempt that was answered came
};

// A plain value.
class DeleteItem : public WithEtag<DeleteItem>, public WithRepeat<DeleteItem> {
public:
    using Answer = Deleted;

    DeleteItem(ContainerName container, std::string id, PartitionKey key)
        : container_{std::move(container)}, id_{std::move(id)}, key_{std::move(key)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "DeleteItem"; }
    [[nodiscard]] Safety safety() const noexcept {
        return is_guarded() ? Safety::guarded : declared();
    }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Deleted> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool takes(StatusCode code) const noexcept {
        return idempotent_ && code == StatusCode{404};
    }

private:
    ContainerName container_;
    std::string id_;
    PartitionKey key_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
