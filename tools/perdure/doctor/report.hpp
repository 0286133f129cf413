// SPDX-License-Identifier: Apache-2.0
//
// What does the doctor say? Everything that is told, before it becomes text, JSON or a page.
//
//     const Report report = report_on(std::move(tallies), account, options);
//     print(as_text(report));
#pragma once

#include <string>
#include <vector>

#include "doctor/causes.hpp"
#include "doctor/journal_file.hpp"

namespace tool::doctor {

enum class By : unsigned char { nothing, operation, dependency };

struct Options {
    std::vector<std::string> files{};
    Wishes wishes{};
    bool sla_given = false;
    Window window{};
    By by = By::nothing;
};

struct Support {
    bool contact = false;
    std::string because{};
};

struct Report {
    Options options{};
    Account account{};
    Tally tally{};
    Facts facts{};
    // The dependency that stands out, if the verdict is about it alone; else everything again.
    std::string scope{};
    Tally scope_tally{};
    Facts scope_facts{};
    Diagnosis diagnosis{};
    std::string headline{};  // "most likely: one sick instance (host-7)"
    std::vector<std::string> next_steps{};
    std::vector<Example> examples{};  // to hand over
    Support support{};
};

Report report_on(Tallies tallies, Account account, Options options);

std::string as_text(const Report& report);
std::string as_json(const Report& report);
std::string as_page(const Report& report);

// Codes by how often they came, most first.
std::vector<const Code*> codes_of(const Report& report);
// "all 12 instances", "a subset: host-7"
std::string instances_words(const Report& report);
std::string p99_words(const Report& report);
// The part of the time that p99 owes most to, if it owes a fifth or more.
std::optional<Part> main_part(const Facts& facts);
std::string part_words(Part part);
// For the table by operation or dependency: its groups, most calls first.
std::vector<std::pair<std::string, const Group*>> groups_of(const Report& report);

}  // namespace tool::doctor
