// SPDX-License-Identifier: Apache-2.0
//
// What is planned, what has happened, and which transactions still live behind our back?
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "perdure/sql/planned_faults.hpp"
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Moment : std::uint8_t { opening, beginning, executing, committing };

// Safe for any number of threads.
class FaultBook {
public:
    FaultBook() = default;
    FaultBook(const FaultBook&) = delete;
    FaultBook& operator=(const FaultBook&) = delete;
    ~FaultBook() { release(); }

    void add(Moment moment, std::initializer_list<Fault> faults);
    void by_chance(const FaultChances& chances);
    void clear();
    // Counts the call and says what becomes of it.
    [[nodiscard]] Fault next(Moment moment);
    void count_roll_back();
    void count_fault();
    [[nodiscard]] FaultCounts counts() const;
    [[nodiscard]] std::uint64_t number_session();

    // Keeps a session whose transaction is open until its time comes.
    struct Remnant {
        std::uint64_t number = 0;
        std::shared_ptr<Driver> driver{};  // kept as long as its session
        std::unique_ptr<Session> session{};
        Clock& clock;
    };
    void bury(Remnant remnant, const Fault& fault);
    [[nodiscard]] bool lives(std::uint64_t number) const;
    void release();

private:
    struct Zombie {
        Remnant remnant;
        Ending ending = Ending::rolls_back;
        bool ended = false;
        bool claimed = false;  // release() has it in its hands
        std::jthread waiting{};
    };
    [[nodiscard]] Fault by_dice(Moment moment);
    void end(Zombie& zombie);
    [[nodiscard]] Zombie* claim();

    std::mutex releasing_;
    mutable std::mutex mutex_;
    std::array<std::deque<Fault>, 4> planned_;
    std::optional<FaultChances> chances_;
    std::optional<SeededRandom> dice_;
    FaultCounts counts_;
    std::uint64_t sessions_ = 0;
    std::list<Zombie> zombies_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
