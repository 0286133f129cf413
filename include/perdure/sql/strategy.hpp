// SPDX-License-Identifier: Apache-2.0
//
// How patient is each database to be treated? Its execution strategy, which is a plan and nothing else:
// the rules that the rows of its error table name.
//
//     Plan plan = sql::strategy(sql::Product::postgres);
//     plan.deadline = 2s;
//     plan.rules.push_back({"throttled", {.attempts = 2}});     // a strategy of one's own
//
// `few`: a fault that rarely passes. `lock-conflict`, `in-memory-conflict`: somebody else was first.
// `busy-database`: the service asks for less. `connection-limit`: no connection is free.
// `connect`: the server is not there. `failover`: another server takes over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perdure/call/callback.hpp"
#include "perdure/call/plan.hpp"
#include "perdure/failure.hpp"
#include "perdure/sql/error_table.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Pure functions; any thread.

// "sqlite", "postgres", "mariadb", "odbc", "sqlserver"
std::string_view to_string(Product product) noexcept;

// The plan a database has when it is given none.
Plan strategy(Product product);

// Entity Framework Core's: 6 retries after 0, 1, 3, 7, 15 and 30 s, up to 10 % more; five seconds more
// for a throttled SQL Server, a thousandth of it for conflicts in memory-optimized tables; all
// draw on one count, and no budget bounds them.
Plan ef_core(Product product);

// What a user knows better than the table, by the database's own codes. Who stands in both lists is
// not repeated. A plain value.
struct Codes {
    std::vector<std::string> also_transient{};
    std::vector<std::string> not_transient{};
};

// The failure as the user's codes have it: final, or no longer final where its cause may be repeated.
Failure amended(Failure failure, const Codes& codes);

// Whether a failure that the table calls final is to be repeated all the same: Entity Framework Core's
// ShouldRetryOn. Asked on the thread of the call, never after a cancellation; it overrules
// Codes::not_transient. What may have had an effect is not repeated whatever it says.
using ShouldRepeat = Callback<bool(const Failure&)>;

// For Operation::also_repeat: a failure whose cause is final, but the user's codes say otherwise.
bool also_repeats(const Codes& codes, const Failure& failure);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
