// SPDX-License-Identifier: Apache-2.0
//
// How is an item replaced only if nobody has changed it since it was read, although the answer may be
// lost? By its etag, and a marker that says whose the last write was.
//
//     const auto order = shop.send(ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"c-7"}});
//     …                                                       // and changed
//     const auto kept = shop.send(ReplaceVersioned{{"shop", "orders"}, "o-1", PartitionKey{"c-7"},
//                                                  changed, order->etag});
//     if (!kept && kept.error().cause == Cause::conflict) …   // another was faster: read again
//
// The marker is a property, `perdure_replaced`, and replaces what an earlier call left there; it is another
// one than create_once's, which must survive. If others have written after an attempt whose answer was
// lost, nobody can tell any more whether it was done before, and the outcome stays unknown. The loop
// around it: modify.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/create_once.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline constexpr std::string_view usual_version_marker = "perdure_replaced";

// A plain value.
class ReplaceVersioned : public WithReturn<ReplaceVersioned> {
public:
    using Answer = Written;

    // `etag` is that of the version that was read.
    ReplaceVersioned(ContainerName container, std::string id, PartitionKey key, std::string json,
                     std::string etag)
        : container_{std::move(container)},
          id_{std::move(id)},
          key_{std::move(key)},
          json_{std::move(json)},
          etag_{std::move(etag)} {}

    // Another property for the marker.
    ReplaceVersioned& marker(std::string property) & {
        marker_ = std::move(property);
        return *this;
    }
    ReplaceVersioned&& marker(std::string property) && {
        return std::move(marker(std::move(property)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "ReplaceItem"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<FindItem> question() const;
    [[nodiscard]] Landed<Written> landed(std::optional<Item> now, const CallFacts& facts) const;

private:
    ContainerName container_;
    std::string id_;
    PartitionKey key_;
    std::string json_;
    std::string etag_;
    std::string marker_{usual_version_marker};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
