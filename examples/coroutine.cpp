// SPDX-License-Identifier: Apache-2.0
//
// How is a call awaited? Two statements, captures by value, a token that stops it. For
// docs/guide/coroutines.md.
#include <cstdio>
#include <string>

#include "perdure/call/block_on.hpp"
#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/perdure.hpp"

using namespace perdure;

namespace {

// [attempt]
// One attempt. Parameters are copied into the coroutine; the attempt outlives it.
Task<Result<std::string>> load(Executor& executor, std::string id, const Attempt& attempt) {
    const Duration takes = attempt.number == 1 ? 5s : 2ms;  // the first one hangs
    auto answer = sleep_until(executor, executor.clock().now() + takes, attempt.stop());
    if (co_await answer == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
    co_return "profile of " + id;
}
// [/attempt]

// [call]
Task<Result<std::string>> greeting(Caller& users, Executor& executor, std::string id) {
    const auto work = [&executor, id](const Attempt& attempt) {
        return load(executor, id, attempt);
    };
    auto call = start(users, {.name = "load-profile", .safety = Safety::read}, work);
    auto profile = co_await call;
    if (!profile) co_return profile.take_failure();
    co_return "hello, " + *profile;
}
// [/call]

// [stop]
Task<Result<std::string>> until_stopped(Caller& users, Executor& executor, std::stop_token stop) {
    const auto work = [&executor](const Attempt& attempt) { return load(executor, "7", attempt); };
    const Operation read{.name = "load-profile", .safety = Safety::read, .stop = std::move(stop)};
    auto call = start(users, read, work);
    co_return co_await call;
}
// [/stop]

}  // namespace

int main() {
    // [run]
    Loop loop;
    Caller users{{.name = "users",
                  .deadline = 1s,
                  .attempt_timeout = 20ms,
                  .rule = {.backoff = {.base = 2ms}}},
                 {.executor = &loop}};
    const auto said = block_on(loop, greeting(users, loop, "42"));
    // [/run]
    std::puts(said ? said->c_str() : to_string(said.error()).c_str());

    std::stop_source nobody_waits;
    nobody_waits.request_stop();
    const auto stopped = block_on(loop, until_stopped(users, loop, nobody_waits.get_token()));
    std::puts(stopped ? stopped->c_str() : to_string(stopped.error()).c_str());
    return said && users.counts().attempts_timed_out == 1 && !stopped ? 0 : 1;
}
