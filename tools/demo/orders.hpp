// SPDX-License-Identifier: Apache-2.0
//
// What is loaded? A file of orders as a shop would export it, JSON lines, the same for the same seed,
// with a few lines in it that no loader should take.
//
//     const auto source = write_orders("orders.jsonl", 100000, 7);
//     const auto order = parse_order(line);      // a failure says what is wrong with the line
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/result.hpp"

namespace demo {

using namespace perdure;

// A plain value. The id is the number of its line.
struct Order {
    std::int64_t id = 0;
    std::string customer{};
    std::string item{};
    std::int64_t cents = 0;
    std::string note{};
    std::string placed_at{};

    friend bool operator==(const Order&, const Order&) = default;
};

struct Source {
    std::string path{};
    std::uint64_t orders = 0;                   // good ones
    std::vector<std::uint64_t> broken_lines{};  // cut off, not UTF-8, a word for a number
    std::uint64_t bytes = 0;
};

Result<Source> write_orders(const std::string& path, std::uint64_t orders, std::uint64_t seed);

// One line of the file, without its end. May be called from any thread.
Result<Order> parse_order(const std::string& line);

}  // namespace demo
