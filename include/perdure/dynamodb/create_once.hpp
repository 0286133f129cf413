// SPDX-License-Identifier: Apache-2.0
//
// How is an item created exactly once, although the answer may be lost? It carries a marker of this
// call, so that a refusal can be told apart: was it another who came first, or my own first attempt?
//
//     const auto made = orders.send(CreateOnce{"orders", {{"pk", "o#1"}, {"total", 1299}}, {"pk"}});
//     if (!made && made.error().cause == Cause::conflict) …      // somebody else has created it
//
// The marker is an attribute, `perdure_writer`. An item that is there with another call's marker is
// another's; one without any marker may be another's put over ours, so after a lost answer it leaves
// the outcome unknown. The marker goes with the item: if another deletes it before a repeat comes, the
// repeat creates it again. Where items come and go so fast, a TransactWrite of one put knows better.
// Once for each region: in a global table with eventual consistency (MREC, the default) two regions can
// both create it, and the later one stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/service_error.hpp"
#include "perdure/dynamodb/written.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

inline constexpr std::string_view usual_marker = "perdure_writer";

// A plain value.
class CreateOnce : public WithCapacity<CreateOnce> {
public:
    using Answer = Written;

    CreateOnce(std::string table, Item item, KeyNames key)
        : table_{std::move(table)}, item_{std::move(item)}, key_names_{std::move(key)} {}

    // Another attribute for the marker.
    CreateOnce& marker(std::string attribute) & {
        marker_ = std::move(attribute);
        return *this;
    }
    CreateOnce&& marker(std::string attribute) && {
        return std::move(marker(std::move(attribute)));
    }
    // A token of the caller's own, kept where a crash does not reach it: the same creation may then be
    // asked for again later, and succeeds if it had succeeded.
    CreateOnce& token(std::string own) & {
        token_ = std::move(own);
        return *this;
    }
    CreateOnce&& token(std::string own) && { return std::move(token(std::move(own))); }

    [[nodiscard]] std::string_view operation() const noexcept { return "PutItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(std::string& json) const;
    [[nodiscard]] std::optional<Written> recognise(const ServiceError& error,
                                                   const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<GetItem> question() const;
    [[nodiscard]] Landed<Written> landed(const std::optional<Item>& now,
                                         const CallFacts& facts) const;

private:
    [[nodiscard]] std::string_view mine(const CallFacts& facts) const noexcept {
        return token_ ? std::string_view{*token_} : facts.id;
    }

    std::string table_;
    Item item_;
    KeyNames key_names_;
    std::string marker_{usual_marker};
    std::optional<std::string> token_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
