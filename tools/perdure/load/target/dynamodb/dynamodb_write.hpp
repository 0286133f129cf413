// SPDX-License-Identifier: Apache-2.0
//
// How is an order written to DynamoDB as one? In one transaction with its range, and in another when
// keys of it were there: a transaction that was cancelled tells which, and as what.
//
//     DynamoWrite writing{client, hold, rows, order, stop};
//     const auto range = writing.run();
#pragma once

#include <stop_token>

#include "load/target/dynamodb/dynamodb_ledger.hpp"
#include "load/target/dynamodb/dynamodb_unit.hpp"

namespace tool::load {

// One order's; used by the thread that writes it. What it is given outlives it.
class DynamoWrite {
public:
    DynamoWrite(perdure::dynamodb::Client& client, const DynamoLedger::Hold& hold,
                const ItemRows& rows, const Order& order, const std::stop_token& stop);

    // Reads which keys are there: cheaper than a transaction that is cancelled.
    [[nodiscard]] Result<void> look_first();
    // As Target::write.
    [[nodiscard]] Result<Range> run();
    [[nodiscard]] bool met_keys() const noexcept { return met_; }

private:
    [[nodiscard]] Result<Range> attempt();
    [[nodiscard]] perdure::dynamodb::TransactWrite transaction(const UnitOutcome& outcome,
                                                               const Range& range) const;
    [[nodiscard]] bool fits(const UnitOutcome& outcome) const;
    [[nodiscard]] perdure::Failure meaning_of(perdure::Failure failure) const;
    // Whether something was learnt by which the next transaction differs.
    [[nodiscard]] Result<bool> learn(const perdure::dynamodb::ServiceError& said);
    [[nodiscard]] Result<void> meet(std::size_t candidate,
                                    const std::optional<perdure::dynamodb::Item>& told);

    perdure::dynamodb::Client& client_;
    const DynamoLedger::Hold& hold_;
    const ItemRows& rows_;
    const Order& order_;
    const std::stop_token& stop_;
    UnitRows unit_;
    std::size_t first_row_ = 0;  // the number of the first item's action in the last transaction
    bool met_ = false;
};

}  // namespace tool::load
