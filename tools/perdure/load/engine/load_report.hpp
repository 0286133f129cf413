// SPDX-License-Identifier: Apache-2.0
//
// What does a load say when it is over? An account that adds up, as text for people and as one line of
// JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "load/engine/account.hpp"
#include "load/engine/crew.hpp"
#include "load/engine/preparation.hpp"
#include "load/engine/verify.hpp"
#include "perdure/duration.hpp"

namespace tool::load {

struct Report {
    std::string target{};  // without secrets
    std::string table{};
    std::size_t inputs = 0;
    Account run{};    // this one
    Account whole{};  // with earlier ones of the same inputs
    std::uint64_t read_again = 0;
    TargetCounts counts{};
    perdure::Duration elapsed{};
    int workers = 0;
    std::size_t batch = 0;
    std::vector<std::string> rejections{};  // "orders.csv:17: …", a few
    std::string side_file{};                // empty: nothing was rejected
    std::optional<Ending> stopped{};
    int signal = 0;
    std::string how_to_go_on = "the same command goes on where this one stopped";
    std::optional<Verification> verified{};
    std::vector<NothingNew> nothing_new{};
    std::vector<std::string> remarks{};
    std::optional<RowsLeft>
        rows_left{};             // of the table, after an input that had changed was read again
    std::string made_columns{};  // "id integer, name text": of a table this load made
    int status = 0;              // what the command ends with
};

std::string in_words(const Report& report);
std::string to_json(const Report& report);

// A load that failed before it began.
std::string refusal_json(const perdure::Failure& failure, const Report& report, int status);
// "id integer, name text"
std::string columns_in_words(const Schema& schema);

// What --dry-run says. `done`: records that earlier runs have dealt with, for each input.
struct Intent {
    const Preparation* preparation = nullptr;
    std::string target{};
    std::string table{};
    std::string create_statement{};  // empty: the table is there
    std::vector<std::uint64_t> done{};
    std::vector<std::string>
        changed{};  // since then: how; empty: it has not, or there is no telling
    int workers = 0;
    std::size_t batch = 0;
};
std::string in_words(const Intent& intent);
std::string to_json(const Intent& intent);

}  // namespace tool::load
