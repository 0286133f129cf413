// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_words.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/sim_report.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

std::string recovery_words(const CaseFindings& found, int seeds) {
    const std::size_t good = recovered_in(found);
    const std::string all = std::to_string(seeds) + (seeds == 1 ? " seed" : " seeds");
    if (good == 0) return "never recovered in " + all;
    const std::string after = with_margin(found, "recovery") + " after the trigger";
    if (good == static_cast<std::size_t>(seeds))
        return "recovered in " + std::to_string(good) + " of " + all + ", " + after;
    return "recovered in only " + std::to_string(good) + " of " + all + ", " + after;
}

// What a metric says inside a sentence.
std::string phrase(std::string_view name, const CaseFindings& found) {
    const double mean = found.mean(name);
    const std::string value = written(*metric(name), mean);
    if (name == "amplification") return value + " attempts per call";
    if (name == "lost") return value + (value == "1" ? " call lost" : " calls lost");
    if (name == "success") return value + " of the calls succeeded";
    if (name == "bottom") return value + " requests at the last service for each call";
    if (name == "peak") return "at most " + value;
    if (name == "peak_after") return "at most " + value + " after the trigger";
    if (name == "peak_tenth") return "peaks of " + value;
    if (name == "mean_rate") return value + " in the mean";
    if (name == "goodput") return value + " succeeded at the end";
    if (name == "timeouts") return value + " of the attempts given up";
    if (name == "refused") return value + " refused by the client itself";
    if (name == "wasted") return value + " of the work for nobody";
    if (name == "all_served") return "everybody served after " + value;
    if (name == "calls") return value + " calls";
    if (name == "time") return "done after " + value;
    return std::string{metric(name)->heading} + " " + value;
}

double score(const CaseFindings& found, const Metric& by) {
    double value = found.mean(by.name);
    if (std::isnan(value)) value = by.better == Better::less ? HUGE_VAL : -HUGE_VAL;
    return by.better == Better::less ? value : -value;
}

}  // namespace

bool shown(const Study& study, std::string_view name) {
    return std::ranges::find(study.show, name) != study.show.end();
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
    return text;
}

std::size_t recovered_in(const CaseFindings& found) {
    const sim::Summary summary = found.summary("recovered");
    return static_cast<std::size_t>(
        std::llround(summary.mean * static_cast<double>(summary.count)));
}

bool tells_safety(const Study& study) {
    return shown(study, "recovered") || shown(study, "bottom");
}

std::string time_words(Duration time) {
    if (time % 1s != 0s) return in_words(time);
    return with_commas(static_cast<double>(time / 1s)) + " s";
}

std::string in_percent(double share) { return three_digits(share * 100) + " %"; }

std::string safe_words(const StudyRow& row) {
    return row.safe_utilisation ? in_percent(*row.safe_utilisation) : "–";
}

std::string with_margin(const CaseFindings& found, std::string_view name) {
    const sim::Summary summary = found.summary(name);
    const Metric& what = *metric(name);
    if (summary.count == 0) return "–";
    if (summary.count < 2 || summary.margin == 0) return written(what, summary.mean);
    return written(what, summary.mean, summary.margin);
}

std::string cell_words(const CaseFindings& found, std::string_view name) {
    if (name == "recovered") {
        const sim::Summary summary = found.summary(name);
        if (summary.count == 0) return "–";
        return std::to_string(recovered_in(found)) + " of " + std::to_string(summary.count);
    }
    if (name == "recovery" && found.summary("recovered").count > 0 && recovered_in(found) == 0)
        return "never";
    return with_margin(found, name);
}

std::string trigger_words(const Trigger& trigger) {
    if (trigger.to == trigger.from) return trigger.text + " at " + time_words(trigger.from);
    if (trigger.to == never) return trigger.text + " from " + time_words(trigger.from) + " on";
    return trigger.text + " from " + time_words(trigger.from) + " to " + time_words(trigger.to);
}

std::string outcome_words(const Told& told, std::size_t row, std::size_t point) {
    const CaseFindings& found = told.findings.at(row, point);
    std::vector<std::string> parts;
    if (shown(told.study, "recovered") && found.summary("recovered").count > 0)
        parts.push_back(recovery_words(found, told.findings.seeds));
    for (const std::string& name : told.study.show)
        if (name != "recovered" && name != "recovery") parts.push_back(phrase(name, found));
    if (tells_safety(told.study))
        if (told.study.rows[row].safe_utilisation)
            parts.push_back("safe up to " + safe_words(told.study.rows[row]) + " utilisation");
    return joined(parts, "; ");
}

std::string sentence(const Told& told, std::size_t row, std::size_t point) {
    return told.study.rows[row].name + ": " + outcome_words(told, row, point);
}

Verdict verdict(const CaseFindings& found) {
    const sim::Summary summary = found.summary("recovered");
    if (summary.count == 0) return Verdict::none;
    const std::size_t good = recovered_in(found);
    return good == summary.count ? Verdict::good : good == 0 ? Verdict::bad : Verdict::mixed;
}

std::vector<std::string> deciding(const Study& study) {
    std::vector<std::string> names{study.show.front()};
    for (const char* name : {"recovered", "recovery", "lost", "amplification", "bottom"})
        if (study.kind == StudyKind::fleet && name != names.front()) names.emplace_back(name);
    for (const std::string& name : study.show)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
}

bool alike(const Told& told, std::size_t point, std::size_t a, std::size_t b,
           std::string_view name) {
    const Metric& what = *metric(name);
    return written(what, told.findings.at(a, point).mean(name)) ==
           written(what, told.findings.at(b, point).mean(name));
}

std::vector<std::size_t> ranked(const Told& told, std::size_t point) {
    std::vector<std::size_t> order(told.study.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto names = deciding(told.study);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        for (const std::string& name : names)
            if (!alike(told, point, a, b, name))
                return score(told.findings.at(a, point), *metric(name)) <
                       score(told.findings.at(b, point), *metric(name));
        return a < b;
    });
    return order;
}

std::vector<std::size_t> best_rows(const Told& told, std::size_t point) {
    std::vector<std::size_t> order = ranked(told, point);
    const auto names = deciding(told.study);
    const auto differs = [&](std::size_t row) {
        return !std::ranges::all_of(names, [&](const std::string& name) {
            return alike(told, point, order.front(), row, name);
        });
    };
    order.erase(std::ranges::find_if(order, differs), order.end());
    return order;
}

std::size_t telling_point(const Told& told) {
    if (told.study.sweep.look_at) return *told.study.sweep.look_at;
    std::size_t best = 0;
    double widest = -1;
    for (std::size_t point = 0; point < told.findings.points; ++point) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
            const double value = told.findings.at(row, point).mean(told.study.show.front());
            if (std::isnan(value)) continue;
            least = std::min(least, value);
            most = std::max(most, value);
        }
        if (most - least > widest) {
            widest = most - least;
            best = point;
        }
    }
    return best;
}

}  // namespace tool
