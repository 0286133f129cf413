// SPDX-License-Identifier: Apache-2.0
//
// How are up to 100 items written together, all or none, and never twice?
//
//     const auto moved = bank.send(
//         TransactWrite{}
//             .update(UpdateItem{"accounts", {{"pk", "a#1"}}}
//                         .update("ADD cents :less").condition("cents >= :sum")
//                         .value(":less", -100).value(":sum", 100))
//             .update(UpdateItem{"accounts", {{"pk", "a#2"}}}.update("ADD cents :sum").value(":sum", 100))
//             .check(CheckItem{"accounts", {{"pk", "owner"}}, "attribute_exists(pk)"}));
//
// Every attempt carries the same token, so a repeat of what has been done changes nothing and is answered
// with success. One that is cancelled after a lost answer still says unknown: the lost request may be on
// its way. Why it was cancelled, action by action: CallOptions::error, ServiceError::cancellation.
// It costs twice what single writes cost. To write one item and know whether it was done, a transaction
// of one action is the simplest way; the cheaper ones are create_once, versioned and counted.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/check_item.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/delete_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/update_item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct Transacted {
    double capacity = 0;  // of all tables
};

// A plain value. Of single requests the expressions and old_item_when_refused() count; what else they
// ask for (returns, landed, safety, capacity) is without meaning here. An item may stand in it once.
class TransactWrite : public WithCapacity<TransactWrite> {
public:
    using Answer = Transacted;

    TransactWrite& put(PutItem action) & { return add(std::move(action)); }
    TransactWrite&& put(PutItem action) && { return std::move(add(std::move(action))); }
    TransactWrite& update(UpdateItem action) & { return add(std::move(action)); }
    TransactWrite&& update(UpdateItem action) && { return std::move(add(std::move(action))); }
    TransactWrite& remove(DeleteItem action) & { return add(std::move(action)); }
    TransactWrite&& remove(DeleteItem action) && { return std::move(add(std::move(action))); }
    TransactWrite& check(CheckItem action) & { return add(std::move(action)); }
    TransactWrite&& check(CheckItem action) && { return std::move(add(std::move(action))); }

    // 1 to 36 characters, to be the same call again after a restart. The service knows it for 10
    // minutes, and not for other actions. Without it every call makes its own.
    TransactWrite& token(std::string chosen) & {
        token_ = std::move(chosen);
        has_token_ = true;
        return *this;
    }
    TransactWrite&& token(std::string chosen) && { return std::move(token(std::move(chosen))); }

    [[nodiscard]] std::size_t size() const noexcept { return actions_.size(); }
    [[nodiscard]] std::string_view operation() const noexcept { return "TransactWriteItems"; }
    [[nodiscard]] std::string_view table() const noexcept;  // of the first action
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    [[nodiscard]] Duration lasts() const noexcept {
        return 10min;
    }  // as the service knows its token
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Transacted> read(std::string& json) const;

private:
    using Action = std::variant<PutItem, UpdateItem, DeleteItem, CheckItem>;
    TransactWrite& add(Action action) {
        actions_.push_back(std::move(action));
        return *this;
    }

    std::vector<Action> actions_{};
    std::string token_{};
    bool has_token_ = false;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
