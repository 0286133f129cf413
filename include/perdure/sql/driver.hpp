// SPDX-License-Identifier: Apache-2.0
//
// How is a database reached, and what must be known about its kind? One driver for each; each is a
// library of its own and is made by a function of its own.
//
//     auto driver = sql::postgres("postgres://app@db.internal/bank");      // nothing is connected yet
//     sql::Database bank{*driver};
#pragma once

#include <memory>
#include <string_view>

#include "perdure/remedy.hpp"
#include "perdure/sql/error_table.hpp"
#include "perdure/sql/session.hpp"
#include "perdure/time/clock.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Which of several servers: the one that takes writes, or any.
enum class Role : std::uint8_t { primary, any };

struct Connecting {
    Role role = Role::primary;
    RemedySet remedies{};  // refresh_routing_account: what was known of the servers may be wrong
    Bounds bounds{};
};

// Facts about a kind of database that the common code goes by.
struct Traits {
    Product product = Product::sqlite;
    Duration resolve_within = 1s;       // kept free of attempts, to resolve a lost COMMIT
    Duration shortest_lock_wait = 1ms;  // some count in seconds
    bool notes_transactions = false;    // outcome_of() can answer
};

// Shared by any number of threads.
class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver();

    [[nodiscard]] virtual const Traits& traits() const noexcept = 0;
    // "postgres db.internal:5432/bank": for messages and diagnostics; no password, no user.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    // The path of the database, if it is a file of this machine; else empty.
    [[nodiscard]] virtual std::string_view file() const noexcept { return {}; }
    // Failures have effect none. The clock outlives the session.
    [[nodiscard]] virtual Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                                   Clock& clock) = 0;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
