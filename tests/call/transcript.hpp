// SPDX-License-Identifier: Apache-2.0
//
// How does a conversation with Progress read? One line per step, time moved by hand.
//
//     Transcript call{plan, {.name = "put"}};
//     EXPECT_EQ(call.next(), "attempt 1");
//     call.fails({.cause = Cause::throttled, .retry_after = 200ms});
//     EXPECT_EQ(call.next(), "wait 200ms");
#pragma once

#include <string>
#include <utility>

#include "perdure/call/progress.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::testing {

inline std::string in_words(Duration wait) {
    if (wait == never) return "for ever";
    if (wait.count() % 1'000'000 != 0) return std::to_string(wait.count()) + "ns";
    return std::to_string(wait.count() / 1'000'000) + "ms";
}

struct TranscriptOptions {
    Driving driving = Driving::one_at_a_time;
    Resolver resolver = Resolver::none;
    double random = 1.0;  // full jitter at its upper edge: waits become exact
    const Attempt* parent = nullptr;
    Observer* observer = nullptr;
};

inline constexpr TranscriptOptions concurrent{.driving = Driving::concurrent};
inline const Operation get_operation{.name = "get", .safety = Safety::read};

class Transcript {
public:
    explicit Transcript(Plan plan, Operation operation = {}, TranscriptOptions options = {})
        : memory{std::move(plan)},
          operation_{std::move(operation)},
          random_{options.random},
          progress{memory,
                   operation_,
                   {.now = now,
                    .random = &random_,
                    .observer = options.observer,
                    .parent = options.parent,
                    .driving = options.driving,
                    .resolver = options.resolver}} {}

    // The next step in words. A wait is taken: time moves to its end.
    std::string next() {
        const Step step = progress.next(now);
        switch (step.kind) {
            case StepKind::attempt: return "attempt " + std::to_string(number = step.number);
            case StepKind::cancel: return "cancel " + std::to_string(step.number);
            case StepKind::prepare: return "prepare " + to_string(step.remedies);
            case StepKind::ask: return "ask";
            case StepKind::finish: return "finish";
            case StepKind::wait: break;
        }
        if (step.until == TimePoint::max()) return "wait for ever";
        const Duration wait = step.until - now;
        now = step.until;
        return "wait " + in_words(wait);
    }

    void fails(Failure failure, Effect nested = Effect::none) {
        progress.failed(number, std::move(failure), nested, now);
    }
    void fails_in(int attempt, Failure failure) {
        progress.failed(attempt, std::move(failure), Effect::none, now);
    }
    void succeeds() { progress.succeeded(number, now); }
    void succeeds_in(int attempt) { progress.succeeded(attempt, now); }
    void took(Duration time) { now += time; }

    // "stop, effect, cause" of the final failure.
    std::string ending() {
        const Failure failure = progress.take_failure();
        return std::string{to_string(failure.stop)} + ", effect " +
               std::string{to_string(failure.effect)} + ", " +
               std::string{to_string(failure.cause)};
    }

    TimePoint now{Duration{1h}};
    Memory memory;
    int number = 0;

private:
    Operation operation_;
    FixedRandom random_;

public:
    Progress progress;
};

}  // namespace perdure::testing
