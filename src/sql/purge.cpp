// SPDX-License-Identifier: Apache-2.0
#include "purge.hpp"

#include "inside.hpp"
#include "perdure/time/periodic.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {
constexpr int batch = 1'000;
constexpr Duration longest_batch = 2s;
}  // namespace

void Purge::start() {
    if (inside_.options.tokens.purge_every <= Duration::zero()) return;
    std::call_once(once_, [this] {
        thread_ = std::jthread{[this](const std::stop_token& stop) { work(stop); }};
    });
}

void Purge::work(const std::stop_token& stop) {
    // By the machine's clock whatever the calls go by: on a virtual one, sleeping would make time fly.
    Clock& clock = system_clock();
    const Duration every = inside_.options.tokens.purge_every;
    const Schedule schedule{
        .period = every, .offset = stable_offset(host_identity(), "perdure-purge-tokens", every)};
    while (!stop.stop_requested()) {
        const TimePoint next = after(clock.now(), schedule.until_next(clock.wall()));
        if (clock.sleep_until(next, stop) == Woken::by_stop) return;
        purge(stop);
    }
}

// What fails now is tried again next time: nobody waits for it.
void Purge::purge(const std::stop_token& stop) {
    const TokenOptions& tokens = inside_.options.tokens;
    Clock& clock = inside_.caller.environment().clock;
    for (std::int64_t purged = batch; purged == batch && !stop.stop_requested();) {
        const Bounds bounds{.deadline = Deadline::in(longest_batch, clock.now()), .stop = stop};
        auto lease = inside_.lease(Role::primary, bounds);
        if (!lease) return;
        const auto done =
            (*lease)->session().purge_tokens(tokens.table, tokens.keep_for, batch, bounds);
        if (!done) return;
        purged = *done;
    }
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
