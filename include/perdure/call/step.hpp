// SPDX-License-Identifier: Apache-2.0
//
// What is a driver to do next? The only words in which Progress speaks.
//
//     switch (const Step step = progress.next(now); step.kind) { case StepKind::attempt: … }
#pragma once

#include <cstdint>

#include "perdure/duration.hpp"
#include "perdure/remedy.hpp"

namespace perdure {
inline namespace v0 {

enum class StepKind : std::uint8_t {
    attempt,  // start attempt `number`, to end by `until`; a hedge when another is under way
    wait,     // nothing to do before `until`, unless an attempt under way ends first
    cancel,   // attempt `number` is no longer wanted; its outcome will be ignored
    prepare,  // apply `remedies`, then report prepared()
    ask,      // ask the resolver, to answer by `until`, then report landed() or resolver_failed()
    finish,   // success: the caller has its value; else take_failure()
};

struct Step {
    StepKind kind = StepKind::finish;
    int number = 0;
    TimePoint until = TimePoint::max();
    RemedySet remedies{};
    int endpoint = 0;
};

}  // namespace v0
}  // namespace perdure
