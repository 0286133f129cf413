// SPDX-License-Identifier: Apache-2.0
//
// What does a study say in words? Sentences for a row, and the three statements that open a report:
// what was done, what happened, what to change.
//
//     sentence(study, findings, row, point)
//     // "immediate: never recovered in 12 of 12 seeds; 2.86 attempts per call; 311 000 calls lost; …"
//
// Plain values, pure functions.
#pragma once

#include <string>
#include <vector>

#include "sim/sim_study.hpp"

namespace tool {

struct Told {
    const Study& study;
    const Findings& findings;
};

// Of one case, without the row's name.
std::string outcome_words(const Told& told, std::size_t row, std::size_t point = 0);
std::string sentence(const Told& told, std::size_t row, std::size_t point = 0);
// A value and the width of its interval: "28.8 ± 0.9 s".
std::string with_margin(const CaseFindings& found, std::string_view name);
// "3 of 3" for what is yes or no, else the mean; for a cell of a table.
std::string cell_words(const CaseFindings& found, std::string_view name);
std::string in_percent(double share);
std::string safe_words(const StudyRow& row);  // "33.3 %"; "–" where retries are not what bounds it
std::string joined(const std::vector<std::string>& parts, const char* between);
bool shown(const Study& study, std::string_view name);
std::size_t recovered_in(const CaseFindings& found);  // how many seeds
std::string time_words(Duration time);                // "300 s"
// Whether the rows' safe utilisation is part of the answer.
bool tells_safety(const Study& study);

struct Statements {
    std::string done{};
    std::string happened{};
    std::vector<std::string> points{};  // what happened, row by row
    std::vector<std::string> change{};
};
Statements statements(const Told& told);

// "capacity × 0.2 from 30 s to 40 s"
std::string trigger_words(const Trigger& trigger);

// The point of a sweep at which the rows differ most: where the sentences look.
std::size_t telling_point(const Told& told);

// What tells rows apart, in this order: the first of `show`, then recovery, lost calls and load.
std::vector<std::string> deciding(const Study& study);
// Whether two rows read the same in this metric.
bool alike(const Told& told, std::size_t point, std::size_t a, std::size_t b,
           std::string_view name);
// The rows from best to worst by these, and those that nothing tells apart from the best.
std::vector<std::size_t> ranked(const Told& told, std::size_t point);
std::vector<std::size_t> best_rows(const Told& told, std::size_t point);

enum class Verdict : unsigned char { good, mixed, bad, none };
// Whether it recovered: in all seeds, in some, in none; or nothing was asked of it.
Verdict verdict(const CaseFindings& found);

}  // namespace tool
