// SPDX-License-Identifier: Apache-2.0
//
// What does somebody who only watches know about a call? Its events and its tokens, counted apart
// from Progress so that the two can be compared.
//
//     promise(tokens.spent <= tokens.earned, "retries are paid for");   // else std::logic_error
#pragma once

#include "perdure/call/memory.hpp"
#include "perdure/call/observer.hpp"

#include <algorithm>
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
    std::int64_t start = 0, spent = 0, earned = 0;

    void check(Memory& memory) const {
        const Budget& budget = memory.budget();
        promise(budget.milli_left() >= 0, "a budget is never negative");
        promise(budget.milli_left() <= budget.milli_capacity(),
                "a budget never holds more than it can");
        const BudgetKind kind = memory.plan().budget.kind;
        if (kind == BudgetKind::traffic || kind == BudgetKind::fixed)
            promise(spent <= start + earned + for_caught(budget),
                    "retries times cost stay within start, deposits, refunds and caught calls");
    }
    // What calls in flight at a break were given beyond the start.
    [[nodiscard]] std::int64_t for_caught(const Budget& budget) const {
        return std::max<std::int64_t>(0, budget.milli_for_caught() - start);
    }
};

// Whether a delay is one the rule allows, given what the server asked for; negative: nothing.
inline void check_delay(const Rule& rule, Duration hint, Duration delay) {
    const auto count = [](Duration duration) { return static_cast<double>(duration.count()); };
    const Backoff& backoff = rule.backoff;
    const bool inside = backoff.cap_place == CapPlace::inside_jitter;
    const double cap = count(backoff.cap) * (inside ? std::max(1.0, backoff.jitter.high) : 1) + 1;
    const bool unhinted = hint < Duration::zero() || hint == never;
    switch (unhinted ? HintUse::ignore : rule.hint.use) {
        case HintUse::ignore: return promise(count(delay) <= cap, "a wait stays below the cap");
        case HintUse::at_least:
            return promise(delay >= hint && count(delay) <= std::max(cap, count(hint)),
                           "a wait is at least what the server asked");
        case HintUse::clamp:
            return promise(count(delay) <= cap + count(rule.hint.by),
                           "a wait is at most so much longer than our own");
        case HintUse::replace:
            return promise(delay == hint, "a wait is exactly what the server asked");
        case HintUse::plus:
            return promise(delay >= hint && count(delay) <= count(hint) + count(rule.hint.by),
                           "a wait is what the server asked and a little jitter");
    }
}

}  // namespace perdure::inline v0::testing
