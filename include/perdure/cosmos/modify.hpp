// SPDX-License-Identifier: Apache-2.0
//
// How is an item changed when others change it at the same time? Read, change, replace if nobody was
// faster, and else all of it again: a bounded number of rounds with a random pause between them.
//
//     const auto paid = modify(shop, ReadItem{{"shop", "orders"}, "o-1", PartitionKey{"c-7"}},
//                              [](std::string_view json) -> Result<std::string> { … });
//     if (!paid && paid.error().code == "contended") …     // a conflict in every round
//
// The item carries a marker, as in replace_versioned.hpp. A replacement whose outcome cannot be found out
// ends it as unknown: another round might do the change twice. What the change fails with ends it too.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/call/callback.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/replace_versioned.hpp"
#include "perdure/cosmos/story.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Makes the new text of the old one. Called once a round, each time with what is there then; so that it
// must not do anything else that may not be done twice.
using Change = Callback<Result<std::string>(std::string_view json)>;

struct ModifyOptions {
    int rounds = 5;
    Backoff backoff{.base = 10ms, .cap = 1s};  // between rounds
    Deadline deadline{};  // of all of it; the tighter of this and the plan's counts
    std::stop_token stop{};
    Diagnostics* diagnostics = nullptr;  // one attempt is one round
    std::string marker{usual_version_marker};
    // As in CallOptions, for the read and the replace of every round.
    std::vector<std::string> excluded{};
    std::string session{};
    Story* story = nullptr;  // of the last of these calls
};

// Blocking, on the caller's thread. Reading and replacing are calls of their own, with the attempts of the
// client's plan.
Result<Written> modify(Client& client, const ReadItem& item, const Change& change,
                       const ModifyOptions& options = {});
// The same for coroutines and block_on; the client outlives it. Made when awaited. The change is made on the
// reactor's thread.
[[nodiscard]] Pending<Result<Written>> start_modify(Client& client, ReadItem item, Change change,
                                                    ModifyOptions options = {});

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
