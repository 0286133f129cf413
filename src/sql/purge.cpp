// SPDX-License-Identifier: Apache-2.0
#include "purge.hpp"

#include <algorithm>
#include <utility>

#include "inside.hpp"
#include "perdure/time/periodic.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// Small enough that no other transaction waits long for a batch.
constexpr int batch = 1'000;
// To build an index over a day of tokens. No call waits for it.
constexpr Duration longest_index = 10min;

// The shortest time that a batch has, however hasty the database's calls are.
constexpr Duration least_deadline = 30s;
constexpr Duration least_attempt = 10s;

Plan plan_of(const Plan& calls) {
    Plan plan = calls;
    plan.deadline = std::max(plan.deadline, least_deadline);
    plan.attempt_timeout = std::max(attempt_timeout_of(plan), least_attempt);
    plan.learn_timeout = {};
    return plan;
}

}  // namespace

Purge::Purge(Database::Inside& inside)
    : inside_{inside}, caller_{plan_of(inside.caller.plan()), inside.caller.environment()} {}

void Purge::start() {
    if (inside_.options.tokens.purge_every <= Duration::zero()) return;
    if (started_.load(std::memory_order_acquire)) return;
    const std::lock_guard held{starting_};
    if (started_.load(std::memory_order_relaxed)) return;
    auto thread = start_thread([this](const std::stop_token& stop) { work(stop); });
    if (!thread) return note(thread.error(), "the purge of tokens: ");
    thread_ = *std::move(thread);
    started_.store(true, std::memory_order_release);
}

PurgeCounts Purge::counts() const {
    const std::lock_guard held{mutex_};
    return counts_;
}

void Purge::work(const std::stop_token& stop) {
    // By the machine's clock whatever the calls go by: on a virtual one, an hour would pass at once.
    Clock& clock = system_clock();
    const Duration every = inside_.options.tokens.purge_every;
    const Schedule schedule{
        .period = every, .offset = stable_offset(host_identity(), "perdure-purge-tokens", every)};
    while (!stop.stop_requested()) {
        const TimePoint next = after(clock.now(), schedule.until_next(clock.wall()));
        if (clock.sleep_until(next, stop) == Woken::by_stop) return;
        (void)run(stop);  // counted; what is left is deleted next time
    }
}

// Tables of earlier versions have none. Only where the table is ours to change. Each time, because it may
// have failed before, or another process that was at it may have.
void Purge::add_index(const std::stop_token& stop) {
    if (inside_.options.tokens.use != TokenUse::create) return;
    const Bounds bounds{.deadline =
                            Deadline::in(longest_index, inside_.caller.environment().clock.now()),
                        .stop = stop};
    auto lease = inside_.lease(Role::primary, bounds);
    if (!lease) return;  // the purge itself says why
    auto made = (*lease)->session().index_tokens(inside_.options.tokens.table, bounds);
    if (!made) note(made.error(), "the index on created_at: ");
}

Result<std::int64_t> Purge::run(const std::stop_token& stop) {
    add_index(stop);
    std::int64_t tokens = 0;
    for (std::string from, next;; from = std::exchange(next, {})) {
        auto purged = purge_batch(from, stop);
        if (!purged) {
            note(purged.error(), "");
            return purged.take_failure();
        }
        tokens += purged->tokens;
        next = std::move(purged->next);
        const std::lock_guard held{mutex_};
        counts_.tokens += static_cast<std::uint64_t>(purged->tokens);
        // Neither a token nor a step: a trigger keeps more of one time than a batch has.
        if (next.empty() || (purged->tokens == 0 && next == from)) break;
    }
    const std::lock_guard held{mutex_};
    ++counts_.runs;
    return tokens;
}

Result<Purged> Purge::purge_batch(const std::string& from, const std::stop_token& stop) {
    const TokenOptions& tokens = inside_.options.tokens;
    const Operation operation{.name = "purge-tokens", .safety = Safety::idempotent, .stop = stop};
    return caller_.run(operation, [&](const Attempt& attempt) -> Result<Purged> {
        auto lease = inside_.lease(Role::primary, attempt);
        if (!lease) return fail(inside_.seen(std::move(lease.error())));
        auto purged = (*lease)->session().purge_tokens(
            tokens.table, {.age = tokens.keep_for, .tokens = batch, .from = from},
            bounds_of(attempt));
        if (!purged) return fail(inside_.seen(std::move(purged.error())));
        return purged;
    });
}

void Purge::note(const Failure& failure, std::string_view where) {
    if (failure.cause == Cause::cancelled) return;
    const std::lock_guard held{mutex_};
    ++counts_.failures;
    counts_.last_failure = std::string{where} + to_string(failure);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
