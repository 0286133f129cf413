// SPDX-License-Identifier: Apache-2.0
//
// How does a thread turn Progress? The blocking driver behind Caller::run; include caller.hpp.
//
//     attempt → run the work here · wait → sleep · ask → run the resolver · finish → return
#pragma once

#include <optional>

#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

template <class R, class Work, class Resolve>
R Caller::drive(const Operation& operation, const Attempt* parent, Work& work, Resolve& resolve) {
    constexpr bool resolves = !std::is_same_v<Resolve, detail::NoResolver>;
    const Clock& clock = environment_.clock;
    Progress progress{memory_, operation,
                      {.now = clock.now(),
                       .random = &environment_.random,
                       .observer = environment_.observer,
                       .parent = parent,
                       .resolver = resolves ? Resolver::given : Resolver::none}};
    const Duration cpu = operation.diagnostics ? clock.thread_cpu() : Duration::zero();
    Step step = progress.next(progress.started());
    for (;;) {
        if (step.kind == StepKind::attempt) [[likely]] {
            if (operation.stop.stop_requested()) [[unlikely]] {
                progress.cancelled(clock.now());
            } else {
                AttemptLink link{operation.stop, AttemptLink::Lends::outside};
                R result = detail::invoke_work(work, Attempt{.number = step.number,
                                                             .deadline = Deadline{step.until},
                                                             .call_deadline = progress.deadline(),
                                                             .remedies = step.remedies,
                                                             .endpoint = step.endpoint,
                                                             .clock = &clock,
                                                             .link = &link});
                const TimePoint now = clock.now();
                if (result) [[likely]] {
                    progress.succeeded(step.number, now);
                    if (operation.diagnostics) operation.diagnostics->note_cpu(clock.thread_cpu() - cpu);
                    return result;
                }
                progress.failed(step.number, std::move(result.error()), link.nested(), now);
            }
        } else if (step.kind == StepKind::finish) {
            if (operation.diagnostics) operation.diagnostics->note_cpu(clock.thread_cpu() - cpu);
            return fail(progress.take_failure());
        } else if (step.kind == StepKind::ask) {
            if constexpr (resolves) {
                AttemptLink link{operation.stop, AttemptLink::Lends::outside};
                auto answer = detail::invoke_work(resolve, Attempt{.number = step.number,
                                                                   .deadline = Deadline{step.until},
                                                                   .call_deadline = progress.deadline(),
                                                                   .clock = &clock,
                                                                   .link = &link});
                if (!answer) {
                    progress.resolver_failed(std::move(answer.error()), clock.now());
                } else {
                    progress.landed(answer->verdict(), answer->ask_again_after(), clock.now());
                    if (answer->verdict() == Verdict::yes) {
                        if constexpr (std::is_void_v<typename R::value_type>) return {};
                        else return std::move(*answer).value();
                    }
                }
            }
        } else {
            take_other_step(progress, operation, step);
        }
        step = progress.next(clock.now());
    }
}

}  // namespace v0
}  // namespace perdure
