// SPDX-License-Identifier: Apache-2.0
//
// Where does chance come from? From an argument, so that a seed can replay a whole run.
//
//     perdure::SeededRandom dice{42};
//     double share = dice.next();                           // the same on every run
//     perdure::Random& chance = perdure::system_random();   // different in every thread
//
// Only unpredictable_random() is for what must not be guessed: someone who sees enough numbers of the
// others can work out the next ones.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace perdure {
inline namespace v0 {

// A source of chance. Who may share one between threads is said by each kind.
class Random {
public:
    Random() = default;
    // A copied generator repeats the numbers of the original, and with them its jitter: the herd
    // that jitter should scatter is back, and nobody sees why.
    Random(const Random&) = delete;
    Random& operator=(const Random&) = delete;
    virtual ~Random();

    // 64 independent, evenly spread bits.
    virtual std::uint64_t bits() = 0;

    // A number in [0, 1), on a grid of 2^-53. Virtual so that a test can stand at the very edge: a
    // source that always says 1.0 turns full jitter into its ceiling.
    virtual double next();
};

// xoshiro256++ by Blackman and Vigna: four words of state, never all zero. Owned by one thread.
struct Xoshiro {
    std::array<std::uint64_t, 4> state{1, 0, 0, 0};

    std::uint64_t operator()() noexcept {
        const std::uint64_t result = std::rotl(state[0] + state[3], 23) + state[0];
        const std::uint64_t shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = std::rotl(state[3], 45);
        return result;
    }
};

// The same numbers for the same seed, on every platform and in every version. Owned by one thread.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) noexcept;

    std::uint64_t bits() override { return generator_(); }

private:
    Xoshiro generator_;
};

// One source for the process, safe to use from any thread: each thread draws from a generator of
// its own, seeded by the operating system. A child of fork() does not repeat its parent's numbers;
// a child made by a bare clone(2) or vfork(2), which run no fork hooks, would.
Random& system_random();

// The same for numbers that no one who has seen others may work out: ids and tokens. They come from the
// operating system, at some ten times the cost.
Random& unpredictable_random();

}  // namespace v0
}  // namespace perdure
