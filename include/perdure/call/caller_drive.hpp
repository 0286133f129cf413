// SPDX-License-Identifier: Apache-2.0
//
// How does a thread turn Progress? The blocking driver behind Caller::run; include caller.hpp.
//
//     attempt → run the work here · wait → sleep · ask → run the resolver · finish → return
//
// A call that succeeds at once takes the short way and never makes a Progress: opening.hpp.
#pragma once

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

template <class R, class Work, class Resolve>
R Caller::drive(const Operation& operation, const Attempt* parent, Work& work, Resolve& resolve) {
    if constexpr (std::is_same_v<Resolve, detail::NoResolver>) {
        Opening opening{memory_, operation};
        if (!parent && !environment_.observer && opening.may_start() &&
            opening.start(environment_.clock.now())) [[likely]]
            return attempt_at_once<R>(operation, opening, work);
    }
    return begin<R>(operation, parent, work, resolve);
}

// Inlined by force: only then does the opening stay in registers.
template <class R, class Work>
[[gnu::always_inline]] inline R Caller::attempt_at_once(const Operation& operation,
                                                        const Opening& opening, Work& work) {
    const Clock& clock = environment_.clock;
    AttemptLink link{operation.stop, AttemptLink::Lends::outside};
    R result = detail::invoke_work(work, Attempt{.deadline = opening.attempt_deadline(),
                                                 .call_deadline = opening.call_deadline(),
                                                 .clock = &clock,
                                                 .link = &link});
    const TimePoint now = clock.now();
    if (now > opening.attempt_deadline().at()) [[unlikely]]
        (void)memory_.note_overrun(opening.started(), opening.attempt_deadline().at(), now);
    if (result) [[likely]]
        opening.succeeded(now);
    else
        result = go_on<R>(operation, opening.started(), std::move(result.error()), link.nested(),
                          now, work);
    return result;
}

// The two ways into the loop. Kept out of line, so that the short way stays short.
template <class R, class Work>
[[gnu::noinline]] R Caller::go_on(const Operation& operation, TimePoint started, Failure&& failure,
                                  Effect nested, TimePoint now, Work& work) {
    detail::NoResolver none;
    Progress progress{memory_, operation, {.now = started, .random = &environment_.random}};
    progress.take_over();
    progress.failed(1, std::move(failure), nested, now);
    return turn<R>(progress, operation, work, none, now);
}

template <class R, class Work, class Resolve>
[[gnu::noinline]] R Caller::begin(const Operation& operation, const Attempt* parent, Work& work,
                                  Resolve& resolve) {
    constexpr bool resolves = !std::is_same_v<Resolve, detail::NoResolver>;
    const Clock& clock = environment_.clock;
    Watched watched{operation};
    watched.begin(environment_);
    Progress progress{memory_,
                      watched.operation(),
                      {.now = clock.now(),
                       .random = &environment_.random,
                       .observer = environment_.observer,
                       .parent = parent,
                       .resolver = resolves ? Resolver::given : Resolver::none}};
    Diagnostics* const record = watched.record();
    const Duration cpu = record ? clock.thread_cpu() : Duration::zero();
    R result = turn<R>(progress, watched.operation(), work, resolve, progress.started());
    if (record) record->note_cpu(clock.thread_cpu() - cpu);
    watched.ended();
    return result;
}

template <class R, class Work, class Resolve>
R Caller::turn(Progress& progress, const Operation& operation, Work& work, Resolve& resolve,
               TimePoint now) {
    const Clock& clock = environment_.clock;
    for (;; now = clock.now()) {
        if (operation.stop.stop_requested()) progress.cancelled(now);
        const Step step = progress.next(now);
        if (step.kind == StepKind::finish) return fail(progress.take_failure());
        if (step.kind != StepKind::attempt && step.kind != StepKind::ask) {
            take_other_step(progress, operation, step);
            continue;
        }
        AttemptLink link{operation.stop, AttemptLink::Lends::outside};
        const Attempt attempt = attempt_for(step, progress, clock, &link);
        if (step.kind == StepKind::attempt) {
            R result = detail::invoke_work(work, attempt);
            const TimePoint ended = clock.now();
            progress.note_overrun(ended);
            if (result) {
                progress.succeeded(step.number, ended);
                return result;
            }
            progress.failed(step.number, std::move(result.error()), link.nested(), ended);
        } else if constexpr (!std::is_same_v<Resolve, detail::NoResolver>) {
            auto answer = detail::invoke_work(resolve, attempt);
            if (!answer) {
                progress.resolver_failed(answer.error(), clock.now());
                continue;
            }
            progress.landed(answer->verdict(), answer->ask_again_after(), clock.now());
            if (answer->verdict() != Verdict::yes) continue;
            if constexpr (std::is_void_v<typename R::value_type>) return {};
            else return std::move(*answer).value();
        }
    }
}

}  // namespace v0
}  // namespace perdure
