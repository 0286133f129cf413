// SPDX-License-Identifier: Apache-2.0
//
// What callers were told about many transfers, to be held against the bank's books.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "live/sql/support/money_bank.hpp"

namespace perdure::live {

enum class Told : char {
    nothing = '-',  // never begun
    begun = 'b',    // whoever asked was killed before the answer
    success = 's',
    none = 'n',
    unknown = 'u'
};

struct Line {
    Told told = Told::nothing;
    Duration took{};
    std::string why{};  // of a failure
    WallTime ended{};
};

// Transfers that are not as they should be, with the numbers of their rows: "1 rows, 3 postings".
using WrongTransfers = std::map<int, std::string>;

// Numbers that are no promise, and lies, which must not be.
struct Account {
    int success = 0, none = 0, unknown = 0, killed = 0;
    int unknown_landed = 0;  // of the unknown ones, those that did happen
    int lost = 0;            // told success, not there
    int doubled = 0;         // there more than once, whatever was told
    int ghosts = 0;          // told none, but there; or there and never begun
    int late = 0;            // ended later than half a second after their deadline
    Duration longest{};
    std::vector<std::string> lies{};  // the first of them, and what is wrong with the sums
    WrongTransfers wrong{};           // all of them
};
std::ostream& operator<<(std::ostream& out, const Account& account);

// begin() and note() from any thread, each once for each number; the rest when all have ended.
class MoneyBook {
public:
    MoneyBook(int transfers, Duration deadline)
        : lines_(static_cast<std::size_t>(transfers)), deadline_{deadline} {}

    [[nodiscard]] int transfers() const noexcept { return static_cast<int>(lines_.size()); }
    [[nodiscard]] int ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
    void begin(int number) { at(number).told = Told::begun; }
    void note(int number, const Result<std::int64_t>& result, Duration took);
    void note(int number, Line line);
    [[nodiscard]] const Line& line(int number) const {
        return lines_[static_cast<std::size_t>(number)];
    }

    [[nodiscard]] Account audit(const Books& books) const;
    // What the caller was told and when, after how long, and the failure.
    [[nodiscard]] std::string told_line(int number) const;
    // How often each failure was told, a line each.
    [[nodiscard]] std::string failures() const;

private:
    [[nodiscard]] Line& at(int number) { return lines_[static_cast<std::size_t>(number)]; }
    void compare(int number, const Entry& entry, Account& account) const;

    std::vector<Line> lines_;
    Duration deadline_;
    std::atomic<int> ended_{0};
};

}  // namespace perdure::live
