// SPDX-License-Identifier: Apache-2.0
//
// What is kept when the books of a run are wrong: a directory with
//
//     report.txt   the wrong transfers and their rows, and what the server says of its tables
//     told.txt     what the caller of each transfer was told, and when
//     calls.jsonl  Perdure's journal of the run
//     server/      the server's directory after a last kill -9: data, error log, general log
//
// The general log is there only with the switch `general-log`, which scripts/mariadb-kills turns on: see
// MariadbPlace::server_options.
#pragma once

#include <string>

#include "live/sql/support/money_book.hpp"

namespace perdure::live {

// A new directory under PERDURE_EVIDENCE, or under the temporary directory.
[[nodiscard]] std::string new_evidence_directory();

// For a WHERE: "transfer in (3, 17)", of the first thousand.
[[nodiscard]] std::string transfers_in(const WrongTransfers& wrong);

struct Evidence {
    std::string name{};     // of the run
    std::string report{};   // rows, and what the server says
    std::string server{};   // its directory; the server is down
    std::string journal{};  // the file
};
// Copies everything into a new directory and gives its path. Prints the report.
std::string keep_evidence(const Evidence& evidence, const MoneyBook& book, const Account& account);

}  // namespace perdure::live
