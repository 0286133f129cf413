// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/money_evidence.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "live/sql/support/money_switches.hpp"
#include "live/support/sql_server.hpp"

namespace perdure::live {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_numbers = 1000;
constexpr std::size_t most_printed = 20'000;  // characters

void copy(const std::string& from, const std::string& to) {
    if (fs::exists(from)) must_run({"/bin/cp", "-a", from, to}, 300s);
}

}  // namespace

std::string new_evidence_directory() {
    const std::string named = money_setting("PERDURE_EVIDENCE");
    const fs::path parent = named.empty() ? fs::temp_directory_path() : fs::path{named};
    fs::create_directories(parent);
    std::string path = parent / "perdure-money-XXXXXX";
    if (!::mkdtemp(path.data())) give_up("cannot make " + path);
    return path;
}

std::string transfers_in(const WrongTransfers& wrong) {
    std::string list;
    std::size_t count = 0;
    for (const auto& [number, rows] : wrong) {
        if (++count > most_numbers) break;
        list += (list.empty() ? "" : ", ") + std::to_string(number);
    }
    return "transfer in (" + (list.empty() ? "-1" : list) + ")";
}

std::string keep_evidence(const Evidence& evidence, const MoneyBook& book, const Account& account) {
    const std::string place = new_evidence_directory();
    std::string report = evidence.name + "\n";
    for (const std::string& lie : account.lies) report += lie + "\n";
    for (const auto& [number, rows] : account.wrong)
        report += std::to_string(number) + ": " + rows + "; told " + book.told_line(number) + "\n";
    report += evidence.report;
    std::ofstream{place + "/report.txt"} << report;
    std::ofstream told{place + "/told.txt"};
    for (int number = 0; number < book.transfers(); ++number)
        told << number << " " << book.told_line(number) << "\n";
    copy(evidence.journal, place + "/calls.jsonl");
    copy(evidence.server, place + "/server");
    std::cout << report.substr(0, most_printed) << "kept in " << place << "\n";
    return place;
}

}  // namespace perdure::live
