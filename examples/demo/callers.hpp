// SPDX-License-Identifier: Apache-2.0
//
// Who calls? The same calls made in three ways: one attempt, a plain loop, Perdure.
//
//     const auto process = make_process(Way::perdure, clock, dice);
//     const Answer answer = process->pay(service, order);
#pragma once

#include <algorithm>
#include <memory>

#include "perdure/time/random.hpp"
#include "service.hpp"

namespace demo {

enum class Way { one_attempt, plain_loop, perdure };

// What the application is told in the end.
enum class Answer { done, failed, unknown };

// Every call begins at its own time, whatever became of the others: the clock is set to it, and
// from there on sleeping moves it. So calls that would overlap are played one after the other.
class CallClock final : public perdure::Clock {
public:
    void begin(TimePoint call) noexcept { now_ = call; }
    [[nodiscard]] TimePoint now() const noexcept override { return now_; }
    [[nodiscard]] perdure::WallTime wall() const noexcept override {
        return perdure::WallTime{now_.time_since_epoch()};
    }
    perdure::Woken sleep_until(TimePoint until, const std::stop_token&) override {
        now_ = std::max(now_, until);
        return perdure::Woken::on_time;
    }

private:
    TimePoint now_{};
};

// One process of the fleet. Owned by one thread.
class Process {
public:
    virtual ~Process() = default;
    virtual Answer pay(Service& service, const Order& order) = 0;
    virtual Answer read(Service& service, const Order& order) = 0;
};

std::unique_ptr<Process> make_process(Way way, CallClock& clock, perdure::Random& random);

}  // namespace demo
