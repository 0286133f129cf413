// SPDX-License-Identifier: Apache-2.0
//
// How do I wait for a table? Tables come and go within seconds or minutes, and the answer to a request
// for it comes before.
//
//     const auto orders = ensure_table(admin, CreateTable{"orders", "pk"}, {.within = 2min});
//     if (!orders) log(to_string(orders.error()));     // "not-yet" with Stop::deadline: it still is not
//
// Asking again is not a failure and costs no tokens; a question that fails is repeated by the client's
// plan. ensure_… look first, and again after an answer was lost, so they never take a table of somebody
// else for their own deed, nor their own for a conflict.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/create_table.hpp"
#include "perdure/dynamodb/table_description.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct WaitOptions {
    Duration every = 1s;  // the first pause
    double factor = 1.5;  // pauses grow
    Duration longest = 20s;
    Duration within = std::chrono::minutes{10};
    Deadline deadline{};  // the tighter of this and `within` counts
    std::stop_token stop{};
    Diagnostics* diagnostics = nullptr;
};

// Blocking, on the caller's thread. A table that is not there is one that is not there yet.
Result<TableDescription> wait_until_active(Client& client, const std::string& table,
                                           const WaitOptions& options = {});
Result<void> wait_until_gone(Client& client, const std::string& table,
                             const WaitOptions& options = {});
// Makes it unless it is there, and waits until it is active. One that is there must have the same key,
// else it is a conflict, "other-key"; indexes and capacity are not compared.
Result<TableDescription> ensure_table(Client& client, const CreateTable& table,
                                      const WaitOptions& options = {});
// Deletes it unless it is gone, and waits until it is. A table that is just being made or changed is
// deleted as soon as that is over.
Result<void> ensure_gone(Client& client, const std::string& table, const WaitOptions& options = {});

// The same for coroutines and block_on; the client outlives them. Made when awaited.
[[nodiscard]] Pending<Result<TableDescription>>
start_wait_until_active(Client& client, std::string table, WaitOptions options = {});
[[nodiscard]] Pending<Result<void>> start_wait_until_gone(Client& client, std::string table,
                                                          WaitOptions options = {});
[[nodiscard]] Pending<Result<TableDescription>>
start_ensure_table(Client& client, CreateTable table, WaitOptions options = {});
[[nodiscard]] Pending<Result<void>> start_ensure_gone(Client& client, std::string table,
                                                      WaitOptions options = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
