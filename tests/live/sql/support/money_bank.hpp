// SPDX-License-Identifier: Apache-2.0
//
// A bank whose books show every transfer that happened, and how often: accounts, one row for each
// transfer, and two postings for each, which no key keeps from being there twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/sql/database.hpp"
#include "perdure/sql/transaction.hpp"

namespace perdure::live {

inline constexpr int money_accounts = 2048;
inline constexpr std::int64_t money_each = 100'000;  // cents, at the beginning

// From one account to another; its number is its key.
struct Transfer {
    std::int64_t id = 0;
    std::int64_t cents = 0;
    std::int64_t first = 0;  // the account that is locked first, in no order, so that some deadlock
    std::int64_t second = 0;
};
// How many of the transfers want the same six accounts: every sixteenth, or every other.
enum class Crowd : std::uint8_t { small, large };
// The same for the same arguments.
[[nodiscard]] Transfer transfer_of(std::uint64_t seed, int number, Crowd crowd = Crowd::small);

// Whether the key of a transfer is unique. Without, whoever runs one twice is not told.
enum class Keyed : std::uint8_t { yes, no };

// Made anew, whatever was there. Its failures end the test program. A posting has the serial number of
// its INSERT in this process; on a server also the connection, the server's time and the start of the
// server that wrote it. It has no primary key unless the switch `key` is on (money_switches.hpp): the loss of
// rows that docs/reference/mariadb-kills.md describes needs a table without one.
void found_bank(sql::Database& database, Keyed keyed = Keyed::yes);
// The body of a transaction; gives the transfer's number.
Result<std::int64_t> move_money(sql::Transaction& tx, const Transfer& transfer);
// The same statements with their values in the text. MariaDB only: EXECUTE IMMEDIATE is the statement
// that it does not prepare, so the driver sends it as text (COM_QUERY). In a comment that only MariaDB
// executes, because Perdure takes a visible EXECUTE for a procedure that may commit.
Result<std::int64_t> move_money_as_text(sql::Transaction& tx, const Transfer& transfer);
// For `landed` and `verify`.
Result<bool> was_moved(sql::Transaction& tx, std::int64_t id);

// What the books say about one transfer.
struct Entry {
    int transfers = 0;
    int postings = 0;
    std::int64_t sum = 0;  // of its postings: nothing comes and nothing goes
};
struct Books {
    std::map<std::int64_t, Entry> entries{};
    std::vector<std::string> wrong{};  // accounts that are not the sum of their postings; the total
};
// Read when nobody writes any more.
[[nodiscard]] Books read_books(sql::Database& database);

// Ends the test program: for what must not fail in a test's preparations.
void must(const Result<void>& result, std::string_view what);

}  // namespace perdure::live
