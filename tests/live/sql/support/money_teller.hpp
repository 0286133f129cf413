// SPDX-License-Identifier: Apache-2.0
//
// A process of its own that moves money in a SQLite file with planned faults, and writes down what it
// was told, so that it may be killed at any time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/sql/support/money_book.hpp"

namespace perdure::live {

struct TellerOrders {
    std::string file{};    // the database
    std::string ledger{};  // where to write; appended to
    int first = 0;         // its transfers
    int count = 0;
    std::uint64_t seed = 1;
};

// How to start this program as a teller: `test` is the disabled test that calls teller_main().
[[nodiscard]] std::vector<std::string> teller_command(const std::string& test,
                                                      const TellerOrders& orders);
// Does what the environment says; gives the number of faults that were told.
int teller_main();

// What a teller wrote, into the book. Gives the number after the last transfer it had begun.
int read_ledger(const std::string& ledger, MoneyBook& book, int first);

}  // namespace perdure::live
