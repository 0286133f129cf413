// SPDX-License-Identifier: Apache-2.0
//
// What does somebody who only watches know about a call? Its events and its tokens, counted apart
// from Progress so that the two can be compared.
//
//     promise(tokens.spent <= tokens.earned, "retries are paid for");   // else std::logic_error
#pragma once

#include "perdure/call/memory.hpp"
#include "perdure/call/observer.hpp"

#include <cstdint>
#include <stdexcept>

namespace perdure::inline v0::testing {

inline void promise(bool kept, const char* what) {
    if (!kept) throw std::logic_error{what};
}

// Whether each attempt begins and ends once, and the call finishes once.
class EventBooks final : public Observer {
public:
    void on_event(const Event& event) noexcept override {
        switch (event.kind) {
            case EventKind::attempt_started:
            case EventKind::hedge_started: ++started; break;
            case EventKind::attempt_succeeded:
            case EventKind::attempt_failed:
            case EventKind::partly_done:
            case EventKind::attempt_cut_off: ++ended; break;
            case EventKind::finished: ++finished; break;
            default: break;
        }
    }
    int started = 0, ended = 0, finished = 0;
};

// What is known about one memory's bucket from outside.
struct TokenBooks {
    std::int64_t spent = 0, earned = 0;

    void check(Memory& memory) const {
        const Budget& budget = memory.budget();
        promise(budget.milli_left() >= 0, "a budget is never negative");
        promise(budget.milli_left() <= budget.milli_capacity(),
                "a budget never holds more than it can");
        const BudgetKind kind = memory.plan().budget.kind;
        if (kind == BudgetKind::traffic || kind == BudgetKind::fixed)
            promise(spent <= earned, "retries times cost stay within start, deposits and refunds");
    }
};

}  // namespace perdure::inline v0::testing
