// SPDX-License-Identifier: Apache-2.0
//
// What does a database keep between its calls? The caller with the strategy's memory, a pool for each
// role, and what it knows about its token table.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "lease.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/workers.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

class Purge;

// Safe for any number of threads.
struct Database::Inside {
    Inside(std::shared_ptr<Driver> with, DatabaseOptions chosen, const Environment& environment);
    ~Inside();

    [[nodiscard]] Lender lender(Role role) noexcept;
    // A session for an attempt, after the remedies its predecessor's failure asked for.
    [[nodiscard]] Result<std::unique_ptr<Lease>> lease(Role role, const Attempt& attempt);
    // The same without a call around it.
    [[nodiscard]] Result<std::unique_ptr<Lease>> lease(Role role, const Bounds& bounds);
    // Looks at a failure on its way out: the user's own codes, and whether the servers have changed
    // places, so that what is idle is good for nothing.
    [[nodiscard]] Failure seen(Failure failure);
    // For Operation::also_repeat, with what the call itself says.
    [[nodiscard]] bool also_repeats(const Failure& failure, const ShouldRepeat& for_call) const;
    // Creates the token table once, if the options say so.
    [[nodiscard]] Result<void> ready_for_tokens(Session& session, const Bounds& bounds);
    [[nodiscard]] bool retries() const noexcept;

    const std::shared_ptr<Driver> driver;
    const DatabaseOptions options;
    Caller caller;
    std::array<net::Pool, 2> pools;  // by role
    std::atomic<bool> tokens_ready{false};
    std::unique_ptr<Purge> purge;
    // Those who hold a session, or must find out about one, never queue behind those who wait for one.
    Workers arrivals{options.pool.max_connections + 1};
    Workers holders{options.pool.max_connections + 1};
    Workers resolvers{options.pool.max_connections + 1};
};

// What a probe found, whoever wrote the row.
[[nodiscard]] Landed<void> verdict_of(const Landed<TokenRow>& found);

// The bounds an attempt's calls have.
[[nodiscard]] Bounds bounds_of(const Attempt& attempt);

}  // namespace sql
}  // namespace v0
}  // namespace perdure
