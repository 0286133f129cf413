// SPDX-License-Identifier: Apache-2.0
#include "page/page_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "page/page_text.hpp"
#include "text/json_text.hpp"

namespace tool {

namespace {

// More than a screen can show, and short; x may be a time in seconds with many digits before its point.
constexpr int digits_of_y = 5;
constexpr int digits_of_x = 10;

std::string field(std::string_view name, const std::string& json) {
    return json_text(name) + ":" + json;
}

std::string object(const std::vector<std::string>& fields) {
    std::string json = "{";
    for (const std::string& each : fields) json += (json.size() > 1 ? "," : "") + each;
    return json + "}";
}

template <typename Items, typename Write>
std::string array(const Items& items, Write write) {
    std::string json = "[";
    for (const auto& each : items) {
        if (json.size() > 1) json += ',';
        json += write(each);
    }
    return json + "]";
}

std::string as_it_is(const std::string& json) { return json; }

std::string json_word(Mood mood) {
    switch (mood) {
        case Mood::good: return "\"good\"";
        case Mood::bad: return "\"bad\"";
        case Mood::best: return "\"best\"";
        case Mood::neutral: break;
    }
    return "\"neutral\"";
}

std::string json_word(Style style) {
    switch (style) {
        case Style::dashed: return "\"dashed\"";
        case Style::step: return "\"step\"";
        case Style::band: return "\"band\"";
        case Style::solid: break;
    }
    return "\"solid\"";
}

std::string to_json(const Axis& axis) {
    std::vector<std::string> fields{field("label", json_text(axis.label)),
                                    field("unit", json_text(axis.unit)),
                                    field("log", axis.scale == Scale::log ? "true" : "false")};
    if (axis.low) fields.push_back(field("low", number_json(*axis.low, digits_of_x)));
    if (axis.high) fields.push_back(field("high", number_json(*axis.high, digits_of_x)));
    return object(fields);
}

std::string to_json(const Span& span) {
    return object({field("from", number_json(span.from, digits_of_x)),
                   field("to", number_json(span.to, digits_of_x)),
                   field("label", json_text(span.label))});
}

std::string to_json(const Mark& mark) {
    return object({field("at", number_json(mark.at, digits_of_x)),
                   field("label", json_text(mark.label)), field("mood", json_word(mark.mood))});
}

std::string to_json(const std::vector<Mark>& marks) {
    std::vector<Mark> usable = marks;
    std::erase_if(usable, [](const Mark& mark) { return !std::isfinite(mark.at); });
    return array(usable, [](const Mark& mark) { return to_json(mark); });
}

std::string to_json(const std::vector<Span>& spans) {
    std::vector<Span> usable = spans;
    std::erase_if(usable,
                  [](const Span& s) { return !std::isfinite(s.from) || !std::isfinite(s.to); });
    return array(usable, [](const Span& span) { return to_json(span); });
}

std::string to_json(const Bucket& bucket) {
    return "[" + number_json(bucket.from, digits_of_x) + "," + number_json(bucket.to, digits_of_x) +
           "," + number_json(bucket.count, digits_of_x) + "]";
}

// A place without x is nowhere; in a path it still is where the line breaks.
std::vector<Point> in_order(std::vector<Point> points, Order order) {
    if (order == Order::path) return points;
    std::erase_if(points, [](const Point& point) { return !std::isfinite(point.x); });
    // Not stable_sort, for which clang 19 complains about g++ 12's library.
    std::multimap<double, Point> sorted;
    for (const Point& point : points) sorted.emplace_hint(sorted.end(), point.x, point);
    std::transform(sorted.begin(), sorted.end(), points.begin(),
                   [](const auto& each) { return each.second; });
    return points;
}

}  // namespace

std::size_t ChartNumbers::x_values(std::string json) {
    const auto found = std::find(xs_.begin(), xs_.end(), json);
    const auto place = static_cast<std::size_t>(found - xs_.begin());
    if (found == xs_.end()) xs_.push_back(std::move(json));
    return place;
}

std::string ChartNumbers::line(const Line& line, Order order) {
    const std::vector<Point> points = in_order(line.points, order);
    const auto xs = array(points, [](const Point& p) { return number_json(p.x, digits_of_x); });
    const auto ys = array(points, [](const Point& p) { return number_json(p.y, digits_of_y); });
    std::vector<std::string> fields{field("name", json_text(line.name)),
                                    field("style", json_word(line.style)),
                                    field("x", std::to_string(x_values(xs))), field("y", ys)};
    if (line.tone == Tone::muted) fields.push_back(field("muted", "true"));
    if (line.tone == Tone::own) fields.push_back(field("own", "true"));
    if (!line.like.empty()) fields.push_back(field("like", json_text(line.like)));
    if (line.style == Style::band) {
        const auto low =
            array(points, [](const Point& p) { return number_json(p.low, digits_of_y); });
        fields.push_back(field("low", low));
    }
    return object(fields);
}

std::string ChartNumbers::lines(const std::vector<Line>& lines, Order order) {
    return array(lines, [&](const Line& each) { return line(each, order); });
}

std::string ChartNumbers::panel(const Panel& panel) {
    return object({field("title", json_text(panel.title)), field("note", json_text(panel.note)),
                   field("mood", json_word(panel.mood)),
                   field("lines", lines(panel.lines, Order::by_x)),
                   field("xMarks", to_json(panel.x_marks))});
}

std::size_t ChartNumbers::keep(std::string chart) {
    charts_.push_back(std::move(chart));
    return charts_.size() - 1;
}

std::size_t ChartNumbers::add(const Chart& chart) {
    const std::string only = object({field("lines", lines(chart.lines, chart.order))});
    return keep(
        object({field("kind", chart.order == Order::path ? "\"path\"" : "\"lines\""),
                field("title", json_text(chart.title)), field("x", to_json(chart.x)),
                field("y", to_json(chart.y)), field("panels", "[" + only + "]"),
                field("spans", to_json(chart.spans)), field("xMarks", to_json(chart.x_marks)),
                field("yMarks", to_json(chart.y_marks))}));
}

std::size_t ChartNumbers::add(const Histogram& chart) {
    std::vector<Bucket> buckets = chart.buckets;
    std::erase_if(buckets, [](const Bucket& b) {
        return !std::isfinite(b.from) || !std::isfinite(b.to) || !std::isfinite(b.count);
    });
    const auto shown = array(buckets, [](const Bucket& bucket) { return to_json(bucket); });
    const std::string only = object({field("lines", "[]"), field("buckets", shown)});
    return keep(object({field("kind", "\"histogram\""), field("title", json_text(chart.title)),
                        field("x", to_json(chart.x)), field("y", to_json(chart.y)),
                        field("panels", "[" + only + "]"), field("spans", to_json(chart.spans)),
                        field("xMarks", to_json(chart.x_marks)), field("yMarks", "[]")}));
}

std::size_t ChartNumbers::add(const Multiples& chart) {
    const auto panels = array(chart.panels, [&](const Panel& each) { return panel(each); });
    return keep(
        object({field("kind", "\"multiples\""), field("title", json_text(chart.title)),
                field("x", to_json(chart.x)), field("y", to_json(chart.y)), field("panels", panels),
                field("spans", to_json(chart.spans)), field("xMarks", to_json(chart.x_marks)),
                field("yMarks", to_json(chart.y_marks))}));
}

std::string ChartNumbers::json() const {
    return object({field("xs", array(xs_, as_it_is)), field("charts", array(charts_, as_it_is))});
}

}  // namespace tool
