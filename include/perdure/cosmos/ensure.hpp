// SPDX-License-Identifier: Apache-2.0
//
// How do I have a database or a container, whether it was there or not?
//
//     const auto orders = ensure_container(admin, CreateContainer{{"shop", "orders"}, {"/customer"}});
//
// They look first, create, and look again when the creation was refused. A creation whose answer was lost
// is repeated: at worst the repeat is refused by its own first attempt. A container that is there must have the same partition
// key, else it is a conflict, "other-key"; throughput and policies are not compared.
#pragma once

#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/containers.hpp"
#include "perdure/cosmos/databases.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Blocking, on the caller's thread.
Result<Database> ensure_database(Client& client, const CreateDatabase& database,
                                 const CallOptions& options = {});
Result<Container> ensure_container(Client& client, const CreateContainer& container,
                                   const CallOptions& options = {});

// The same for coroutines and block_on; the client outlives them. Made when awaited.
[[nodiscard]] Pending<Result<Database>>
start_ensure_database(Client& client, CreateDatabase database, CallOptions options = {});
[[nodiscard]] Pending<Result<Container>>
start_ensure_container(Client& client, CreateContainer container, CallOptions options = {});

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
