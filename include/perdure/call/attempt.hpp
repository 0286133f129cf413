// SPDX-License-Identifier: Apache-2.0
//
// Which try is this, and how long has it? Passed to the callable, and from there to nested calls.
//
//     users.run(operation, [&](const Attempt& attempt) { return load(id, attempt.deadline); });
//     other.run(attempt, …);   // one attempt there: this call owns the retries
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "perdure/effect.hpp"
#include "perdure/remedy.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/time/deadline.hpp"

namespace perdure {
inline namespace v0 {

// What an attempt and the driver that started it tell each other. Safe for any number of threads.
class AttemptLink {
public:
    // A blocking driver cannot cut an attempt off: it lends the caller's own token, as it is.
    enum class Lends : std::uint8_t { own, outside };
    explicit AttemptLink(const std::stop_token& outside, Lends lends = Lends::own) noexcept
        : outside_{lends == Lends::outside ? &outside : nullptr} {}
    AttemptLink(const AttemptLink&) = delete;
    AttemptLink& operator=(const AttemptLink&) = delete;
    ~AttemptLink() {
        if (!outside_) delete source_.load(std::memory_order_acquire);
    }

    // A nested call's effect belongs to the attempt it was made in, whatever a rollback did here.
    void join(Effect nested) noexcept;
    [[nodiscard]] Effect nested() const noexcept { return nested_.load(std::memory_order_relaxed); }
    // A stop source costs an allocation, so it is made when somebody asks for the token.
    [[nodiscard]] std::stop_token token();
    void cancel() noexcept;
    [[nodiscard]] bool cancelled() const noexcept {
        return cancelled_.load(std::memory_order_acquire);
    }

private:
    const std::stop_token* const outside_;  // null: the token is our own
    std::atomic<std::stop_source*> source_{nullptr};
    std::atomic<Effect> nested_{Effect::none};
    std::atomic<bool> cancelled_{false};
};

// A plain view; valid while the attempt runs.
struct Attempt {
    int number = 1;  // from 1, hedges included
    Deadline deadline{};
    Deadline call_deadline{};
    RemedySet remedies{};  // what the failure before this attempt asked for
    int endpoint = 0;      // 0 is the preferred one; grows with each move and each hedge
    const Clock* clock = nullptr;
    AttemptLink* link = nullptr;

    [[nodiscard]] Duration time_left() const noexcept {
        return clock ? deadline.left(clock->now()) : never;
    }
    // Requested when the caller gives up, the attempt overruns, or another copy has won.
    [[nodiscard]] std::stop_token stop() const { return link ? link->token() : std::stop_token{}; }
};

}  // namespace v0
}  // namespace perdure
