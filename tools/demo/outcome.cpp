// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include "exit_code.hpp"
#include "text/thousands.hpp"

namespace demo {

using tool::thousands;

namespace {

std::string faults_in(const Comparison& table) {
    std::string text;
    const auto add = [&](std::uint64_t count, const char* what, const char* how) {
        if (count == 0) return;
        text +=
            (text.empty() ? "" : ", ") + thousands(count) + what + (count == 1 ? "" : "s") + how;
    };
    add(table.lost, " order", " lost");
    add(table.doubled, " row", " doubled");
    add(table.altered, " row", " altered");
    add(table.strangers, " row", " of no order");
    return text;
}

bool rejected_the_broken(const Demonstration& all, const Outcome& outcome) {
    return outcome.rejected.right == all.source.broken_lines.size() && outcome.rejected.wrong == 0;
}

}  // namespace

bool perdure_kept_its_word(const Demonstration& all) {
    return all.perdure.table.good() && all.perdure.table.exact == all.source.orders &&
           rejected_the_broken(all, all.perdure) && all.verified &&
           all.perdure.trial.status == tool::exit_code::rejected;
}

std::string perdure_verdict(const Demonstration& all) {
    const Comparison& table = all.perdure.table;
    if (perdure_kept_its_word(all))
        return "Perdure lost nothing and doubled nothing: all " + thousands(table.exact) +
               " orders are there, once, value for value.";
    std::string text = "PERDURE DID NOT KEEP ITS WORD: ";
    const std::string wrong = faults_in(table);
    if (!wrong.empty()) return text + wrong + ".";
    if (!rejected_the_broken(all, all.perdure))
        return text + "it rejected " + thousands(all.perdure.rejected.right) + " of " +
               thousands(all.source.broken_lines.size()) + " broken lines, and " +
               thousands(all.perdure.rejected.wrong) + " good ones.";
    if (!all.verified) return text + "the table is right, but --verify did not say so.";
    return text + "the table is right, but its exit status was " +
           std::to_string(all.perdure.trial.status) + ".";
}

std::string naive_verdict(const Demonstration& all) {
    const std::string wrong = faults_in(all.naive.table);
    if (wrong.empty()) return "The naive loader was lucky this time; another seed shows more.";
    return "The naive loader: " + wrong + ". It ended with exit status " +
           std::to_string(all.naive.trial.status) + ".";
}

}  // namespace demo
