// SPDX-License-Identifier: Apache-2.0
//
// What does a second copy of a slow read bring? Seen on virtual time. For docs/guide/coroutines.md.
#include <cstdio>

#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/virtual_loop.hpp"

using namespace perdure;

namespace {

// The preferred replica has a bad moment; the next one is well.
Task<Result<int>> ask_replica(Executor& executor, const Attempt& attempt) {
    const Duration takes = attempt.endpoint == 0 ? 500ms : 12ms;
    const int replica = attempt.endpoint;
    auto answer = sleep_until(executor, executor.clock().now() + takes, attempt.stop());
    if (co_await answer == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
    co_return replica;
}

}  // namespace

int main() {
    testing::VirtualLoop loop;
    // [hedge]
    Caller replicas{{.name = "replicas", .deadline = 2s, .hedge = HedgeOptions{.after = 30ms}},
                    {.clock = loop.clock(), .executor = &loop}};
    const auto work = [&loop](const Attempt& attempt) { return ask_replica(loop, attempt); };
    auto call = start(replicas, {.name = "get", .safety = Safety::read}, work);
    const TimePoint before = loop.clock().now();
    const auto replica = loop.run(std::move(call));
    // [/hedge]
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(loop.clock().now() - before);
    if (!replica) return 1;
    std::printf("replica %d answered after %d ms; copies sent: %d, won: %d\n", *replica,
                static_cast<int>(took.count()), static_cast<int>(replicas.counts().hedges_made),
                static_cast<int>(replicas.counts().hedges_won));
    return *replica == 1 && took == 42ms ? 0 : 1;
}
