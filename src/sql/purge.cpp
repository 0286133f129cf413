// SPDX-License-Identifier: Apache-2.0
#include "purge.hpp"

#include "inside.hpp"
#include "perdure/time/periodic.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

// Small enough that no other transaction waits long for a batch.
constexpr int batch = 1'000;
// To build an index over a day of tokens. No call waits for it.
constexpr Duration longest_index = 10min;

}  // namespace

void Purge::start() {
    if (inside_.options.tokens.purge_every <= Duration::zero()) return;
    std::call_once(once_, [this] {
        thread_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
    });
}

PurgeCounts Purge::counts() const {
    const std::lock_guard held{mutex_};
    return counts_;
}

void Purge::work(const std::stop_token& stop) {
    // By the machine's clock whatever the calls go by: on a virtual one, sleeping would make time fly.
    Clock& clock = system_clock();
    const Duration every = inside_.options.tokens.purge_every;
    const Schedule schedule{
        .period = every, .offset = stable_offset(host_identity(), "perdure-purge-tokens", every)};
    for (bool first = true; !stop.stop_requested(); first = false) {
        const TimePoint next = after(clock.now(), schedule.until_next(clock.wall()));
        if (clock.sleep_until(next, stop) == Woken::by_stop) return;
        if (first) add_index(stop);
        (void)run(stop);  // counted; what is left is deleted next time
    }
}

// Tables of earlier versions have none. Only where the table is ours to change.
void Purge::add_index(const std::stop_token& stop) {
    if (inside_.options.tokens.use != TokenUse::create) return;
    const Bounds bounds{.deadline =
                            Deadline::in(longest_index, inside_.caller.environment().clock.now()),
                        .stop = stop};
    auto lease = inside_.lease(Role::primary, bounds);
    if (!lease) return note(lease.error());
    auto made = (*lease)->session().index_tokens(inside_.options.tokens.table, bounds);
    if (!made) note(made.error());
}

Result<std::int64_t> Purge::run(const std::stop_token& stop) {
    std::int64_t tokens = 0;
    std::string from;
    do {
        auto purged = purge_batch(from, stop);
        if (!purged) {
            note(purged.error());
            return purged.take_failure();
        }
        tokens += purged->tokens;
        // A batch that found none: somebody else purges, or a trigger keeps them.
        from = purged->tokens > 0 ? std::move(purged->next) : "";
        const std::lock_guard held{mutex_};
        counts_.tokens += static_cast<std::uint64_t>(purged->tokens);
    } while (!from.empty());
    const std::lock_guard held{mutex_};
    ++counts_.runs;
    return tokens;
}

Result<Purged> Purge::purge_batch(const std::string& from, const std::stop_token& stop) {
    const TokenOptions& tokens = inside_.options.tokens;
    const Operation operation{.name = "purge-tokens", .safety = Safety::idempotent, .stop = stop};
    return inside_.caller.run(operation, [&](const Attempt& attempt) -> Result<Purged> {
        auto lease = inside_.lease(Role::primary, attempt);
        if (!lease) return fail(inside_.seen(std::move(lease.error())));
        auto purged = (*lease)->session().purge_tokens(
            tokens.table, {.age = tokens.keep_for, .tokens = batch, .from = from},
            bounds_of(attempt));
        if (!purged) return fail(inside_.seen(std::move(purged.error())));
        return purged;
    });
}

void Purge::note(const Failure& failure) {
    if (failure.cause == Cause::cancelled) return;
    const std::lock_guard held{mutex_};
    ++counts_.failures;
    counts_.last_failure = to_string(failure);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
