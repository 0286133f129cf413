// SPDX-License-Identifier: Apache-2.0
//
// What was done and what was not, and why? Half a batch is a result, not an error.
//
//     const BatchReport<> report = run_batch(…);
//     for (const Leftover& left : report.leftovers) dead_letters.push(puts[left.index], left.failure);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {

// An item that was not done, or of which nobody knows. The failure is its own last one: `attempts`
// says how often this item was sent, `effect` what became of it, `stop` why it was not sent again.
struct Leftover {
    std::size_t index = 0;
    Failure failure{};
};

// Plain values. Every item is either among the done or in `leftovers`, never both.
struct BatchTotals {
    std::size_t items = 0;
    std::size_t done = 0;
    std::vector<Leftover> leftovers{};  // by index
    int rounds = 0;                     // the most sends that one item took
    std::uint64_t sends = 0;
    Duration elapsed{};

    [[nodiscard]] bool complete() const noexcept { return leftovers.empty(); }
};

template <class T = void>
struct BatchReport : BatchTotals {
    std::vector<std::optional<T>> values{};  // in the order of the items; empty for what is left
};
template <>
struct BatchReport<void> : BatchTotals {};

}  // namespace v0
}  // namespace perdure
