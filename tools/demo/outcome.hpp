// SPDX-License-Identifier: Apache-2.0
//
// What came of it? Everything the screen and the report speak of, counted and not claimed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "orders.hpp"
#include "trial.hpp"

namespace demo {

struct Outcome {
    Trial trial{};
    Comparison table{};
    Rejections rejected{};
    std::uint64_t faults = 0;  // that it met, as far as it lived to write them down
    std::string command{};     // of its last start
};

struct Demonstration {
    Source source{};
    std::uint64_t seed = 0;
    double faults = 0;
    std::uint64_t batch = 0;
    std::string folder{};
    std::string report{};
    Outcome naive{};
    Outcome perdure{};
    bool verified = false;         // by `perdure load --verify` itself
    std::uint64_t read_again = 0;  // by its last start
};

// Nothing lost, doubled, altered or made up, exactly the broken lines rejected, and its own account
// and verification say the same.
[[nodiscard]] bool perdure_kept_its_word(const Demonstration& all);

// One or two sentences that follow from the numbers, whichever they are.
[[nodiscard]] std::string perdure_verdict(const Demonstration& all);
[[nodiscard]] std::string naive_verdict(const Demonstration& all);

}  // namespace demo
