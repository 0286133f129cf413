// SPDX-License-Identifier: Apache-2.0
//
// What can stand on a report page? Plain values, filled in by whoever has something to show; page.hpp
// turns them into HTML. All text may hold any bytes. In prose, `code` and **strong** are understood.
//
//     Chart{.title = "Goodput", .x = {.label = "time", .unit = "s"}, .y = {.unit = "/s"},
//           .lines = {{.name = "answered", .points = {{0, 99.5}, {1, 100}}}},
//           .spans = {{.from = 60, .to = 120, .label = "capacity × 0.2"}}}
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tool {

// Leaves a gap in a line, and sorts last in a table. So does infinity.
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Always shown by a sign or a word as well as by a colour.
enum class Mood : unsigned char { neutral, good, bad, best };

// --- first screen ---

struct Statement {
    std::string text{};                 // prose
    std::vector<std::string> points{};  // prose; a list below the text
};

struct Figure {
    std::string value{};  // already formatted and short: "99.2 %"
    std::string label{};
    Mood mood = Mood::neutral;
};

struct Headline {
    Statement done{};
    Statement happened{};
    Statement change{};
    std::vector<Figure> figures{};  // three or four big numbers, or none
};

// --- text ---

struct Text {
    std::string title{};  // opens a section if not empty
    std::string text{};   // prose; an empty line begins a new paragraph
};

struct Code {
    std::string title{};
    std::string code{};  // shown as it is, with a button that copies it
};

// --- tables ---

enum class Align : unsigned char { left, right };

struct Column {
    std::string name{};
    Align align = Align::left;  // right: numbers, set in figures of one width
    std::string tooltip{};
};

struct Cell {
    std::string text{};
    double sort = no_number;  // else by text, or in columns of numbers by that it begins with
    Mood mood = Mood::neutral;
};

struct Row {
    std::vector<Cell> cells{};
    Mood mood = Mood::neutral;
};

struct Table {
    std::string caption{};
    std::string note{};  // prose
    std::vector<Column> columns{};
    std::vector<Row> rows{};
};

// Closed until somebody opens it: all parameters, for instance.
struct Details {
    std::string title{};
    std::vector<std::variant<Text, Code, Table>> content{};
};

// --- charts ---

enum class Scale : unsigned char { linear, log };  // log leaves out what is not above zero

struct Axis {
    std::string label{};
    std::string
        unit{};  // "s" is written as µs, ms or s, "ms" stays; "%" and "/s" follow the number
    Scale scale = Scale::linear;
    std::optional<double> low{};  // without: from the points, and from 0 on a linear y axis
    std::optional<double> high{};
};

struct Point {
    double x = no_number;
    double y = no_number;
    double low = no_number;  // the lower edge, in a band only
};

// A step holds its value until the next x: the last one needs a further point to be seen.
enum class Style : unsigned char { solid, dashed, step, band };

// One name has one colour on the whole page. Muted is for what is only there to compare with; own is for what the
// page is about: a colour that no other line has, drawn last and thicker.
enum class Tone : unsigned char { by_name, muted, own };

struct Line {
    std::string name{};
    std::vector<Point> points{};
    Style style = Style::solid;
    Tone tone = Tone::by_name;
    std::string like{};  // the name of a line whose colour this one shares: a band around it
};

struct Span {
    double from = no_number;
    double to = no_number;
    std::string label{};
};

struct Mark {
    double at = no_number;
    std::string label{};
    Mood mood = Mood::neutral;
};

// Path joins the points in the order given and shows the direction: a loop of hysteresis.
enum class Order : unsigned char { by_x, path };

struct Chart {
    std::string title{};
    std::string note{};  // prose
    Axis x{};
    Axis y{};
    std::vector<Line> lines{};
    std::vector<Span> spans{};    // shaded ranges of x
    std::vector<Mark> x_marks{};  // upright lines
    std::vector<Mark> y_marks{};  // level lines
    Order order = Order::by_x;
};

// One bar for each name, lying, in the order given.
struct Bar {
    std::string name{};
    double value = no_number;
    std::string text{};  // beside the bar, instead of the value
    Mood mood = Mood::neutral;
};

struct Bars {
    std::string title{};
    std::string note{};  // prose
    Axis values{};
    std::vector<Bar> bars{};
    std::vector<Mark> marks{};
};

struct Bucket {
    double from = no_number;
    double to = no_number;
    double count = 0;
};

struct Histogram {
    std::string title{};
    std::string note{};  // prose
    Axis x{};
    Axis y{.label = "count"};
    std::vector<Bucket> buckets{};
    std::vector<Span> spans{};
    std::vector<Mark> x_marks{};  // p50, p99, a timeout
};

// Small charts side by side, with the same axes and one cross-hair for all.
struct Panel {
    std::string title{};
    std::string note{};  // one line: "recovers after 12 s"
    Mood mood = Mood::neutral;
    std::vector<Line> lines{};
    std::vector<Mark> x_marks{};  // in addition to those of all panels
};

struct Multiples {
    std::string title{};
    std::string note{};  // prose
    Axis x{};
    Axis y{};
    std::vector<Panel> panels{};
    std::vector<Span> spans{};
    std::vector<Mark> x_marks{};
    std::vector<Mark> y_marks{};
};

using Block = std::variant<Headline, Text, Code, Table, Details, Chart, Bars, Histogram, Multiples>;

}  // namespace tool
