// SPDX-License-Identifier: Apache-2.0
//
// What becomes of an order's rows when some of their keys are there already?
//
//     UnitRows unit{rows, order};
//     …all items of unit.open() are written, or: one of them was there…
//     unit.met(i, there);              // as it is there: the rows of that key are present or rejected
//     const UnitOutcome end = unit.outcome();
//
// A transaction takes each key once. Of several rows with one key the first is written, and the others
// are compared with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "load/target/dynamodb/dynamodb_rows.hpp"
#include "load/target/target.hpp"

namespace tool::load {

// If everything that is open is written.
struct UnitOutcome {
    std::uint64_t written = 0;
    std::uint64_t present = 0;
    std::vector<Rejected> rejected{};  // by record; without those the order came with
};

// One order's; used by the thread that writes it. Rows and order outlive it.
class UnitRows {
public:
    struct Candidate {
        perdure::dynamodb::Item item{};
        std::vector<std::size_t> rows{};  // with this key, in order; the first is the item
        std::size_t bytes = 0;            // of the item, as the service counts them
    };

    UnitRows(const ItemRows& rows, const Order& order);

    // Items that are not there, as far as is known.
    [[nodiscard]] const std::vector<Candidate>& open() const noexcept { return open_; }
    [[nodiscard]] std::size_t bytes() const noexcept;  // of all of them

    // Of open items, by their numbers: they are there, as it is given; or cannot be. They stay in
    // their places until drop_settled().
    void met(std::size_t candidate, const perdure::dynamodb::Item& there);
    void refuse(std::size_t candidate, const std::string& reason);
    void drop_settled();

    [[nodiscard]] UnitOutcome outcome() const;

private:
    enum class Fate : std::uint8_t { open, present, rejected };
    void reject(std::size_t row, std::string reason);
    void judge(std::size_t row, const perdure::dynamodb::Item& there,
               std::vector<Fate>& fates) const;

    const ItemRows& rows_;
    const Order& order_;
    std::vector<Candidate> open_{};
    std::vector<Fate> fates_{};           // of each row of the order
    std::vector<std::string> reasons_{};  // of each that is rejected, else empty
};

}  // namespace tool::load
