// SPDX-License-Identifier: Apache-2.0
#include "sim/sim_words.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/sim_report.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

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
    if (name == "lost") return value + " calls lost";
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

std::string trigger_list(const Study& study) {
    std::vector<std::string> parts;
    for (const Trigger& trigger : study.triggers) parts.push_back(trigger_words(trigger));
    return joined(parts, "; ");
}

std::string at_point(const Study& study, std::size_t point) {
    if (study.sweep.key.empty()) return {};
    return " (" + study.sweep.label + ": " + study.sweep.values[point] + ")";
}

double score(const CaseFindings& found, const Metric& by) {
    double value = found.mean(by.name);
    if (std::isnan(value)) value = by.better == Better::less ? HUGE_VAL : -HUGE_VAL;
    return by.better == Better::less ? value : -value;
}

std::string load_words(const sim::Clients& clients) {
    const std::string count = with_spaces(clients.count);
    std::string who = count + (clients.count == 1 ? " client" : " clients");
    double most = 0, least = HUGE_VAL;
    for (const sim::RatePoint& point : clients.rate) {
        most = std::max(most, point.per_second);
        least = std::min(least, point.per_second);
    }
    switch (clients.arrivals) {
        case sim::Arrivals::open:
            return who + (clients.count == 1 ? " makes " : " make ") +
                   (least < most ? with_spaces(least) + " to " : "") + with_spaces(most) +
                   " calls/s";
        case sim::Arrivals::closed: return who + ", each with one call at a time";
        case sim::Arrivals::once: return who + " make one call each";
        case sim::Arrivals::periodic:
            return who + " make one call every " + time_words(clients.period);
    }
    return who;
}

std::string fleet_words(const sim::Scenario& scenario) {
    const sim::Service& entry = scenario.services.front();
    std::string text = load_words(scenario.clients);
    if (entry.workers != sim::unlimited && entry.work.mean() > 0)
        text += " to a service that can do " +
                with_spaces(1e9 / entry.work.mean() * entry.workers * entry.replicas) + "/s";
    return text + ".";
}

std::string what_was_done(const Told& told) {
    const Study& study = told.study;
    std::string text;
    const auto* fleet = std::get_if<sim::Scenario>(&study.cases.front().what);
    if (fleet) text = fleet_words(*fleet) + " ";
    const std::string triggers = trigger_list(study);
    if (!triggers.empty() && study.sweep.key.empty()) text += "Trigger: " + triggers + ". ";
    text += std::to_string(study.rows.size()) + (study.rows.size() == 1 ? " row" : " rows");
    if (!study.sweep.key.empty())
        text +=
            " at " + std::to_string(study.sweep.values.size()) + " values of " + study.sweep.label;
    text += ", " + std::to_string(told.findings.seeds) +
            (told.findings.seeds == 1 ? " seed each" : " seeds each");
    if (fleet && fleet->clients.arrivals != sim::Arrivals::once)
        text += ", " + time_words(fleet->duration) + " of simulated time";
    return text + ".";
}

// In which rows the fleet came back, if that was the question.
std::string recovery_summary(const Told& told) {
    std::vector<std::string> back, stuck;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const CaseFindings& found = told.findings.at(row);
        (recovered_in(found) > 0 ? back : stuck).push_back(told.study.rows[row].name);
    }
    if (stuck.empty()) return "The fleet recovered in every row.";
    if (back.empty()) return "It recovered in no row: the trigger is gone, the outage stays.";
    return "**" + joined(stuck, ", ") +
           "**: never recovered in any seed, long after the trigger "
           "was gone. **" +
           joined(back, ", ") + "**: came back without help.";
}

std::string best_and_worst(const Told& told, std::size_t point) {
    const Metric& by = *metric(told.study.show.front());
    const auto order = ranked(told, point);
    const auto words = [&](std::size_t row) {
        return "**" + told.study.rows[row].name + "** " +
               cell_words(told.findings.at(row, point), by.name);
    };
    std::string text = "By " + std::string{by.heading} + at_point(told.study, point) + ": best " +
                       words(order.front());
    if (order.size() > 1) text += ", worst " + words(order.back());
    return text + ".";
}

// How far up it went well, and from where on it did so again on the way down.
std::string loop_words(const Told& told) {
    std::string text;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        double up = 0, down = 0;
        bool lost_up = false, lost_down = false;
        for (const LoadBin& bin : hysteresis_bins(told, row, 24)) {
            lost_up = lost_up || !(bin.up >= 0.9 * bin.offered);
            lost_down = lost_down || !(bin.down >= 0.9 * bin.offered);
            if (!lost_up) up = bin.offered;
            if (!lost_down) down = bin.offered;
        }
        text += (text.empty() ? "" : " ") + ("**" + told.study.rows[row].name + "**") +
                " went well up to " + with_spaces(up) + " calls/s" +
                (down < 0.9 * up ? ", and again only below " + with_spaces(down) + "."
                                 : ", and so on the way down.");
    }
    return text;
}

void advise(const Told& told, std::size_t point, std::vector<std::string>& change) {
    const Study& study = told.study;
    if (shown(study, "recovered") && study.over) {
        for (std::size_t row = 0; row < study.rows.size(); ++row)
            if (recovered_in(told.findings.at(row)) == 0) {
                change.push_back("With **" + study.rows[row].name + "**, stay below " +
                                 in_percent(study.rows[row].safe_utilisation) +
                                 " utilisation, or change it: its calls can cause " +
                                 three_digits(1 / study.rows[row].safe_utilisation) +
                                 " times the load for as long as they fail.");
                break;
            }
    }
    for (const std::string& text : study.advice) change.push_back(text);
    if (change.empty() && study.rows.size() > 1)
        change.push_back("Take **" + study.rows[ranked(told, point).front()].name +
                         "**: it was the best here by " +
                         std::string{metric(study.show.front())->heading} + ".");
    if (change.empty())
        change.emplace_back("Nothing to compare with: add a row with `--policy NAME`.");
}

}  // namespace

bool tells_safety(const Study& study) {
    return shown(study, "recovered") || shown(study, "bottom");
}

std::string time_words(Duration time) {
    if (time % 1s != 0s) return in_words(time);
    return with_spaces(static_cast<double>(time / 1s)) + " s";
}

std::string in_percent(double share) { return three_digits(share * 100) + " %"; }

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
        parts.push_back("safe up to " + in_percent(told.study.rows[row].safe_utilisation) +
                        " utilisation");
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

std::vector<std::size_t> ranked(const Told& told, std::size_t point) {
    std::vector<std::size_t> order(told.study.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Two equal in the first are told apart by the second.
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        for (const std::string& name : told.study.show) {
            const double x = score(told.findings.at(a, point), *metric(name));
            const double y = score(told.findings.at(b, point), *metric(name));
            if (x != y) return x < y;
        }
        return a < b;
    });
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

Statements statements(const Told& told) {
    Statements made;
    const std::size_t point = telling_point(told);
    made.done = what_was_done(told);
    if (shown(told.study, "recovered") && told.study.over) made.happened = recovery_summary(told);
    else if (told.study.chart == StudyChart::hysteresis) made.happened = loop_words(told);
    else made.happened = best_and_worst(told, point);
    for (const std::size_t row : ranked(told, point))
        made.points.push_back(sentence(told, row, point));
    advise(told, point, made.change);
    return made;
}

}  // namespace tool
