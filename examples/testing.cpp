// SPDX-License-Identifier: Apache-2.0
//
// How is code that retries tested without waiting? By bringing time and chance along. For
// docs/guide/test-your-own-code.md. The checks are plain, so that no test library is needed here.
#include <cstdio>
#include <vector>

#include "perdure/call/sleep.hpp"
#include "perdure/call/start.hpp"
#include "perdure/perdure.hpp"
#include "perdure/testing/fail_nth.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "perdure/testing/virtual_loop.hpp"

using namespace perdure;

namespace {

int failed_checks = 0;

void expect(bool promise, const char* text) {
    std::printf("%s: %s\n", promise ? "ok" : "BROKEN", text);
    if (!promise) ++failed_checks;
}

// [code-under-test]
// Takes the caller from outside, as it takes the service: that is all a test needs.
template <class Shop>
Result<int> stock_of(Caller& caller, Shop& shop) {
    return caller.run({.name = "stock", .safety = Safety::read},
                      [&](const Attempt& attempt) { return shop(attempt); });
}
// [/code-under-test]

void waits() {
    // [waits]
    testing::VirtualClock clock;
    testing::FixedRandom ceiling{1.0};  // full jitter at its upper edge: waits become exact
    Caller caller{
        {.name = "shop", .rule = {.attempts = 4, .backoff = {.base = 100ms, .cap = 300ms}}},
        {.clock = clock, .random = ceiling}};
    testing::Scripted<int> shop{{testing::fails(Cause::throttled), testing::fails(Cause::timed_out),
                                 testing::fails({.cause = Cause::unavailable, .status = 503}),
                                 testing::succeeds(12)}};

    const auto stock = stock_of(caller, shop);

    expect(stock && *stock == 12, "the fourth attempt is made");
    expect(clock.naps() == std::vector<Duration>{100ms, 200ms, 300ms},
           "waits double up to the cap");
    // [/waits]
}

void deadline() {
    // [deadline]
    testing::VirtualClock clock;
    testing::FixedRandom floor{0.0};  // full jitter at its lower edge: no waits at all
    Caller caller{{.name = "shop", .deadline = 1s}, {.clock = clock, .random = floor}};
    testing::Scripted<int> slow{{testing::fails(Cause::unavailable).takes(400ms)}, clock};

    const auto stock = stock_of(caller, slow);  // the last line of a script is repeated

    expect(stock.error().stop == Stop::deadline, "stops at the deadline, and says so");
    expect(slow.attempts().size() == 3, "begins at 0, 400 and 800 ms, and not after the deadline");
    // [/deadline]
}

void happening() {
    // [happening]
    testing::VirtualClock clock;
    std::stop_source closing;
    clock.at(clock.now() + 20ms, [&] { closing.request_stop(); });  // while the call waits
    testing::FixedRandom ceiling{1.0};
    Caller caller{{.name = "shop"}, {.clock = clock, .random = ceiling}};

    const auto stock =
        caller.run({.name = "stock", .stop = closing.get_token()},
                   []() -> Result<int> { return fail({.cause = Cause::throttled}); });

    expect(stock.error().stop == Stop::cancelled, "a stop ends the wait");
    // [/happening]
}

// [async]
Task<Result<int>> slow(Executor& executor, const Attempt& attempt) {
    auto nap = sleep_until(executor, executor.clock().now() + 1h, attempt.stop());
    if (co_await nap == Woken::by_stop) co_return fail({.cause = Cause::cancelled});
    co_return 1;
}

void coroutine() {
    testing::VirtualLoop loop;
    Caller caller{{.name = "shop", .attempt_timeout = 100ms},
                  {.clock = loop.clock(), .executor = &loop}};
    const auto work = [&loop](const Attempt& attempt) { return slow(loop, attempt); };

    const auto result = loop.run(start(caller, {.name = "order"}, work));

    expect(result.error().stop == Stop::unsafe, "a cut-off order is not sent again");
    expect(result.error().effect == Effect::unknown, "and its outcome is called unknown");
    loop.drain();  // attempts that nobody waits for any more
}
// [/async]

// [nth]
// Two steps that may fail; the second must not leave the first half done.
Result<void> store(std::vector<int>& rows, testing::FailNth& faults) {
    PERDURE_TRY(faults.check());  // stands where the first statement could fail
    std::vector<int> next = rows;
    next.push_back(1);
    PERDURE_TRY(faults.check());  // and the second
    rows = std::move(next);
    return {};
}

void every_place() {
    for (std::uint64_t nth = 1;; ++nth) {
        testing::VirtualClock clock;
        Caller caller{{.name = "store"}, {.clock = clock}};
        testing::FailNth faults{nth, {.cause = Cause::contended}};
        std::vector<int> rows;
        const auto stored = caller.run({.name = "store"}, [&] { return store(rows, faults); });
        expect(stored && rows.size() == 1, "one row, wherever the failure is");
        if (!faults.failed()) return;  // it was over before the n-th place: all have been tried
    }
}
// [/nth]

// [seed]
// A random test prints its seed; with it, the run is the same again.
void random(std::uint64_t seed) {
    testing::VirtualClock clock;
    SeededRandom dice{seed};
    Caller caller{{.name = "shop"}, {.clock = clock, .random = dice}};
    int failures = static_cast<int>(dice.next() * 4);
    const auto shop = [&](const Attempt&) -> Result<int> {
        if (failures-- > 0) return fail({.cause = Cause::throttled});
        return 12;
    };
    const auto stock = stock_of(caller, shop);
    if (!stock) std::printf("seed %llu: ", static_cast<unsigned long long>(seed));
    expect(stock.has_value(), "up to three failures are survived");
}
// [/seed]

}  // namespace

int main() {
    waits();
    deadline();
    happening();
    coroutine();
    every_place();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) random(seed);
    return failed_checks == 0 ? 0 : 1;
}
