// SPDX-License-Identifier: Apache-2.0
//
// How does a test take the chance out of jitter? It says what every draw shall be.
//
//     perdure::testing::FixedRandom ceiling{1.0};            // full jitter at its upper edge
//     perdure::testing::ListedRandom swings{{0.1, 0.9}};     // 0.1, 0.9, 0.1, …
#pragma once

#include "perdure/time/random.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace testing {

// The 64 bits that stand where `value` stands between 0 and 1; 1.0 is all ones.
inline std::uint64_t bits_of(double value) noexcept {
    assert(value >= 0.0 && value <= 1.0);
    if (value >= 1.0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(value * 0x1.0p64);
}

// Always the same draw, from 0.0 to 1.0 inclusive. Any thread.
class FixedRandom final : public Random {
public:
    explicit FixedRandom(double value) noexcept : value_{value} {}

    std::uint64_t bits() override { return bits_of(value_); }
    double next() override { return value_; }

private:
    double value_;
};

// The listed draws in turn, from the start again after the last. Owned by one thread.
class ListedRandom final : public Random {
public:
    explicit ListedRandom(std::vector<double> values) : values_{std::move(values)} {
        assert(!values_.empty());
    }

    std::uint64_t bits() override { return bits_of(next()); }
    double next() override { return values_[drawn_++ % values_.size()]; }

    // How often chance was asked: jitter that should not be drawn shows here.
    std::size_t drawn() const noexcept { return drawn_; }

private:
    std::vector<double> values_;
    std::size_t drawn_ = 0;
};

}  // namespace testing
}  // namespace v0
}  // namespace perdure
