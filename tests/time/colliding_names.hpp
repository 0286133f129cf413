// SPDX-License-Identifier: Apache-2.0
//
// Names that all have one std::hash in libstdc++, which is MurmurHash64A with a published seed: the second
// eight bytes undo what the first did to the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace perdure::testing {

inline std::vector<std::string> colliding_names(std::size_t count) {
    constexpr std::uint64_t seed = 0xc70f6907U;
    constexpr std::uint64_t factor = 0xc6a4a7935bd1e995U;
    // Newton's iteration doubles the bits that are right; an odd number is its own inverse modulo 8.
    std::uint64_t inverse = factor;
    for (int i = 0; i < 5; ++i) inverse *= 2 - factor * inverse;
    const auto shifted = [](std::uint64_t word) { return word ^ word >> 47; };  // its own inverse
    const auto mixed = [&](std::uint64_t word) { return shifted(word * factor) * factor; };
    const auto unmixed = [&](std::uint64_t word) { return shifted(word * inverse) * inverse; };
    std::vector<std::string> names;
    for (std::uint64_t first = 1; first <= count; ++first) {
        const std::uint64_t state = ((seed ^ 16 * factor) ^ mixed(first)) * factor;
        const std::uint64_t second = unmixed(state ^ 42);  // any one state for all
        std::string name(16, '\0');
        std::memcpy(name.data(), &first, 8);
        std::memcpy(name.data() + 8, &second, 8);
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace perdure::testing
