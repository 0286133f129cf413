// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/random.hpp"

namespace perdure {
inline namespace v0 {
namespace {

// Spreads one word over the four: seeds 1, 2, 3, … must not give related streams.
std::uint64_t split_mix(std::uint64_t& state) noexcept {
    state += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

}  // namespace

Random::~Random() = default;

double Random::next() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

SeededRandom::SeededRandom(std::uint64_t seed) noexcept {
    // Four successive outputs are four different words, so the state cannot be all zero.
    for (auto& word : generator_.state) word = split_mix(seed);
}

}  // namespace v0
}  // namespace perdure
