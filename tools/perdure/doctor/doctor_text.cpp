// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "doctor/report.hpp"
#include "doctor/words.hpp"

namespace tool::doctor {

namespace {

constexpr std::size_t label_width = 11;
constexpr std::size_t line_width = 96;

// "label      text", broken between words and set in below itself.
std::string item(std::string label, const std::string& text) {
    label.resize(std::max(label.size(), label_width), ' ');
    std::string whole, line = label;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        const bool fresh = line.size() == label_width;
        if (!fresh && !word.starts_with('%') && line.size() + 1 + word.size() > line_width) {
            whole += line + "\n";
            line = std::string(label_width, ' ') + word;
        } else {
            line += (fresh ? "" : " ") + word;
        }
        start = end + 1;
    }
    return whole + line + "\n";
}

std::string cell(std::string text, std::size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

std::string left(std::string text, std::size_t width) {
    if (text.size() > width) text = text.substr(0, width - 2) + "..";
    text.resize(width, ' ');
    return text;
}

std::string verdict(const Report& report) {
    const Root root = report.diagnosis.verdict;
    std::string text =
        item("verdict", (root == Root::healthy ? "" : "most likely: ") + report.headline);
    if (root == Root::healthy) return text;
    for (const Evidence& evidence : report.diagnosis.about(root)->evidence)
        text += item("", "- " + evidence.text);
    if (const auto also = report.diagnosis.also) {
        text += item("also", std::string{to_string(*also)} + ": " +
                                 report.diagnosis.about(*also)->evidence.front().text);
    }
    return text;
}

std::string calls(const Report& report) {
    const Facts& facts = report.facts;
    const Tally& tally = report.tally;
    std::string text =
        number_words(tally.calls) + ", " + rest_percent(facts.failed.value()) + " succeeded (SLA " +
        rest_percent(1 - facts.wishes.sla) + (report.options.sla_given ? "" : ", assumed") +
        (facts.outside_sla() ? ": missed" : ": met") + "); " + percent(facts.affected.value()) +
        " affected, " + percent(Share{tally.failed, tally.calls}.value()) + " failed";
    if (tally.answered_no > 0)
        text += "; " + percent(Share{tally.answered_no, tally.calls}.value()) +
                " answered with no (conflict, not found, …)";
    return item("calls", text) +
           item("", utc(tally.first) + " to " + utc(tally.last) + ", " + instances_words(report));
}

std::string retries(const Report& report) {
    const Facts& facts = report.facts;
    const Tally& tally = report.tally;
    std::string text = decimal(facts.amplification, 3) + " attempts per call; ";
    text += facts.useful.of == 0
                ? "no call was retried"
                : percent(facts.useful.value()) + " of " + number_words(facts.useful.of) +
                      " retried calls then succeeded";
    if (tally.hedges > 0)
        text += "; " + number_words(tally.hedges) + " hedges, " +
                percent(Share{tally.hedges_won, tally.hedges}.value()) + " of them won";
    if (tally.stopped_by_budget > 0)
        text += "; the budget refused " + number_words(tally.stopped_by_budget) + " times";
    return item("retries", text);
}

std::string parts(const Report& report) {
    std::string text = item("p99", p99_words(report));
    std::string list;
    for (std::size_t i = 0; i < part_count; ++i) {
        const auto part = static_cast<Part>(i);
        const double share =
            report.tally.elapsed_sum <= 0 ? 0 : report.tally.sums[i] / report.tally.elapsed_sum;
        if (share < 0.01) continue;
        list += (list.empty() ? "" : ", ") + part_words(part) + " " + percent(share);
    }
    return list.empty() ? text : text + item("", "of all time: " + list);
}

std::string codes(const Report& report) {
    const auto list = codes_of(report);
    if (list.empty()) return item("codes", "no attempt failed");
    constexpr std::size_t most = 6;
    std::string text = left("codes", label_width) + left("dependency", 20) + left("code", 24) +
                       left("cause", 13) + cell("attempts", 10) + cell("retry", 7) +
                       cell("covered", 9) + "\n";
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
        const Code& code = *list[i];
        const Share covered{code.calls - code.calls_failed, code.calls};
        text += std::string(label_width, ' ') + left(shown(code.dependency), 20) +
                left(shown(code.code), 24) + left(std::string{to_string(code.cause)}, 13) +
                cell(number_words(code.attempts), 10) +
                cell(is_repeatable(code.cause) ? "yes" : "no", 7) +
                cell(percent(covered.value()), 9) + "\n";
    }
    if (list.size() > most)
        text += item("", "and " + std::to_string(list.size() - most) + " more; --json has them");
    return text;
}

std::string groups(const Report& report) {
    const auto list = groups_of(report);
    if (list.empty()) return {};
    constexpr std::size_t most = 12;
    std::string text =
        left(report.options.by == By::operation ? "operation" : "dependency", label_width + 38) +
        cell("calls", 10) + cell("affected", 10) + cell("failed", 10) + cell("p99", 12) + "\n";
    for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
        const Group& group = *list[i].second;
        text += std::string(label_width, ' ') + left(shown(list[i].first), 38) +
                cell(number_words(group.calls), 10) +
                cell(percent(Share{group.affected, group.calls}.value()), 10) +
                cell(percent(Share{group.failed, group.calls}.value()), 10) +
                cell(time_words(static_cast<std::int64_t>(group.elapsed.quantile(0.99))), 12) +
                "\n";
    }
    return text;
}

std::string remarks(const Report& report) {
    const Account& account = report.account;
    std::string text;
    if (account.bad > 0)
        text +=
            item("note", number_words(account.bad) + " of " + number_words(account.lines) +
                             " lines could not be read; the first: " + shown(account.first_bad));
    if (const std::uint64_t overran = report.tally.overran; overran > 0)
        text +=
            item("note", number_words(overran) + (overran == 1 ? " attempt" : " attempts") +
                             " ended after the deadline: the work must end by attempt.deadline");
    if (account.dropped > 0)
        text += item("note", "the writers dropped " + number_words(account.dropped) + " lines");
    return text;
}

std::string hand_over(const Report& report) {
    std::string text;
    for (const Example& one : report.examples)
        text +=
            item(text.empty() ? "hand over" : "",
                 utc(one.time) + " " + shown(one.instance) + " " + shown(one.dependency) + " " +
                     shown(one.operation) + (one.address.empty() ? "" : " " + shown(one.address)) +
                     ": " + shown(one.code) +
                     (one.request_id.empty() ? "" : ", request " + shown(one.request_id)));
    return text;
}

}  // namespace

std::string as_text(const Report& report) {
    std::string text = verdict(report) + "\n" + calls(report) + parts(report) + retries(report) +
                       codes(report) + groups(report) + remarks(report) + "\n";
    const char* label = "do";
    for (const std::string& step : report.next_steps) {
        text += item(label, step);
        label = "";
    }
    text += hand_over(report);
    return text + "\ncontact support: " + (report.support.contact ? "yes" : "no") + ", because " +
           report.support.because + "\n";
}

}  // namespace tool::doctor
