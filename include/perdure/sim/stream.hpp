// SPDX-License-Identifier: Apache-2.0
//
// Which dice does a simulated thing throw? Its own: a number is fixed by the seed, by what it is for
// and by whom it is for, not by how many were drawn before.
//
//     const Dice dice{seed};
//     const double share = dice.of(Purpose::work, call, attempt).next();
//
// So two policies on one seed meet the same arrivals and the same service times ("common random
// numbers"), and the difference between them is the policies' own.
#pragma once

#include <array>
#include <cstdint>

#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

enum class Purpose : std::uint8_t {
    arrival,
    client,
    replica,
    work,
    there,
    back,
    loss,
    failure,
    jitter,
    shard,
    think,
    connect,
    hint,
    spread,
    cancel,
};
inline constexpr std::size_t purpose_count = 15;

// The finaliser of SplitMix64 (Steele, Lea and Flood; constants by Stafford).
constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

// A plain value. Whose, which and how many steps are strides of 2^64 / g, / g², / g³ with g⁴ = g + 1,
// the golden ratio of three dimensions (Roberts' R3 sequence): small triples lie far from each other,
// and the scrambling makes neighbours independent.
class Stream {
public:
    constexpr Stream(std::uint64_t key, std::uint64_t whose, std::uint64_t which) noexcept
        : state_{key + whose * 0xabc98388fb8fac03U + which * 0xd1b54a32d192ed03U} {}

    constexpr std::uint64_t bits() noexcept { return scramble(state_ += 0x8cb92ba72f3d8dd7U); }
    // In [0, 1), on a grid of 2^-53.
    constexpr double next() noexcept { return static_cast<double>(bits() >> 11U) * 0x1p-53; }
    // In (0, 1]: for logarithms.
    constexpr double positive() noexcept {
        return static_cast<double>((bits() >> 11U) + 1) * 0x1p-53;
    }
    // In [0, n): the high word of the product, not the remainder.
    constexpr std::uint32_t below(std::uint32_t n) noexcept {
        return static_cast<std::uint32_t>(((bits() >> 32U) * n) >> 32U);
    }

private:
    std::uint64_t state_;
};

// All streams of one seed. A plain value.
class Dice {
public:
    constexpr explicit Dice(std::uint64_t seed) noexcept {
        for (std::size_t i = 0; i < purpose_count; ++i)
            keys_[i] = scramble(scramble(seed + 1) + (i + 1) * 0x9e3779b97f4a7c15U);
    }
    [[nodiscard]] constexpr Stream of(Purpose purpose, std::uint64_t whose,
                                      std::uint64_t which = 0) const noexcept {
        return {keys_[static_cast<std::size_t>(purpose)], whose, which};
    }

private:
    std::array<std::uint64_t, purpose_count> keys_{};
};

// The same as a source of chance for the library's own objects. Owned by one call.
class StreamRandom final : public Random {
public:
    explicit StreamRandom(Stream stream) noexcept : stream_{stream} {}
    std::uint64_t bits() override { return stream_.bits(); }

private:
    Stream stream_;
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure
