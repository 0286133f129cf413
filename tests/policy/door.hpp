// SPDX-License-Identifier: Apache-2.0
//
// How do tests move a breaker from state to state? With a time of their own and the least draw.
#pragma once

#include "perdure/policy/breaker.hpp"
#include "perdure/testing/fixed_random.hpp"
#include "policy/start.hpp"

namespace perdure {

inline constexpr BreakerOptions ten{.least_calls = 10};

struct Door {
    explicit Door(const BreakerOptions& options) : breaker{options} {}

    Breaker breaker;
    TimePoint now = start;
    testing::FixedRandom least{0};  // the shortest wait, and a draw that every ramp admits
    Admission last_probe = Admission::refused;

    Admission admit() { return admit(least); }
    Admission admit(Random& random) {
        const Admission admission = breaker.admit(now, random);
        if (admission.kind == Admission::probe) last_probe = admission;
        return admission;
    }
    void good(int count = 1, Admission as = Admission::admitted) {
        while (count-- > 0) breaker.record_success(now, 1ms, as);
    }
    void bad(int count = 1, Admission as = Admission::admitted) {
        while (count-- > 0) breaker.record_failure(now, as);
    }
    // Ten failures open it; then the time passes that it stays open.
    void half_open_it() {
        bad(10);
        now += 5s;
    }
    void begin_ramp() {
        half_open_it();
        for (int i = 0; i < 3; ++i) good(1, admit());
    }
};

}  // namespace perdure
