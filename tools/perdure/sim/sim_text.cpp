// SPDX-License-Identifier: Apache-2.0
//
// The report for a terminal.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/sim_report.hpp"

namespace tool {

namespace {

using Lines = std::vector<std::vector<std::string>>;

// Characters, not bytes: "±" and "–" take more than one.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

// The first column to the left, the others to the right.
std::string aligned(const Lines& lines) {
    std::vector<std::size_t> widths;
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths.resize(std::max(widths.size(), i + 1));
            widths[i] = std::max(widths[i], width_of(line[i]));
        }
    std::string text;
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string room(widths[i] - width_of(line[i]), ' ');
            text += i == 0 ? line[i] + room : "  " + room + line[i];
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

std::string table_of_rows(const Told& told) {
    Lines lines{{""}};
    const bool safety = tells_safety(told.study);
    for (const std::string& name : told.study.show) lines[0].emplace_back(metric(name)->heading);
    if (safety) lines[0].emplace_back("safe up to");
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        auto& line = lines.emplace_back();
        line.push_back(told.study.rows[row].name);
        for (const std::string& name : told.study.show)
            line.push_back(cell_words(told.findings.at(row), name));
        if (safety) line.push_back(safe_words(told.study.rows[row]));
    }
    return aligned(lines);
}

std::string table_of_sweep(const Told& told, const std::string& name) {
    const Metric& what = *metric(name);
    Lines lines{{std::string{what.heading}}};
    for (const std::string& value : told.study.sweep.values) lines[0].push_back(value);
    for (std::size_t row = 0; row < told.study.rows.size(); ++row) {
        auto& line = lines.emplace_back();
        line.push_back(told.study.rows[row].name);
        for (std::size_t point = 0; point < told.findings.points; ++point)
            line.push_back(written(what, told.findings.at(row, point).mean(name)));
    }
    return aligned(lines);
}

std::string table_of_hysteresis(const Told& told) {
    Lines lines{{"calls/s"}};
    for (const StudyRow& row : told.study.rows) lines[0].push_back(row.name);
    std::vector<std::vector<LoadBin>> bins;
    for (std::size_t row = 0; row < told.study.rows.size(); ++row)
        bins.push_back(hysteresis_bins(told, row, 12));
    const auto number = [](double value) { return std::isnan(value) ? "–" : with_commas(value); };
    for (std::size_t i = 0; i < bins.front().size(); ++i) {
        auto& line = lines.emplace_back();
        line.push_back(with_commas(bins.front()[i].offered));
        for (const auto& of_row : bins)
            line.push_back(number(of_row[i].up) + " / " + number(of_row[i].down));
    }
    return "Successful calls per second on the way up / down, by offered load:\n\n" +
           aligned(lines);
}

// Stars of the prose are for pages.
std::string plain(std::string text) {
    for (std::size_t at = text.find("**"); at != std::string::npos; at = text.find("**", at))
        text.erase(at, 2);
    return text;
}

// "68 833 calls" and "29.7 %" stay on one line.
bool belongs(const std::string& before, const std::string& after) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (before.empty() || after.empty()) return false;
    if (before.ends_with("±") || after.starts_with("±")) return true;
    const std::string letters = after.substr(0, after.find_first_of(".,;:)"));
    return digit(before.back()) &&
           (digit(after.front()) || letters == "%" || letters == "s" || letters == "ms");
}

std::string wrapped(const std::string& text, const std::string& first, const std::string& rest) {
    std::string out = first, line;
    for (std::size_t at = 0; at < text.size();) {
        std::string word;
        std::size_t end = at;
        do {
            const std::size_t begin = end == at ? at : end + 1;
            end = std::min(text.find(' ', begin), text.size());
            word = text.substr(at, end - at);
        } while (end < text.size() &&
                 belongs(word, text.substr(end + 1, text.find(' ', end + 1) - end - 1)));
        if (!line.empty() && width_of(line) + 1 + width_of(word) > 96 - rest.size()) {
            out += line + "\n" + rest;
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
        at = end + 1;
    }
    return out + line + "\n";
}

}  // namespace

std::size_t seconds_shown(const Told& told) {
    std::size_t most = 0;
    for (const Case& one : told.study.cases)
        if (const auto* scenario = std::get_if<sim::Scenario>(&one.what)) {
            auto end = static_cast<std::size_t>(scenario->duration / 1s);
            // One burst is watched until everybody is served.
            const auto served = told.findings.at(one.row, one.point).mean("all_served");
            const auto over = trigger_over(*scenario);
            if (scenario->clients.arrivals == sim::Arrivals::once && over && !std::isnan(served))
                end = static_cast<std::size_t>(
                    std::max(0.0, served + static_cast<double>(*over / 1s) + 1));
            most = std::max(most, end);
        }
    return std::min<std::size_t>(most, 7200);
}

std::vector<LoadBin> hysteresis_bins(const Told& told, std::size_t row, int count) {
    const std::vector<SecondMean>& seconds = told.findings.at(row).seconds;
    const std::size_t end = std::min(seconds.size(), seconds_shown(told));
    std::size_t top = 0;
    double most = 0;
    const auto* scenario = std::get_if<sim::Scenario>(&told.study.cases.front().what);
    for (const sim::RatePoint& point : scenario->clients.rate)
        if (point.per_second > most) {
            most = point.per_second;
            top = static_cast<std::size_t>(point.at / 1s);
        }
    std::vector<LoadBin> bins;
    for (int bin = 0; bin < count && most > 0; ++bin) {
        const double low = most / count * bin;
        double sums[2] = {0, 0}, times[2] = {0, 0};
        for (std::size_t i = 0; i < end; ++i) {
            // By the planned load: what arrived wavers around it.
            const double share =
                i < top ? static_cast<double>(i) / static_cast<double>(top)
                        : static_cast<double>(end - i) / static_cast<double>(end - top);
            const double planned = share * most;
            if (planned < low || planned >= low + most / count) continue;
            sums[i >= top] += seconds[i].ok;
            times[i >= top] += 1;
        }
        const auto mean = [&](int way) {
            return times[way] > 0 ? sums[way] / times[way]
                                  : std::numeric_limits<double>::quiet_NaN();
        };
        bins.push_back({.offered = low + most / count / 2, .up = mean(0), .down = mean(1)});
    }
    return bins;
}

std::string report_text(const Told& told) {
    const Study& study = told.study;
    const Statements said = statements(told);
    std::string text = study.title + "\n\n";
    if (!study.question.empty()) text += wrapped(study.question, "", "") + "\n";
    text += wrapped(plain(said.done), "", "") + "\n";
    if (!study.sweep.key.empty()) {
        text += study.sweep.label + ":\n\n";
        for (const std::string& name : study.show) text += table_of_sweep(told, name) + "\n";
    } else {
        text += table_of_rows(told) + "\n";
    }
    if (study.chart == StudyChart::hysteresis) text += table_of_hysteresis(told) + "\n";
    text += wrapped(plain(said.happened), "", "");
    for (const std::string& point : said.points) text += wrapped(plain(point), "  ", "    ");
    text += "\nWhat to change:\n";
    for (const std::string& change : said.change) text += wrapped(plain(change), "  - ", "    ");
    return text;
}

}  // namespace tool
