// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "text/duration_text.hpp"
#include "tune/tune_show.hpp"
#include "tune/tune_words.hpp"

namespace tool {

namespace {

constexpr std::size_t label_width = 11;
constexpr std::size_t line_width = 96;

// "label      text", broken between words and set in below itself.
std::string item(std::string label, const std::string& text) {
    label.resize(std::max(label.size(), label_width), ' ');
    std::string whole, line = label;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        const bool fresh = line.size() == label_width;
        if (!fresh && line.size() + 1 + word.size() > line_width) {
            whole += line + "\n";
            line = std::string(label_width, ' ') + word;
        } else {
            line += (fresh ? "" : " ") + word;
        }
        start = end + 1;
    }
    return whole + line + "\n";
}

std::string cell(const std::string& text, std::size_t width) {
    std::string out = text;
    // Characters of more than one byte would count twice; there are none in numbers.
    if (out.size() < width) out.insert(0, width - out.size(), ' ');
    return out;
}

std::string known(const std::optional<Duration>& wait) { return wait ? in_words(*wait) : "?"; }

std::string percentiles(const TuneReport& report) {
    const std::string name = percentile_name(report.options.false_timeouts);
    constexpr std::size_t width = 12;
    std::string text = "percentiles" + cell("samples", width) + cell("p50", width) +
                       cell(name, width) + cell("at most", width) + "\n";
    const auto row = [&](std::string label, const Part& part) {
        label.resize(label_width, ' ');
        text += label + cell(grouped(part.count), width) + cell(known(part.tuning.median), width) +
                cell(known(part.tuning.percentile), width) + cell(known(part.tuning.bound), width) +
                "\n";
    };
    if (report.blocks.all.size() > 1 && report.blocks.worst) row("  worst", report.ground());
    row("  all", report.blocks.whole);
    return text;
}

std::string cliff(const TuneReport& report) {
    const std::string name = percentile_name(report.options.false_timeouts);
    const std::string here = "at " + in_words(*report.timeout);
    const bool busy = report.options.utilisation.has_value();
    constexpr std::size_t width = 13;
    std::string text = "cliff      false timeouts when latency grows, and attempts per call";
    text += busy ? ", and how busy it gets\n" : "\n";
    text += "           " + cell(here, width) + cell("load", 8) + (busy ? cell("busy", 9) : "") +
            cell("at " + name, width) + cell("load", 8) + (busy ? cell("busy", 9) : "") + "\n";
    const auto side = [&](const CliffSide& one) {
        return cell(percent(one.false_timeouts), width) + cell("x" + decimal(one.load, 3), 8) +
               (busy ? cell(percent(*one.busy), 9) : "");
    };
    for (const CliffRow& row : report.cliff) {
        std::string label = row.growth > 0 ? "  +" + percent(row.growth) : "  as is";
        label.resize(label_width, ' ');
        text += label + side(row.recommended) + side(row.bare) + "\n";
    }
    return text;
}

std::string plan(const TuneReport& report) {
    const FittingPlan& fitting = *report.plan;
    const Plan& plan = fitting.plan;
    std::string text =
        item("plan", std::to_string(plan.rule.attempts) +
                         (plan.rule.attempts == 1 ? " attempt of " : " attempts of ") +
                         in_words(plan.attempt_timeout) + " and waits of " +
                         in_words(fitting.longest_wait) + " at most take " +
                         in_words(fitting.longest) + "; deadline " + in_words(plan.deadline));
    const std::string code = as_cpp(plan);
    for (std::size_t start = 0; start < code.size();) {
        const std::size_t end = std::min(code.find('\n', start), code.size());
        text += std::string(label_width, ' ') + code.substr(start, end - start) + "\n";
        start = end + 1;
    }
    return text;
}

std::string refusal(const TuneReport& report) {
    const Tuning& tuning = report.ground().tuning;
    return item("timeout", "no recommendation: " + tuning.reason);
}

}  // namespace

std::string as_text(const TuneReport& report) {
    std::string text;
    if (report.timeout) {
        text += item("timeout", in_words(*report.timeout));
        text += item("", report.ground().tuning.reason);
        if (report.options.network > Duration::zero())
            text += item("", "plus " + in_words(report.options.network) + " for the network");
    } else {
        text += refusal(report);
    }
    text += item("", ground_words(report));
    text += item("samples", samples_words(report)) + "\n" + percentiles(report);
    if (report.timeout) text += "\n" + cliff(report) + "\n" + plan(report);
    if (report.tipping) text += "\n" + item("tipping", tipping_words(*report.tipping));
    if (!report.warnings.empty()) text += "\n";
    for (const std::string& warning : report.warnings) text += item("note", warning);
    text += "\n";
    const char* label = "do";
    for (const std::string& advice : advice_of(report)) {
        text += item(label, advice);
        label = "";
    }
    return text;
}

}  // namespace tool
