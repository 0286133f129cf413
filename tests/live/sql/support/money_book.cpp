// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_book.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <ostream>
#include <utility>

#include "perdure/time/clock.hpp"

namespace perdure::live {
namespace {

constexpr Duration grace = 500ms;
constexpr std::size_t shown = 20;

void lie(Account& account, int& count, int number, const char* what, const Line& line,
         const Entry& entry) {
    ++count;
    const std::string rows =
        std::to_string(entry.transfers) + " rows, " + std::to_string(entry.postings) + " postings";
    account.wrong.emplace(number, rows);
    if (account.lies.size() >= shown) return;
    account.lies.push_back("transfer " + std::to_string(number) + ": " + what + " (" + rows +
                           "; told " + static_cast<char>(line.told) + " " + line.why + ")");
}

// What tells one failure from another.
std::string words(const Failure& failure) {
    return std::string{to_string(failure.cause)} + " " + failure.code + " stop " +
           std::string{to_string(failure.stop)} + " first " +
           std::string{to_string(failure.first_cause)};
}

}  // namespace

void MoneyBook::note(int number, const Result<std::int64_t>& result, Duration took) {
    Line line{.told = Told::success, .took = took};
    if (!result) {
        line.told = result.error().effect == Effect::none ? Told::none : Told::unknown;
        line.why = words(result.error());
        if (result.error().effect == Effect::applied) line.why = "applied " + line.why;
    } else if (*result != number) {
        line.told = Told::none;
        line.why = "another call's value";
    }
    note(number, std::move(line));
}

void MoneyBook::note(int number, Line line) {
    line.ended = system_clock().wall();
    at(number) = std::move(line);
    ended_.fetch_add(1, std::memory_order_relaxed);
}

void MoneyBook::compare(int number, const Entry& entry, Account& account) const {
    const Line& told = line(number);
    const bool there = entry.transfers > 0;
    if (entry.transfers > 1 || entry.postings > 2)
        lie(account, account.doubled, number, "happened more than once", told, entry);
    else if (entry.postings != 2 * entry.transfers || entry.sum != 0)
        lie(account, account.doubled, number, "happened in part", told, entry);
    switch (told.told) {
        case Told::nothing:
            if (there) lie(account, account.ghosts, number, "was never begun", told, entry);
            break;
        case Told::begun: ++account.killed; break;
        case Told::success:
            ++account.success;
            if (!there) lie(account, account.lost, number, "is not there", told, entry);
            break;
        case Told::none:
            ++account.none;
            if (there) lie(account, account.ghosts, number, "is there", told, entry);
            break;
        case Told::unknown:
            ++account.unknown;
            account.unknown_landed += there ? 1 : 0;
            break;
    }
}

Account MoneyBook::audit(const Books& books) const {
    Account account;
    account.lies = books.wrong;
    for (int number = 0; number < transfers(); ++number) {
        const auto found = books.entries.find(number);
        compare(number, found == books.entries.end() ? Entry{} : found->second, account);
        const Duration took = line(number).took;
        account.longest = std::max(account.longest, took);
        if (took > deadline_ + grace) ++account.late;
    }
    return account;
}

std::string MoneyBook::told_line(int number) const {
    const Line& told = line(number);
    const auto in_milliseconds = [](Duration duration) {
        return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    };
    return std::string{static_cast<char>(told.told)} + " at " +
           std::to_string(in_milliseconds(told.ended.time_since_epoch())) +
           " ms of the epoch, after " + std::to_string(in_milliseconds(told.took)) + " ms " +
           told.why;
}

std::string MoneyBook::failures() const {
    std::map<std::string, int> counts;
    for (const Line& each : lines_)
        if (!each.why.empty()) ++counts[static_cast<char>(each.told) + (" " + each.why)];
    std::string all;
    for (const auto& [why, count] : counts)
        all += "  " + std::to_string(count) + " × " + why + "\n";
    return all;
}

std::ostream& operator<<(std::ostream& out, const Account& account) {
    out << account.success << " done, " << account.none << " not done, " << account.unknown
        << " unknown (" << account.unknown_landed << " of them happened)";
    if (account.killed > 0) out << ", " << account.killed << " cut short";
    out << "; lost " << account.lost << ", doubled " << account.doubled << ", ghosts "
        << account.ghosts << ", late " << account.late << ", longest "
        << std::chrono::duration_cast<std::chrono::milliseconds>(account.longest).count() << " ms";
    for (const std::string& lie : account.lies) out << "\n  " << lie;
    return out;
}

}  // namespace perdure::live
