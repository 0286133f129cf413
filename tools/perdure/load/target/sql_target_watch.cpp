// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql_target_watch.hpp"

namespace tool::load {

using namespace perdure;

namespace {

bool slows_down(Cause cause) noexcept {
    return cause == Cause::throttled || cause == Cause::overloaded || cause == Cause::contended;
}

}  // namespace

void TargetWatch::on_event(const Event& event) noexcept {
    if (event.operation == operation_) count(event);
    note_waiting(event);
    if (next_) next_->on_event(event);
}

// A question is counted by its answer: one that is asked again because the answer was "not yet" is the
// same one.
void TargetWatch::count(const Event& event) noexcept {
    switch (event.kind) {
        case EventKind::attempt_started:
            ++attempts_;
            if (event.number > 1) ++retries_;
            break;
        case EventKind::attempt_failed:
            if (event.failure && slows_down(event.failure->cause)) ++throttled_;
            break;
        case EventKind::landed:
            if (event.verdict != Verdict::pending) ++asked_;
            break;
        case EventKind::finished:
            if (event.failure && event.failure->effect == Effect::unknown) ++unknown_;
            break;
        default: break;
    }
}

// A success of any call ends the waiting: then the target is there.
void TargetWatch::note_waiting(const Event& event) noexcept {
    const bool failed = event.kind == EventKind::attempt_failed && event.failure;
    const bool over =
        event.kind == EventKind::attempt_succeeded || event.kind == EventKind::finished;
    if (!failed && !over && event.kind != EventKind::call_started) return;
    const std::lock_guard lock{mutex_};
    if (event.kind == EventKind::call_started) allowed_ = event.allowed;
    if (over) waiting_.reset();
    if (failed)
        waiting_ = Waiting{.reason = event.failure->message,
                           .attempt = event.number,
                           .since = event.at - event.elapsed,
                           .allowed = allowed_};
}

std::optional<Waiting> TargetWatch::waiting() const {
    const std::lock_guard lock{mutex_};
    return waiting_;
}

TargetCounts TargetWatch::counts() const noexcept {
    return {.attempts = attempts_,
            .retries = retries_,
            .throttled = throttled_,
            .asked = asked_,
            .unknown = unknown_};
}

}  // namespace tool::load
