// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/sqlite.hpp"
#include "transfer.hpp"

namespace bench {
namespace {

std::shared_ptr<sql::Driver> driver(const Place& place) {
    return made(sql::sqlite(place.where, {.synchronous = place.durability == Durability::full
                                                             ? sql::Synchronous::full
                                                             : sql::Synchronous::normal}));
}

}  // namespace

std::unique_ptr<Client> make_sqlite_token(const Place& place) {
    return std::make_unique<Blocking>("sqlite_token", driver(place), sql::TokenUse::use);
}
std::unique_ptr<Client> make_sqlite_plain(const Place& place) {
    return std::make_unique<Blocking>("sqlite_plain", driver(place), sql::TokenUse::off);
}
std::unique_ptr<Client> make_sqlite_coroutine(const Place& place) {
    return std::make_unique<Awaiting>("sqlite_coroutine", driver(place), sql::TokenUse::use);
}

}  // namespace bench
