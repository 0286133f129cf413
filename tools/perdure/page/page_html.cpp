// SPDX-License-Identifier: Apache-2.0
#include "page/page_html.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "page/page_text.hpp"

namespace tool {

namespace {

using namespace std::string_view_literals;

std::string tag(std::string_view name, std::string_view style, const std::string& inside) {
    std::string html = "<" + std::string{name};
    if (!style.empty()) html.append(" class=\"").append(style).append("\"");
    return html.append(">").append(inside).append("</").append(name).append(">");
}

std::string tag_if(std::string_view name, std::string_view style, const std::string& inside) {
    return inside.empty() ? std::string{} : tag(name, style, inside);
}

std::string_view word(Mood mood) {
    switch (mood) {
        case Mood::good: return "good";
        case Mood::bad: return "bad";
        case Mood::best: return "best";
        case Mood::neutral: break;
    }
    return "neutral";
}

// For eyes a sign, for screen readers the word.
std::string sign(Mood mood) {
    if (mood == Mood::neutral) return {};
    const std::string_view shape = mood == Mood::good ? "✓"sv : mood == Mood::bad ? "✗"sv : "★"sv;
    std::string html = "<span class=\"sign ";
    html.append(word(mood)).append("\" role=\"img\" aria-label=\"").append(word(mood));
    return html.append("\" title=\"").append(word(mood)).append("\">").append(shape) + "</span>&nbsp;";
}

std::string statement(std::string_view label, std::string_view style, const Statement& said) {
    if (said.text.empty() && said.points.empty()) return {};
    std::string points;
    for (const std::string& point : said.points) points += tag("li", "", html_prose(point));
    return tag("section", style,
               tag("h2", "", std::string{label}) + html_paragraphs(said.text) +
                   tag_if("ul", "", points));
}

std::string figure(const Figure& shown) {
    return tag("div", "figure " + std::string{word(shown.mood)},
               tag("dt", "", html_prose(shown.label)) +
                   tag("dd", "", sign(shown.mood) + html_text(shown.value)));
}

std::string head_cell(const Column& column) {
    std::string html = "<th scope=\"col\"";
    if (column.align == Align::right) html += " class=\"number\"";
    if (!column.tooltip.empty()) html += " title=\"" + html_text(column.tooltip) + "\"";
    return html + ">" + html_text(column.name) + "</th>";
}

std::string body_cell(const Cell& cell, Align align, Mood row) {
    std::string style = align == Align::right ? "number" : "";
    if (cell.mood != Mood::neutral) style.append(" ").append(word(cell.mood));
    std::string html = "<td";
    if (!style.empty()) html += " class=\"" + style + "\"";
    if (std::isfinite(cell.sort)) html += " data-sort=\"" + number_json(cell.sort, 12) + "\"";
    return html + ">" + sign(row) + sign(cell.mood) + html_text(cell.text) + "</td>";
}

std::string table_row(const Row& row, const std::vector<Column>& columns) {
    std::string cells;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Cell cell = i < row.cells.size() ? row.cells[i] : Cell{};
        // The sign of a whole row stands before its name.
        cells += body_cell(cell, columns[i].align, i == 0 ? row.mood : Mood::neutral);
    }
    return tag("tr", word(row.mood), cells);
}

std::string caption(const std::string& title, const std::string& note) {
    const std::string inside =
        tag_if("h3", "", html_text(title)) + tag_if("p", "note", html_prose(note));
    return tag_if("figcaption", "", inside);
}

std::string chart_figure(std::string_view kind, const std::string& title, const std::string& note,
                         std::size_t place) {
    return "<figure class=\"chart " + std::string{kind} + "\" data-chart=\"" +
           std::to_string(place) + "\">" + caption(title, note) +
           "<noscript><p class=\"note\">This chart is drawn by a script, which is switched off "
           "here.</p></noscript></figure>\n";
}

std::string percent(double share) { return number_json(share * 100, 5) + "%"; }

std::string bar_row(const Bars& chart, const Bar& bar, double largest) {
    const std::string shown =
        bar.text.empty() ? number_text(bar.value, chart.values.unit) : html_text(bar.text);
    const std::string fill =
        "<i style=\"width:" + percent(share_of(chart.values, bar.value, largest)) + "\"></i>";
    return tag("div", "bar " + std::string{word(bar.mood)},
               tag("span", "name", sign(bar.mood) + html_text(bar.name)) +
                   tag("span", "track", fill) + tag("span", "value", shown));
}

std::string bar_mark(const Bars& chart, const Mark& mark, double largest) {
    return "<span class=\"mark " + std::string{word(mark.mood)} +
           "\" style=\"left:" + percent(share_of(chart.values, mark.at, largest)) + "\">" +
           tag("span", "", html_text(mark.label)) + "</span>";
}

double largest_of(const Bars& chart) {
    double largest = 0;
    for (const Bar& bar : chart.bars)
        if (std::isfinite(bar.value)) largest = std::max(largest, bar.value);
    for (const Mark& mark : chart.marks)
        if (std::isfinite(mark.at)) largest = std::max(largest, mark.at);
    return largest;
}

std::string marks_row(const Bars& chart, double largest) {
    std::string marks;
    for (const Mark& mark : chart.marks)
        if (std::isfinite(mark.at)) marks += bar_mark(chart, mark, largest);
    if (marks.empty()) return {};
    return tag("div", "bar marks",
               tag("span", "name", "") + tag("span", "track", marks) + tag("span", "value", ""));
}

}  // namespace

double share_of(const Axis& axis, double value, double largest) {
    if (!std::isfinite(value)) return 0;
    const double high = axis.high.value_or(largest);
    double low = axis.low.value_or(axis.scale == Scale::log ? high / 1000 : 0);
    double share = 0;
    if (axis.scale == Scale::linear) share = (value - low) / (high - low);
    else share = std::log(std::max(value, low) / low) / std::log(high / low);
    return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
}

void BlockWriter::operator()(const Headline& block) {
    std::string figures;
    for (const Figure& each : block.figures) figures += figure(each);
    html += tag("div", "headline",
                tag_if("dl", "figures", figures) +
                    tag("div", "statements",
                        statement("What was done", "done", block.done) +
                            statement("What happened", "happened", block.happened) +
                            statement("What to change", "change", block.change))) +
            "\n";
}

void BlockWriter::operator()(const Text& block) {
    html += tag("section", "text",
                tag_if("h2", "", html_text(block.title)) + html_paragraphs(block.text)) +
            "\n";
}

void BlockWriter::operator()(const Code& block) {
    html += tag("section", "code",
                tag("div", "code-head", tag_if("h3", "", html_text(block.title))) +
                    tag("pre", "", tag("code", "", html_text(block.code)))) +
            "\n";
}

void BlockWriter::operator()(const Table& block) {
    std::string head;
    std::string body;
    for (const Column& column : block.columns) head += head_cell(column);
    for (const Row& row : block.rows) body += table_row(row, block.columns) + "\n";
    html += tag("figure", "table",
                caption(block.caption, block.note) +
                    tag("div", "scroll",
                        tag("table", "",
                            tag("thead", "", tag("tr", "", head)) + tag("tbody", "", body)))) +
            "\n";
}

void BlockWriter::operator()(const Details& block) {
    html += "<details><summary>" + html_text(block.title) + "</summary>\n";
    for (const auto& each : block.content) std::visit(*this, each);
    html += "</details>\n";
}

void BlockWriter::operator()(const Bars& block) {
    const double largest = largest_of(block);
    std::string rows = marks_row(block, largest);
    for (const Bar& bar : block.bars) rows += bar_row(block, bar, largest) + "\n";
    std::string axis = html_text(block.values.label);
    html += tag("figure", "bars",
                caption(block.title, block.note) + tag_if("p", "axis", axis) +
                    tag("div", "rows", rows)) +
            "\n";
}

void BlockWriter::operator()(const Chart& block) {
    const std::string_view kind = block.order == Order::path ? "path" : "lines";
    html += chart_figure(kind, block.title, block.note, numbers.add(block));
}

void BlockWriter::operator()(const Histogram& block) {
    html += chart_figure("histogram", block.title, block.note, numbers.add(block));
}

void BlockWriter::operator()(const Multiples& block) {
    html += chart_figure("multiples", block.title, block.note, numbers.add(block));
}

}  // namespace tool
