// SPDX-License-Identifier: Apache-2.0
//
// The three statements: what was done, what happened, what to change.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "sim/scenario_file_parts.hpp"
#include "sim/sim_report.hpp"

namespace tool {

namespace {

using Words = std::function<std::string(const sim::Scenario&)>;

std::string plural(std::size_t count, const std::string& word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string at_point(const Study& study, std::size_t point) {
    if (study.sweep.key.empty()) return {};
    return " (" + study.sweep.label + ": " + study.sweep.values[point] + ")";
}

const sim::Scenario* fleet_of(const Case& one) { return std::get_if<sim::Scenario>(&one.what); }

// Nothing if it is not the same in all cases: then it is no fact about the study.
std::optional<std::string> common(const Study& study, const Words& words) {
    const std::string first = words(*fleet_of(study.cases.front()));
    const bool same = std::ranges::all_of(
        study.cases, [&](const Case& one) { return words(*fleet_of(one)) == first; });
    return same ? std::optional{first} : std::nullopt;
}

// By what it differs: along the sweep, or from row to row.
std::string differs_by(const Study& study, const Words& words) {
    for (const Case& one : study.cases)
        if (one.row == 0 && words(*fleet_of(one)) != words(*fleet_of(study.cases.front())))
            return study.sweep.label;
    return "row";
}

std::string rate_words(const sim::Clients& clients) {
    double most = 0, least = HUGE_VAL;
    for (const sim::RatePoint& point : clients.rate) {
        most = std::max(most, point.per_second);
        least = std::min(least, point.per_second);
    }
    return (least < most ? with_commas(least) + " to " : "") + with_commas(most) + " calls/s";
}

std::string who(const sim::Scenario& scenario) {
    const int count = scenario.clients.count;
    return with_commas(count) + (count == 1 ? " client" : " clients");
}

std::string load_words(const sim::Scenario& scenario) {
    const sim::Clients& clients = scenario.clients;
    const std::string make = clients.count == 1 ? " makes " : " make ";
    const std::string each = clients.count == 1 ? "" : " each";
    switch (clients.arrivals) {
        case sim::Arrivals::open: return who(scenario) + make + rate_words(clients);
        case sim::Arrivals::closed: return who(scenario) + "," + each + " with one call at a time";
        case sim::Arrivals::once: return who(scenario) + make + "one call" + each;
        case sim::Arrivals::periodic:
            return who(scenario) + make + "one call" + each + " every " +
                   time_words(clients.period);
    }
    return who(scenario);
}

// Empty: nothing limits it.
std::string capacity_words(const sim::Service& service) {
    if (service.workers == sim::unlimited || !(service.work.mean() > 0)) return {};
    return with_commas(1e9 / service.work.mean() * service.workers * service.replicas) + "/s";
}

std::string services_words(const Study& study) {
    const std::size_t count = fleet_of(study.cases.front())->services.size();
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < count; ++i) {
        const Words capacity = [i](const sim::Scenario& scenario) {
            return i < scenario.services.size() ? capacity_words(scenario.services[i]) : "";
        };
        const auto same = common(study, capacity);
        const std::string can = !same ? "a capacity that differs by " + differs_by(study, capacity)
                                : same->empty() ? "no limit"
                                                : *same;
        if (count == 1 && same) return same->empty() ? "" : " to a service that can do " + *same;
        if (count == 1) return " to a service with " + can;
        parts.push_back(fleet_of(study.cases.front())->services[i].name + " " + can);
    }
    return " to " + plural(count, "service") + " (capacity: " + joined(parts, ", ") + ")";
}

std::string fleet_words(const Study& study) {
    const auto load = common(study, load_words);
    const auto clients = common(study, who);
    std::string text =
        load      ? *load
        : clients ? *clients + ", whose load differs by " + differs_by(study, load_words) + ","
                  : "Clients whose number differs by " + differs_by(study, who);
    return text + services_words(study) + ".";
}

std::string trigger_list(const Study& study) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < study.triggers.size(); ++i) {
        const Words words = [i](const sim::Scenario& scenario) {
            const auto triggers = triggers_of(scenario);
            return i < triggers.size() ? trigger_words(triggers[i]) : std::string{};
        };
        if (const auto same = common(study, words)) {
            parts.push_back(*same);
            continue;
        }
        const Words times = [i](const sim::Scenario& scenario) {
            auto triggers = triggers_of(scenario);
            if (i >= triggers.size()) return std::string{};
            triggers[i].text = "a change";
            return trigger_words(triggers[i]);
        };
        parts.push_back(common(study, times).value_or("a change") + " that differs by " +
                        differs_by(study, words));
    }
    if (parts.empty()) return {};
    return (parts.size() == 1 ? "Trigger: " : "Triggers: ") + joined(parts, "; ") + ". ";
}

std::string what_was_done(const Told& told) {
    const Study& study = told.study;
    const bool fleet = study.kind == StudyKind::fleet;
    std::string text;
    if (fleet) text = fleet_words(study) + " " + trigger_list(study);
    text += plural(study.rows.size(), "row");
    if (!study.sweep.key.empty())
        text += " at " + plural(study.sweep.values.size(), "value") + " of " + study.sweep.label;
    text += ", " + plural(static_cast<std::size_t>(told.findings.seeds), "seed") + " each";
    if (fleet && fleet_of(study.cases.front())->clients.arrivals != sim::Arrivals::once)
        if (const auto time =
                common(study, [](const sim::Scenario& one) { return time_words(one.duration); }))
            text += ", " + *time + " of simulated time";
    return text + ".";
}

// Where along the sweep a row came to this verdict.
std::vector<std::string> values_with(const Told& told, std::size_t row, Verdict wanted) {
    std::vector<std::string> values;
    for (std::size_t point = 0; point < told.findings.points; ++point)
        if (verdict(told.findings.at(row, point)) == wanted)
            values.push_back(told.study.sweep.values[point]);
    return values;
}

std::string recovery_along_sweep(const Told& told) {
    std::string text;
    std::vector<std::string> back;
    const std::string& label = told.study.sweep.label;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const auto stuck = values_with(told, row, Verdict::bad);
        const auto some = values_with(told, row, Verdict::mixed);
        const std::string name = "**" + told.study.rows[row].name + "**";
        if (stuck.empty() && some.empty()) {
            back.push_back(name);
            continue;
        }
        text += (text.empty() ? "" : " ") + name + ":";
        if (!stuck.empty()) text += " never recovered at " + label + " " + joined(stuck, ", ");
        if (!some.empty())
            text += std::string{stuck.empty() ? "" : ";"} + " recovered in only some seeds at " +
                    label + " " + joined(some, ", ");
        text += ".";
    }
    if (text.empty()) return "The fleet recovered in every row at every value of " + label + ".";
    if (back.empty()) return text;
    return text + " " + joined(back, ", ") + ": came back at every value.";
}

// In which rows the fleet came back, if that was the question.
std::string recovery_summary(const Told& told) {
    if (told.findings.points > 1) return recovery_along_sweep(told);
    std::vector<std::string> back, some, stuck;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        const Verdict found = verdict(told.findings.at(row));
        (found == Verdict::bad     ? stuck
         : found == Verdict::mixed ? some
                                   : back)
            .push_back(told.study.rows[row].name);
    }
    if (stuck.empty() && some.empty()) return "The fleet recovered in every row.";
    if (some.empty() && back.empty())
        return "It recovered in no row: the trigger is gone, the outage stays.";
    std::vector<std::string> parts;
    const auto say_of = [&](const std::vector<std::string>& rows, const char* what) {
        if (!rows.empty()) parts.push_back("**" + joined(rows, ", ") + "**: " + what);
    };
    say_of(stuck, "never recovered in any seed, long after the trigger was gone.");
    say_of(some, "recovered in some seeds only.");
    say_of(back, "came back without help.");
    return joined(parts, " ");
}

std::string best_and_worst(const Told& told, std::size_t point) {
    const Metric& by = *metric(told.study.show.front());
    const auto order = ranked(told, point);
    const auto value = [&](std::size_t row) {
        return cell_words(told.findings.at(row, point), by.name);
    };
    const auto same_as = [&](std::size_t one) {
        std::vector<std::string> names;
        for (const std::size_t row : order)
            if (alike(told, point, one, row, by.name))
                names.push_back("**" + told.study.rows[row].name + "**");
        return joined(names, ", ");
    };
    const std::string intro = "By " + std::string{by.heading} + at_point(told.study, point) + ": ";
    if (order.size() > 1 && alike(told, point, order.front(), order.back(), by.name))
        return intro + "no difference, all rows " +
               written(by, told.findings.at(0, point).mean(by.name)) + ".";
    std::string text = intro + "best " + same_as(order.front()) + " " + value(order.front());
    if (order.size() > 1) text += ", worst " + same_as(order.back()) + " " + value(order.back());
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
                " went well up to " + with_commas(up) + " calls/s" +
                (down < 0.9 * up ? ", and again only below " + with_commas(down) + "."
                                 : ", and so on the way down.");
    }
    return text;
}

// Which row to take, and what speaks for it: never a row that only stands first.
std::string choice_words(const Told& told, std::size_t point) {
    const Study& study = told.study;
    const auto best = best_rows(told, point);
    if (best.size() == study.rows.size())
        return "Nothing here speaks for one of the rows" + at_point(study, point) +
               ": they do not differ.";
    const std::size_t next = ranked(told, point)[best.size()];
    const auto names = deciding(study);
    const auto by = std::ranges::find_if(names, [&](const std::string& name) {
        return !alike(told, point, best.front(), next, name);
    });
    std::vector<std::string> rows;
    for (const std::size_t row : best) rows.push_back("**" + study.rows[row].name + "**");
    std::string text = "Take " + joined(rows, " or ") + at_point(study, point) + ": ";
    if (by != names.begin())
        text += "no different from **" + study.rows[next].name + "** by " +
                std::string{metric(names.front())->heading} + ", but ";
    text += "the best by " + std::string{metric(*by)->heading} + " (" +
            cell_words(told.findings.at(best.front(), point), *by) + "; the next " +
            cell_words(told.findings.at(next, point), *by) + ").";
    for (std::size_t other = 0; other < told.findings.points; ++other) {
        const auto there = best_rows(told, other);
        if (std::ranges::find(there, best.front()) == there.end())
            return text + " At other values another one is better: see the tables.";
    }
    return text;
}

// Timeout × throughput of the fleet as it was run; nothing where it is not one number.
std::optional<std::string> queue_bound(const Study& study) {
    const Words words = [](const sim::Scenario& one) {
        const sim::Service& entry = one.services.front();
        if (one.plan.attempt_timeout == never || capacity_words(entry).empty())
            return std::string{};
        const double seconds = static_cast<double>(one.plan.attempt_timeout.count()) / 1e9;
        const double rate = 1e9 / entry.work.mean() * entry.workers * entry.replicas;
        return duration_words(seconds) + " × " + capacity_words(entry) + " = " +
               with_commas(std::floor(seconds * rate));
    };
    const auto bound = common(study, words);
    if (!bound || bound->empty()) return {};
    return "Timeout × throughput is " + *bound +
           " here: what waits behind more requests than that is answered too late.";
}

void advise(const Told& told, std::size_t point, std::vector<std::string>& change) {
    const Study& study = told.study;
    const auto stuck = [&](std::size_t row) {
        return !values_with(told, row, Verdict::bad).empty();
    };
    bool any = false, said = false;
    for (std::size_t row = 0; shown(study, "recovered") && row < study.rows.size(); ++row) {
        const auto& safe = study.rows[row].safe_utilisation;
        any = any || stuck(row);
        // Without retries it is not the policy that keeps the service down.
        if (said || !stuck(row) || !safe || *safe >= 1) continue;
        said = true;
        change.push_back("With **" + study.rows[row].name + "**, stay below " + in_percent(*safe) +
                         " utilisation, or change it: its calls can cause " +
                         three_digits(1 / *safe) + " times the load for as long as they fail.");
    }
    for (const std::string& text : study.advice) change.push_back(text);
    if (change.empty() && study.rows.size() > 1) change.push_back(choice_words(told, point));
    if (any && study.kind == StudyKind::fleet)
        if (auto bound = queue_bound(study)) change.push_back(*std::move(bound));
    if (change.empty())
        change.emplace_back("Nothing to compare with: add a row with `--policy NAME`.");
}

}  // namespace

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
