// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/ensure.hpp"

#include <utility>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

ReadDatabase read_of(const CreateDatabase& wanted) { return ReadDatabase{wanted.id()}; }
ReadContainer read_of(const CreateContainer& wanted) { return ReadContainer{wanted.name()}; }

Result<Database> fits(const CreateDatabase&, Result<Database> there) { return there; }

Result<Container> fits(const CreateContainer& wanted, Result<Container> there) {
    if (!there || there->properties.key == wanted.key()) return there;
    return fail({.cause = Cause::conflict,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "other-key",
                 .message = "the container " + there->properties.id +
                            " is there, with another partition key"});
}

template <class T>
bool is_missing(const Result<T>& said) {
    return !said && said.error().cause == Cause::not_found;
}
// Creating it twice does no harm: the second is refused, and what is there is looked at.
template <class Create>
Create repeatable(Create wanted) {
    wanted.idempotent();
    return wanted;
}
// Somebody has made it, perhaps we.
template <class T>
bool may_be_there(const Result<T>& made) {
    return !made && (made.error().cause == Cause::conflict || made.error().effect != Effect::none);
}

template <class Create>
Result<typename Create::Answer> ensure(Client& client, const Create& wanted,
                                       const CallOptions& options) {
    auto there = client.send(read_of(wanted), options);
    if (!is_missing(there)) return fits(wanted, std::move(there));
    auto made = client.send(repeatable(wanted), options);
    if (!may_be_there(made)) return made;
    auto now = client.send(read_of(wanted), options);
    if (!now) return made;
    return fits(wanted, std::move(now));
}

template <class Create>
Task<Result<typename Create::Answer>> start_ensuring(Client* client, Create wanted,
                                                     CallOptions options) {
    auto looking = client->start(read_of(wanted), options);
    auto there = co_await looking;
    if (!is_missing(there)) co_return fits(wanted, std::move(there));
    auto making = client->start(repeatable(wanted), options);
    auto made = co_await making;
    if (!may_be_there(made)) co_return made;
    auto looking_again = client->start(read_of(wanted), options);
    auto now = co_await looking_again;
    if (!now) co_return made;
    co_return fits(wanted, std::move(now));
}

}  // namespace

Result<Database> ensure_database(Client& client, const CreateDatabase& database,
                                 const CallOptions& options) {
    return ensure(client, database, options);
}

Result<Container> ensure_container(Client& client, const CreateContainer& container,
                                   const CallOptions& options) {
    return ensure(client, container, options);
}

Pending<Result<Database>> start_ensure_database(Client& client, CreateDatabase database,
                                                CallOptions options) {
    return start_ensuring(&client, std::move(database), std::move(options));
}

Pending<Result<Container>> start_ensure_container(Client& client, CreateContainer container,
                                                  CallOptions options) {
    return start_ensuring(&client, std::move(container), std::move(options));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
