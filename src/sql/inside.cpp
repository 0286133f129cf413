// SPDX-License-Identifier: Apache-2.0
#include "inside.hpp"

#include <utility>

#include "purge.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

Plan plan_of(const DatabaseOptions& options, const Driver& driver) {
    Plan plan = options.plan ? *options.plan : strategy(driver.traits().product);
    if (plan.place.empty()) plan.place = driver.name();
    return plan;
}

net::PoolOptions pool_of(const DatabaseOptions& options, Caller& caller) {
    net::PoolOptions pool = options.pool;
    pool.one_dials = pool.one_dials && caller.memory().waits_to_connect();
    return pool;
}

}  // namespace

Database::Inside::Inside(std::shared_ptr<Driver> with, DatabaseOptions chosen,
                         const Environment& environment)
    : driver{std::move(with)},
      options{std::move(chosen)},
      caller{plan_of(options, *driver), environment},
      pools{net::Pool{pool_of(options, caller)}, net::Pool{pool_of(options, caller)}} {}

Database::Inside::~Inside() = default;

Lender Database::Inside::lender(Role role) noexcept {
    return {.driver = *driver,
            .pool = pools[static_cast<std::size_t>(role)],
            .clock = caller.environment().clock,
            .connect_within = options.connect_within};
}

Result<std::unique_ptr<Lease>> Database::Inside::lease(Role role, const Attempt& attempt) {
    const RemedySet remedies = attempt.remedies;
    auto lease = std::make_unique<Lease>(lender(role));
    const Freshness freshness =
        remedies.has(Remedy::fresh_connection) ? Freshness::fresh : Freshness::pooled;
    auto taken =
        lease->take(freshness, {.role = role, .remedies = remedies, .bounds = bounds_of(attempt)});
    if (!taken) return taken.take_failure();
    return lease;
}

Result<std::unique_ptr<Lease>> Database::Inside::lease(Role role, const Bounds& bounds) {
    auto lease = std::make_unique<Lease>(lender(role));
    auto taken = lease->take(Freshness::pooled, {.role = role, .bounds = bounds});
    if (!taken) return taken.take_failure();
    return lease;
}

Failure Database::Inside::seen(Failure failure) {
    if (failure.remedies.has(Remedy::refresh_routing_account) || failure.rule == "failover")
        for (net::Pool& pool : pools) pool.clear();
    return amended(std::move(failure), options.codes);
}

bool Database::Inside::also_repeats(const Failure& failure, const ShouldRepeat& for_call) const {
    if (failure.cause == Cause::cancelled) return false;
    return (for_call && for_call(failure)) ||
           (options.also_repeat && options.also_repeat(failure)) ||
           sql::also_repeats(options.codes, failure);
}

Result<void> Database::Inside::ready_for_tokens(Session& session, const Bounds& bounds) {
    if (options.tokens.use != TokenUse::create || tokens_ready.load(std::memory_order_acquire))
        return {};
    auto made = session.make_tokens(options.tokens.table, bounds);
    if (!made) return made.take_failure();
    tokens_ready.store(true, std::memory_order_release);
    return {};
}

bool Database::Inside::retries() const noexcept { return caller.plan().rule.attempts != 1; }

Landed<void> verdict_of(const Landed<TokenRow>& found) {
    switch (found.verdict()) {
        case Verdict::yes: return Landed<void>::yes();
        case Verdict::no: return Landed<void>::no();
        case Verdict::pending: return Landed<void>::pending(found.ask_again_after());
        case Verdict::unknown: break;
    }
    return Landed<void>::unknown();
}

Bounds bounds_of(const Attempt& attempt) {
    return {.deadline = attempt.deadline, .stop = attempt.stop()};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
