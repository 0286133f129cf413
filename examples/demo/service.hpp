// SPDX-License-Identifier: Apache-2.0
//
// What do the callers call? A payment service that counts what it really did, and the faults
// between it and its callers.
//
//     Service service{seed};
//     const Result<int> booked = service.pay(order, attempt_number, clock);
//
// A fault depends on the seed, the order, the attempt's number and the time, never on who asks: all
// sides of the demonstration meet the same bad luck. The service does not slow down under load;
// what overload adds is a matter for a simulator.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "perdure/result.hpp"
#include "perdure/time/clock.hpp"

namespace demo {

using perdure::Duration;
using perdure::Result;
using perdure::TimePoint;
using namespace std::chrono_literals;

struct Faults {
    double refused = 0.02;    // of all attempts: never reached the service
    double lost = 0.02;       // reached it and took effect; the answer was lost
    double throttled = 0.03;  // of all moments: the process has asked too much
    Duration moment = 200ms;
    TimePoint away_from{20s}, away_until{26s};
    double reaches = 0.25;  // while away: of all attempts, taken in although no answer comes
    Duration answers_in = 12ms;
    Duration books_late = 400ms;  // an order whose answer was lost may be booked this much later
};

struct Order {
    std::uint64_t id = 0;
    int process = 0;
    int cents = 0;
    TimePoint begins{};
};

// Owned by one thread.
class Service {
public:
    explicit Service(std::uint64_t seed, Faults faults = {}) : seed_{seed}, faults_{faults} {}

    // Every accepted order is booked, also the second one with the same id.
    Result<int> pay(const Order& order, int attempt, perdure::Clock& clock);
    Result<int> read(const Order& order, int attempt, perdure::Clock& clock);

    struct Entry {
        int times = 0;
        TimePoint booked{};  // the first time
    };
    // What a caller can learn later: nothing, or an entry that may not be booked yet.
    Result<Entry> look_up(const Order& order, perdure::Clock& clock);

    // The truth, for the report only.
    [[nodiscard]] int times_booked(const Order& order) const;
    [[nodiscard]] const Faults& faults() const noexcept { return faults_; }
    struct Load {
        std::int64_t attempts = 0, questions = 0;
    };
    [[nodiscard]] Load load() const noexcept { return load_; }
    [[nodiscard]] Load load_while_away() const noexcept { return load_while_away_; }

private:
    enum class Fault { none, refused, lost };
    [[nodiscard]] bool away(TimePoint now) const;
    [[nodiscard]] Duration throttled_for(int process, TimePoint now) const;
    [[nodiscard]] double luck(std::uint64_t a, std::uint64_t b, std::uint64_t c) const;
    [[nodiscard]] Fault draw(const Order& order, int attempt, TimePoint now) const;
    void book(const Order& order, int attempt, TimePoint now);
    void count(std::int64_t Load::* kind, TimePoint now);

    std::uint64_t seed_;
    Faults faults_;
    std::unordered_map<std::uint64_t, Entry> ledger_;
    Load load_{}, load_while_away_{};
};

}  // namespace demo
