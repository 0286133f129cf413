// SPDX-License-Identifier: Apache-2.0
//
// How is an item created exactly once, although the answer may be lost? It carries a marker of this
// call, so that a refusal can be told apart: was it another who came first, or my own first attempt?
//
//     const auto made = shop.send(CreateOnce{{"shop", "orders"}, R"({"id":"o-1","pk":"c-7"})",
//                                            PartitionKey{"c-7"}});
//     if (!made && made.error().cause == Cause::conflict) …      // somebody else has created it
//
// The marker is a property, `perdure_writer`. An item that is there with another call's marker is
// another's; one without any may be another's write over ours, so after a lost answer it leaves the
// outcome unknown. The marker goes with the item: if another deletes it before a repeat comes, the
// repeat creates it again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/clauses.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/item.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/landed.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

inline constexpr std::string_view usual_marker = "perdure_writer";

// A plain value.
class CreateOnce : public WithReturn<CreateOnce> {
public:
    using Answer = Written;

    // The item needs an id.
    CreateOnce(ContainerName container, std::string json, PartitionKey key)
        : container_{std::move(container)}, json_{std::move(json)}, key_{std::move(key)} {}

    // Another property for the marker.
    CreateOnce& marker(std::string property) & {
        marker_ = std::move(property);
        return *this;
    }
    CreateOnce&& marker(std::string property) && { return std::move(marker(std::move(property))); }
    // A token of the caller's own, kept where a crash does not reach it: the same creation may then be
    // asked for again later, and succeeds if it had succeeded.
    CreateOnce& token(std::string own) & {
        token_ = std::move(own);
        return *this;
    }
    CreateOnce&& token(std::string own) && { return std::move(token(std::move(own))); }

    [[nodiscard]] std::string_view operation() const noexcept { return "CreateItem"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(Reply& reply, const CallFacts& facts) const;
    // With a token of one's own a refusal is a question: was it I, before the crash?
    [[nodiscard]] bool takes(StatusCode code) const noexcept {
        return token_ && code == StatusCode{409};
    }
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<FindItem> question() const;
    [[nodiscard]] Landed<Written> landed(std::optional<Item> now, const CallFacts& facts) const;

private:
    [[nodiscard]] std::string_view mine(const CallFacts& facts) const noexcept {
        return token_ ? std::string_view{*token_} : facts.id;
    }

    ContainerName container_;
    std::string json_;
    PartitionKey key_;
    std::string marker_{usual_marker};
    std::optional<std::string> token_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
