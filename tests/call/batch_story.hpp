// SPDX-License-Identifier: Apache-2.0
//
// How does a conversation with BatchProgress read? One line per step, time moved by hand.
//
//     Story story{{.name = "orders"}, {.chunk_items = 2}, 3};
//     EXPECT_EQ(story.next(), "0 sends 0 1");
//     story.answers(0, {{1, throttled}});
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "perdure/call/batch_progress.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::testing {

struct StoryOptions {
    Operation operation{.name = "put", .safety = Safety::idempotent};
    Overrun overrun = Overrun::waited_for;
};

class Story {
public:
    Story(Plan plan, const BatchOptions& options, std::size_t items,
          const StoryOptions& how = StoryOptions{})
        : memory{std::move(plan)},
          batch{memory,
                how.operation,
                options,
                items,
                {.now = now, .random = &random, .overrun = how.overrun}} {}

    // The next step in words. A wait is taken: time moves to its end.
    std::string next() {
        const BatchStep step = batch.next(now);
        const std::string lane = std::to_string(step.lane);
        switch (step.step.kind) {
            case StepKind::attempt: return lane + " sends" + indices(batch.chunk(step.lane));
            case StepKind::cancel: return lane + " is cut off";
            case StepKind::prepare: return lane + " prepares";
            case StepKind::ask: return "ask";
            case StepKind::finish: return "finish";
            case StepKind::wait: break;
        }
        if (step.step.until == TimePoint::max()) return "wait for an answer";
        const Duration wait = step.step.until - std::exchange(now, step.step.until);
        return "wait " + std::to_string(wait.count() / 1'000'000) + "ms";
    }
    std::vector<std::string> next(int steps) {
        std::vector<std::string> said;
        for (int i = 0; i < steps; ++i) said.push_back(next());
        return said;
    }

    // By position in the chunk; what is not named is done.
    void answers(std::size_t lane, const std::map<std::size_t, Failure>& left = {}) {
        ChunkAnswer<> answer{batch.chunk(lane)};
        for (const auto& [position, failure] : left) answer.left(position, failure);
        batch.answered(lane, answer.take_marks(), now);
    }
    void fails(std::size_t lane, const Failure& failure) {
        batch.failed(lane, failure, Effect::none, now);
    }

    // "2: throttled, attempts after 4"
    std::vector<std::string> left() {
        std::vector<std::string> lines;
        for (const auto& [index, failure] : totals().leftovers)
            lines.push_back(std::to_string(index) + ": " + std::string{to_string(failure.cause)} +
                            ", " + std::string{to_string(failure.stop)} + " after " +
                            std::to_string(failure.attempts) +
                            (failure.effect == Effect::none
                                 ? ""
                                 : ", " + std::string{to_string(failure.effect)}));
        return lines;
    }
    const BatchTotals& totals() {
        if (!taken_) totals_ = batch.take_totals(now);
        taken_ = true;
        return totals_;
    }

    TimePoint now{Duration{1h}};
    Memory memory;
    FixedRandom random{1.0};  // full jitter at its upper edge: waits become exact
    BatchProgress batch;

private:
    static std::string indices(const Chunk& chunk) {
        std::string all;
        for (const std::size_t index : chunk) all += ' ' + std::to_string(index);
        return all;
    }

    BatchTotals totals_{};
    bool taken_ = false;
};

}  // namespace perdure::testing
