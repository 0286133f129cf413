// SPDX-License-Identifier: Apache-2.0
//
// The blocking and the coroutine driver turn the same Progress, so for the same script they must
// tell the same story, event by event.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "perdure/call/caller.hpp"
#include "perdure/call/start.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "perdure/testing/virtual_loop.hpp"

// Every closure here outlives its coroutine.
// NOLINTBEGIN(cppcoreguidelines-avoid-capturing-lambda-coroutines)
namespace perdure::testing {
namespace {

class Story final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        lines.push_back(std::string{to_string(event.kind)} + " " + std::to_string(event.number) +
                        " at " + std::to_string(event.elapsed.count()) + " wait " +
                        std::to_string(event.wait.count()) + " " +
                        (event.failure ? to_string(*event.failure) : ""));
    }
    std::vector<std::string> lines;
};

struct Script {
    Plan plan{};
    Safety safety = Safety::once;
    bool resolver = false;
    std::vector<Failure> failures{};  // then success
    std::vector<Verdict> verdicts{};  // then unknown
};

template <class T, std::size_t n>
T pick(const T (&from)[n], Random& dice) {
    return from[dice.bits() % n];
}

Script make(Random& dice) {
    constexpr Duration bases[] = {0ms, 1ms, 50ms, 1s};
    constexpr Safety safeties[] = {Safety::once, Safety::guarded, Safety::idempotent, Safety::read};
    constexpr Verdict verdicts[] = {Verdict::yes, Verdict::no, Verdict::pending, Verdict::unknown};
    constexpr std::optional<Duration> hints[] = {std::nullopt, 0ms, 300ms, 20s};
    Script script;
    script.plan = {.name = "both", .deadline = pick({Duration{2s}, Duration{10s}}, dice)};
    script.plan.rule = {.attempts = static_cast<int>(dice.bits() % 6),
                        .window = 5s,
                        .backoff = {.base = pick(bases, dice), .cap = 2s}};
    script.safety = pick(safeties, dice);
    script.resolver = dice.bits() % 2 == 0;
    for (auto i = dice.bits() % 8; i > 0; --i) {
        Failure failure{.cause = static_cast<Cause>(dice.bits() % 17)};
        failure.retry_after = pick(hints, dice);
        failure.settles_earlier = dice.bits() % 8 == 0;
        script.failures.push_back(failure);
        script.verdicts.push_back(pick(verdicts, dice));
    }
    return script;
}

// What the service would say, whoever asks.
struct Service {
    const Script& script;
    std::size_t attempts = 0, questions = 0;
    Result<int> answer() {
        if (attempts < script.failures.size()) return fail(script.failures[attempts++]);
        return 7;
    }
    Result<Landed<int>> landed() {
        const Verdict verdict =
            questions < script.verdicts.size() ? script.verdicts[questions++] : Verdict::unknown;
        if (verdict == Verdict::yes) return Landed<int>::yes(8);
        if (verdict == Verdict::no) return Landed<int>::no();
        if (verdict == Verdict::pending) return Landed<int>::pending(100ms);
        return Landed<int>::unknown();
    }
};

struct Traces {
    Result<int> result;
    CallCounts counts;
    int tokens;
    std::uint64_t samples;
    std::vector<Duration> naps;
    friend bool operator==(const Traces&, const Traces&) = default;
};

Traces run_blocking(const Script& script, std::uint64_t seed, Observer* story) {
    VirtualClock clock;
    SeededRandom random{seed};
    Caller caller{script.plan, {clock, random, story}};
    Service service{script};
    const Operation operation{.name = "op", .safety = script.safety};
    const auto work = [&](const Attempt&) { return service.answer(); };
    const auto landed = [&](const Attempt&) { return service.landed(); };
    Result<int> result =
        script.resolver ? caller.run(operation, work, landed) : caller.run(operation, work);
    return {std::move(result), caller.counts(), caller.budget().milli_left(),
            caller.latencies().count(), clock.naps()};
}

Result<int> run_coroutine(const Script& script, std::uint64_t seed, Story& story) {
    VirtualLoop loop;
    SeededRandom random{seed};
    Caller caller{script.plan, {loop.clock(), random, &story, &loop}};
    Service service{script};
    const Operation operation{.name = "op", .safety = script.safety};
    const auto work = [&](const Attempt&) -> Task<Result<int>> { co_return service.answer(); };
    const auto resolve = [&](const Attempt&) -> Task<Result<Landed<int>>> {
        co_return service.landed();
    };
    if (!script.resolver) return loop.run(start(caller, operation, work));
    return loop.run(start(caller, operation, work, resolve));
}

TEST(Drivers, blocking_and_coroutine_make_identical_decisions_for_the_same_script) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SeededRandom dice{seed};
        const Script script = make(dice);
        Story blocking, coroutine;
        const Result<int> one = run_blocking(script, seed, &blocking).result;
        const auto other = run_coroutine(script, seed, coroutine);
        ASSERT_EQ(blocking.lines, coroutine.lines);
        ASSERT_EQ(one, other);
    }
}

// A call that nobody watches takes the short way (call/opening.hpp) and joins Progress only when it
// fails. It must leave the same traces.
TEST(Drivers, the_short_way_of_an_unwatched_call_leaves_the_same_traces_as_the_long_one) {
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SeededRandom dice{seed};
        Script script = make(dice);
        if (seed % 2 == 0) script.plan.breaker = BreakerOptions{.least_calls = 2};
        Story watched;
        ASSERT_EQ(run_blocking(script, seed, nullptr), run_blocking(script, seed, &watched));
    }
}

}  // namespace
}  // namespace perdure::testing
// NOLINTEND(cppcoreguidelines-avoid-capturing-lambda-coroutines)
