// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {

// What does not depend on the type of the result. A blocking driver has nothing to cancel: when it
// hears of it, the attempt is over.
void Caller::take_other_step(Progress& progress, const Operation& operation, const Step& step) {
    Clock& clock = environment_.clock;
    if (step.kind == StepKind::wait) {
        if (clock.sleep_until(step.until, operation.stop) == Woken::by_stop)
            progress.cancelled(clock.now());
    } else if (step.kind == StepKind::prepare) {
        AttemptLink link{operation.stop, AttemptLink::Lends::outside};
        const Attempt attempt = attempt_for(step, progress, clock, &link);
        progress.prepared(operation.prepare(step.remedies, attempt), clock.now());
    }
}

}  // namespace v0
}  // namespace perdure
