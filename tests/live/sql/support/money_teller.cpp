// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_teller.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "live/sql/support/money_run.hpp"
#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/sqlite.hpp"

namespace perdure::live {
namespace {

std::string this_program() {
    std::array<char, 4096> path{};
    const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
    return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TellerOrders orders_from_environment() {
    TellerOrders orders;
    const char* const text = std::getenv("PERDURE_TELLER");  // NOLINT(concurrency-mt-unsafe)
    std::istringstream{text ? text : ""} >> orders.file >> orders.ledger >> orders.first >>
        orders.count >> orders.seed;
    return orders;
}

// One line in one system call: it is there whole, or not at all.
void write_line(int ledger, const std::string& line) {
    if (::write(ledger, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::abort();
}

sql::FaultChances chances(std::uint64_t seed) {
    return {.seed = seed,
            .open = {.fail_before = 0.02},
            .begin = {.fail_before = 0.01},
            .execute = {.fail_before = 0.005, .fail_after = 0.005},
            .commit = {.fail_before = 0.05, .fail_after = 0.05, .half_open = 0.05},
            .half_open_for = 20ms};
}

}  // namespace

std::vector<std::string> teller_command(const std::string& test, const TellerOrders& orders) {
    std::ostringstream told;
    told << "PERDURE_TELLER=" << orders.file << ' ' << orders.ledger << ' ' << orders.first << ' '
         << orders.count << ' ' << orders.seed;
    return {find_program("env"), told.str(), this_program(), "--gtest_also_run_disabled_tests",
            "--gtest_filter=" + test};
}

int teller_main() {
    const TellerOrders orders = orders_from_environment();
    const int ledger =
        ::open(orders.ledger.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    sql::PlannedFaults faults;
    faults.by_chance(chances(orders.seed));
    sql::Database bank{
        sql::with_faults(
            must_drive(sql::sqlite(orders.file, {.synchronous = sql::Synchronous::normal})),
            faults),
        {.tokens = {.use = sql::TokenUse::create, .purge_every = {}}}};
    const auto transact = with_transact(bank);
    MoneyBook local{orders.count, 10s};
    {
        const Clock& clock = system_clock();
        const auto call = [&](const Transfer& planned) -> Result<std::int64_t> {
            Transfer transfer = planned;
            transfer.id += orders.first;
            write_line(ledger, "b " + std::to_string(transfer.id) + "\n");
            const TimePoint start = clock.now();
            const auto result = transact(transfer);
            MoneyBook one{static_cast<int>(transfer.id) + 1, 10s};
            one.note(static_cast<int>(transfer.id), result, clock.now() - start);
            const Line& line = one.line(static_cast<int>(transfer.id));
            write_line(ledger, "e " + std::to_string(transfer.id) + " " +
                                   static_cast<char>(line.told) + " " +
                                   std::to_string(line.took.count()) + " " + line.why + "\n");
            return planned.id;
        };
        const Tellers tellers{local, orders.seed, call, Crowd::small, 4};
    }
    ::close(ledger);
    return faults.counts().faults;
}

int read_ledger(const std::string& ledger, MoneyBook& book, int first) {
    std::istringstream lines{read_file(ledger)};
    int next = first;
    for (std::string text; std::getline(lines, text);) {
        std::istringstream words{text};
        char what = 0;
        int number = 0;
        words >> what >> number;
        next = std::max(next, number + 1);
        if (what == 'b') {
            book.begin(number);
            continue;
        }
        char told = 0;
        Duration::rep took = 0;
        words >> told >> took >> std::ws;
        Line line{.told = Told{told}, .took = Duration{took}};
        std::getline(words, line.why);
        book.note(number, std::move(line));
    }
    return next;
}

}  // namespace perdure::live
