// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

namespace bench {

Answer answer(perdure::Deadline deadline) { return deadline.at().time_since_epoch().count(); }

Answer answer_attempt(const perdure::Attempt& attempt) {
    return attempt.deadline.at().time_since_epoch().count();
}

Answer stumble(int number) {
    if (number == 1) return perdure::fail({.cause = perdure::Cause::throttled});
    return number;
}

}  // namespace bench
