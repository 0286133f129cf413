// SPDX-License-Identifier: Apache-2.0
#include "callers.hpp"

#include "perdure/call/caller.hpp"

namespace demo {

using perdure::Attempt;
using perdure::Effect;
using perdure::Landed;
using perdure::Safety;

namespace {

// The loop found in many programs: anything that fails is sent again, at once. It knows "done" and
// "failed" and no third word.
class PlainLoop final : public Process {
public:
    PlainLoop(CallClock& clock, int attempts) : clock_{clock}, attempts_{attempts} {}

    Answer pay(Service& service, const Order& order) override {
        for (int attempt = 1; attempt <= attempts_; ++attempt)
            if (service.pay(order, attempt, clock_)) return Answer::done;
        return Answer::failed;
    }
    Answer read(Service& service, const Order& order) override {
        for (int attempt = 1; attempt <= attempts_; ++attempt)
            if (service.read(order, attempt, clock_)) return Answer::done;
        return Answer::failed;
    }

private:
    CallClock& clock_;
    int attempts_;
};

Answer told(const Result<int>& result) {
    if (result || result.error().effect == Effect::applied) return Answer::done;
    return result.error().effect == Effect::none ? Answer::failed : Answer::unknown;
}

class WithPerdure final : public Process {
public:
    WithPerdure(CallClock& clock, perdure::Random& random)
        : clock_{clock},
          caller_{{.name = "payments", .deadline = 3s}, {.clock = clock, .random = random}} {}

    Answer pay(Service& service, const Order& order) override {
        return told(caller_.run(
            {.name = "pay", .safety = Safety::once},
            [&](const Attempt& attempt) { return service.pay(order, attempt.number, clock_); },
            [&](const Attempt&) { return has_landed(service, order); }));
    }
    Answer read(Service& service, const Order& order) override {
        return told(
            caller_.run({.name = "read", .safety = Safety::read}, [&](const Attempt& attempt) {
                return service.read(order, attempt.number, clock_);
            }));
    }

private:
    Result<Landed<int>> has_landed(Service& service, const Order& order) {
        auto entry = service.look_up(order, clock_);
        if (!entry) return entry.take_failure();
        if (entry->times == 0) return Landed<int>::no();
        if (entry->booked > clock_.now()) return Landed<int>::pending(entry->booked - clock_.now());
        return Landed<int>::yes(order.cents);
    }

    CallClock& clock_;
    perdure::Caller caller_;
};

}  // namespace

std::unique_ptr<Process> make_process(Way way, CallClock& clock, perdure::Random& random) {
    switch (way) {
        case Way::one_attempt: return std::make_unique<PlainLoop>(clock, 1);
        case Way::plain_loop: return std::make_unique<PlainLoop>(clock, 4);
        case Way::perdure: break;
    }
    return std::make_unique<WithPerdure>(clock, random);
}

}  // namespace demo
