// SPDX-License-Identifier: Apache-2.0
//
// What can be told afterwards, and what does a watcher hear meanwhile?
#include "perdure/call/diagnostics.hpp"

#include "call/json_check.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "perdure/testing/scripted.hpp"
#include "perdure/testing/virtual_clock.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perdure::testing {
namespace {

// A clock that wakes late and burns processor time, as real machines do.
class TiredClock final : public Clock {
public:
    TimePoint now() const noexcept override { return inner.now(); }
    WallTime wall() const noexcept override { return inner.wall(); }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        return inner.sleep_until(until + late, stop);
    }
    Duration thread_cpu() const noexcept override { return cpu += 1ms; }

    VirtualClock inner;
    Duration late{};
    mutable Duration cpu{};
};

struct Told : ::testing::Test {
    TiredClock clock;
    FixedRandom ceiling{1.0};
    Diagnostics diagnostics;
};

TEST_F(Told, a_success_is_recorded_too) {
    Caller caller{{.name = "users"}, {clock, ceiling}};
    Scripted<int> service{{succeeds(1).takes(5ms)}, clock.inner};
    EXPECT_TRUE(caller.run({.name = "load", .diagnostics = &diagnostics}, service));
    EXPECT_TRUE(diagnostics.succeeded());
    EXPECT_EQ(diagnostics.stop(), Stop::none);
    EXPECT_EQ(diagnostics.elapsed(), 5ms);
    EXPECT_EQ(diagnostics.cpu(), 1ms);
    ASSERT_EQ(diagnostics.attempts().size(), 1u);
    EXPECT_EQ(diagnostics.attempts()[0].took, 5ms);
    EXPECT_EQ(diagnostics.to_json(),
              R"({"dependency":"users","operation":"load","elapsed_ns":5000000,"cpu_ns":1000000,)"
              R"("succeeded":true,"attempts_made":1,"attempts_left_out":0,"times_asked":0,)"
              R"("budget_left":8.4,"deadline_ns":10000000000,"attempt_timeout_ns":3333333333,)"
              R"("attempts":[{"number":1,"started_ns":0,"took_ns":5000000,"succeeded":true}]})");
}

TEST_F(Told, every_failed_attempt_says_what_it_met_and_what_we_overslept) {
    clock.late = 3ms;
    Caller caller{{.name = "users"}, {clock, ceiling}};
    Scripted<int> service{{fails({.cause = Cause::credentials,
                                  .status = 403,
                                  .code = "Expired \"token\"\n",
                                  .request_id = "r-1"})
                               .takes(20ms),
                           fails(Cause::timed_out)},
                          clock.inner};
    EXPECT_FALSE(caller.run({.diagnostics = &diagnostics}, service));
    EXPECT_FALSE(diagnostics.succeeded());
    EXPECT_EQ(diagnostics.stop(), Stop::unsafe);
    const auto attempts = diagnostics.attempts();
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].cause, Cause::credentials);
    EXPECT_EQ(attempts[0].status, 403);
    EXPECT_EQ(attempts[0].request_id, "r-1");
    EXPECT_EQ(attempts[1].waited_before, 50ms);
    EXPECT_EQ(attempts[1].overslept, 3ms);
    EXPECT_EQ(attempts[1].started, 73ms);
    EXPECT_EQ(attempts[1].effect, Effect::unknown);
    const std::string json = diagnostics.to_json();
    EXPECT_TRUE(JsonCheck{json}.sound()) << json;
    EXPECT_NE(json.find(R"("code":"Expired \"token\"\u000a")"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("overslept_ns":3000000)"), std::string::npos) << json;
    EXPECT_NE(json.find(R"("stop":"unsafe","effect":"unknown")"), std::string::npos) << json;
}

TEST_F(Told, of_forty_attempts_the_first_ten_and_the_last_five_are_kept) {
    // Without a budget, which would end the call after a few of the forty.
    Caller caller{{.rule = {.attempts = 40, .backoff = {.base = 1ms, .cap = 1ms}},
                   .budget = {.kind = BudgetKind::none}},
                  {clock, ceiling}};
    Scripted<int> service{{fails(Cause::throttled)}};
    EXPECT_EQ(caller.run({.diagnostics = &diagnostics}, service).error().attempts, 40);
    std::vector<int> numbers;
    for (const AttemptRecord& each : diagnostics.attempts()) numbers.push_back(each.number);
    EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 36, 37, 38, 39, 40}));
    EXPECT_EQ(diagnostics.left_out(), 25u);
    const std::string json = diagnostics.to_json();
    EXPECT_TRUE(JsonCheck{json}.sound()) << json;
    EXPECT_NE(json.find(R"("attempts_made":40,"attempts_left_out":25)"), std::string::npos);
}

TEST_F(Told, a_record_that_is_used_again_starts_empty) {
    Caller caller{{}, {clock, ceiling}};
    Scripted<int> service{{fails(Cause::throttled), succeeds(1)}};
    EXPECT_TRUE(caller.run({.diagnostics = &diagnostics}, service));
    EXPECT_EQ(diagnostics.attempts().size(), 2u);
    EXPECT_TRUE(caller.run({.diagnostics = &diagnostics}, service));
    EXPECT_EQ(diagnostics.attempts().size(), 1u);
}

TEST_F(Told, asking_and_remedies_are_in_it) {
    Caller caller{{}, {clock, ceiling}};
    const auto prepare = [](RemedySet, const Attempt&) -> Result<void> { return {}; };
    Scripted<int> service{{fails(Cause::stale_route), fails(Cause::timed_out), succeeds(1)}};
    Scripted<Landed<int>> resolver{{succeeds(Landed<int>::no())}};
    EXPECT_TRUE(caller.run({.prepare = prepare, .diagnostics = &diagnostics}, service, resolver));
    EXPECT_EQ(diagnostics.times_asked(), 1);
    EXPECT_EQ(diagnostics.attempts().at(1).remedies, Remedy::refresh_routing_item);
    EXPECT_TRUE(diagnostics.attempts().at(2).remedies.empty());
}

// Writes down the kind of every event.
class Notebook final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        kinds.emplace_back(to_string(event.kind));
        EXPECT_EQ(event.dependency, "users");
        EXPECT_EQ(event.operation, "load");
    }
    std::vector<std::string> kinds;
};

TEST_F(Told, a_watcher_hears_every_step_in_order) {
    Notebook notebook;
    Caller caller{{.name = "users"}, {clock, ceiling, &notebook}};
    const auto prepare = [](RemedySet, const Attempt&) -> Result<void> { return {}; };
    Scripted<int> service{{fails(Cause::stale_route), fails(Cause::timed_out), succeeds(1)}};
    Scripted<Landed<int>> resolver{{succeeds(Landed<int>::no())}};
    EXPECT_TRUE(caller.run({.name = "load", .prepare = prepare}, service, resolver));
    EXPECT_EQ(notebook.kinds,
              (std::vector<std::string>{"call_started", "attempt_started", "attempt_failed",
                                        "waiting", "woken", "preparing", "attempt_started",
                                        "attempt_failed", "asking", "landed", "waiting", "woken",
                                        "attempt_started", "attempt_succeeded", "finished"}));
}

std::vector<std::string>& logged() {
    static std::vector<std::string> lines;
    return lines;
}

TEST_F(Told, a_line_log_writes_one_line_per_failed_attempt_and_one_at_the_end) {
    logged().clear();
    LineLog log{[](std::string_view line) noexcept { logged().emplace_back(line); }};
    Caller caller{{.name = "users"}, {clock, ceiling, &log}};
    Scripted<int> service{{fails(Cause::throttled).takes(31ms),
                           fails({.cause = Cause::timed_out, .code = "ETIMEDOUT"})},
                          clock.inner};
    EXPECT_FALSE(caller.run({.name = "load-profile"}, service));
    EXPECT_EQ(
        logged(),
        (std::vector<std::string>{
            "users load-profile: attempt 1 failed after 31 ms: throttled, effect none",
            "users load-profile: attempt 2 failed after 0 us: timed_out, effect unknown, code "
            "ETIMEDOUT",
            "users load-profile: failed after 81 ms: timed_out, effect unknown, code ETIMEDOUT; "
            "gave up: unsafe after 2 attempts, first throttled"}));
    logged().clear();
    Scripted<int> fine{{succeeds(1)}};
    EXPECT_TRUE(caller.run({}, fine));
    EXPECT_TRUE(logged().empty());
}

TEST_F(Told, with_or_without_a_watcher_the_call_is_the_same) {
    Notebook notebook;
    const Plan plan{.name = "users", .deadline = 2s};
    Caller plain{plan, {clock, ceiling}}, watched{plan, {clock, ceiling, &notebook}};
    for (const std::size_t failures : {0u, 1u, 3u, 9u}) {
        std::vector<Outcome<int>> script(failures, fails(Cause::throttled));
        script.emplace_back(succeeds(1));
        Scripted<int> one{script}, other{script};
        const auto a = plain.run({.name = "load"}, one), b = watched.run({.name = "load"}, other);
        EXPECT_EQ(a, b);
        EXPECT_EQ(plain.counts(), watched.counts());
        EXPECT_EQ(plain.budget().milli_left(), watched.budget().milli_left());
        EXPECT_EQ(plain.latencies(), watched.latencies());
    }
}

TEST_F(Told, a_blocking_success_after_its_deadline_is_marked) {
    Notebook notebook;
    Caller caller{{.name = "users", .attempt_timeout = 100ms}, {clock, ceiling, &notebook}};
    Scripted<int> service{{succeeds(1).takes(250ms), succeeds(2).takes(100ms)}, clock.inner};
    EXPECT_TRUE(caller.run({.name = "load", .diagnostics = &diagnostics}, service));
    ASSERT_EQ(diagnostics.attempts().size(), 1u);
    EXPECT_EQ(diagnostics.attempts()[0].overran, 150ms);
    EXPECT_EQ(diagnostics.attempts()[0].took, 250ms);
    EXPECT_TRUE(diagnostics.attempts()[0].succeeded);
    EXPECT_NE(diagnostics.to_json().find(R"("overran_ns":150000000,"succeeded":true)"),
              std::string::npos);
    EXPECT_EQ(caller.counts().attempts_overran, 1u);
    EXPECT_EQ(notebook.kinds,
              (std::vector<std::string>{"call_started", "attempt_started", "attempt_overran",
                                        "attempt_succeeded", "finished"}));
    EXPECT_TRUE(caller.run({.name = "load", .diagnostics = &diagnostics}, service));
    EXPECT_EQ(diagnostics.attempts()[0].overran, 0ns);
    EXPECT_EQ(caller.counts().attempts_overran, 1u);
}

TEST_F(Told, a_blocking_failure_after_its_deadline_is_marked) {
    Caller caller{{.name = "users", .attempt_timeout = 100ms}, {clock, ceiling}};
    Scripted<int> service{{fails(Cause::throttled).takes(150ms), succeeds(1)}, clock.inner};
    EXPECT_TRUE(caller.run({.name = "load", .diagnostics = &diagnostics}, service));
    ASSERT_EQ(diagnostics.attempts().size(), 2u);
    EXPECT_EQ(diagnostics.attempts()[0].overran, 50ms);
    EXPECT_EQ(diagnostics.attempts()[0].cause, Cause::throttled);
    EXPECT_EQ(diagnostics.attempts()[1].overran, 0ns);
}

// The short way has no Progress; defaults, but for the clock.
TEST_F(Told, overruns_are_counted_when_nobody_watches) {
    Caller caller{{.name = "users"}, {clock, ceiling}};
    Scripted<int> service{{succeeds(1).takes(20s)}, clock.inner};
    EXPECT_TRUE(caller.run({.name = "load"}, service));
    EXPECT_EQ(caller.counts().attempts_overran, 1u);
    Scripted<int> failing{{fails(Cause::invalid).takes(20s)}, clock.inner};
    EXPECT_FALSE(caller.run({.name = "load"}, failing));
    EXPECT_EQ(caller.counts().attempts_overran, 2u);
}

// Work that keeps to its deadline ends a little after it: a tenth of its time, 10 ms at least.
TEST_F(Told, an_attempt_that_ends_right_after_its_deadline_has_not_overrun) {
    Caller caller{{.name = "users", .attempt_timeout = 1s}, {clock, ceiling}};
    Scripted<int> service{{succeeds(1).takes(1100ms), succeeds(1).takes(1101ms)}, clock.inner};
    EXPECT_TRUE(caller.run({.name = "load"}, service));
    EXPECT_EQ(caller.counts().attempts_overran, 0u);
    EXPECT_TRUE(caller.run({.name = "load"}, service));
    EXPECT_EQ(caller.counts().attempts_overran, 1u);
}

}  // namespace
}  // namespace perdure::testing
