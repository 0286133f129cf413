// SPDX-License-Identifier: Apache-2.0
#include "page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "page/page_assets.hpp"
#include "page/page_html.hpp"
#include "page/page_numbers.hpp"
#include "page/page_text.hpp"
#include "page_samples.hpp"

namespace tool {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t times(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++count;
    return count;
}

// Not a matcher, for that would print the whole page.
bool holds(const std::string& html, std::string_view part) {
    return html.find(part) != std::string::npos;
}

std::string with(Block block) { return Page{"title"}.add(std::move(block)).html(); }

std::string numbers_of(const Chart& chart) {
    ChartNumbers numbers;
    numbers.add(chart);
    return numbers.json();
}

TEST(PageText, makes_markup_harmless_and_drops_control_characters) {
    EXPECT_EQ(html_text("<b a='1' b=\"2\">&"), "&lt;b a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;");
    EXPECT_EQ(html_text(std::string_view{"a\0b\x01\x1b c\td\n", 10}), "ab c\td\n");
    EXPECT_EQ(html_text("größer × 2"), "größer × 2");
}

TEST(PageText, understands_code_and_strong_in_prose_and_leaves_single_marks_alone) {
    struct Case {
        std::string_view prose, html;
    };
    for (const auto& [prose, html] : {
             Case{"use `--budget` now", "use <code>--budget</code> now"},
             Case{"**never** again", "<strong>never</strong> again"},
             Case{"`<b>`", "<code>&lt;b&gt;</code>"},
             Case{"`**a**`", "<code>**a**</code>"},
             Case{"2 ** 3 and `", "2 ** 3 and `"},
             Case{"``", "``"},
             Case{"20 000 calls in 1.42 s.", "20\u00a0000 calls in 1.42\u00a0s."},
             Case{"`2 s`, 3 sheep, 5 ", "<code>2 s</code>, 3 sheep, 5 "},
             Case{"", ""},
         })
        EXPECT_EQ(html_prose(prose), html);
}

TEST(PageText, divides_prose_at_empty_lines) {
    EXPECT_EQ(html_paragraphs("a\nb\n\nc\n\n"), "<p>a\nb</p><p>c</p>");
    EXPECT_EQ(html_paragraphs(""), "");
}

TEST(PageText, keeps_json_inside_its_script_element) {
    EXPECT_EQ(script_safe("\"</script><!--&\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
    EXPECT_EQ(script_safe("\"\u2028\u2029\u202a\""), "\"\\u2028\\u2029\u202a\"");
}

TEST(PageText, writes_numbers_for_people) {
    struct Case {
        double value;
        std::string_view unit, text;
    };
    for (const auto& [value, unit, text] : {
             Case{0, "", "0"},
             Case{-0.0, "", "0"},
             Case{1234567.4, "", "1,234,567"},
             Case{-1234, "/s", "−1,234/s"},
             Case{999.96, "", "1000"},
             Case{12.3456, "%", "12.35\u00a0%"},
             Case{0.0081, "s", "8.1\u00a0ms"},
             Case{0.000025, "s", "25\u00a0µs"},
             Case{2, "s", "2\u00a0s"},
             Case{0, "s", "0\u00a0s"},
             Case{250, "ms", "250\u00a0ms"},
             Case{no_number, "s", "–"},
             Case{infinite, "s", "–"},
         })
        EXPECT_EQ(number_text(value, unit), text) << value;
}

TEST(PageText, writes_numbers_for_the_script_without_those_json_lacks) {
    EXPECT_EQ(number_json(0.1 + 0.2, 5), "0.3");
    EXPECT_EQ(number_json(1763269456.5, 10), "1763269456");
    EXPECT_EQ(number_json(-0.0, 5), "0");
    for (const double none : {no_number, infinite, -infinite})
        EXPECT_EQ(number_json(none, 5), "null");
}

TEST(PageNumbers, keeps_x_values_that_lines_share_once) {
    const Chart chart{.lines = {{.name = "a", .points = {{0, 1}, {1, 2}}},
                                {.name = "b", .points = {{0, 3}, {1, 4}}},
                                {.name = "c", .points = {{5, 6}}}}};
    EXPECT_THAT(numbers_of(chart), HasSubstr("\"xs\":[[0,1],[5]]"));
}

TEST(PageNumbers, leaves_gaps_where_there_is_no_number) {
    const Chart chart{.lines = {{.name = "a", .points = {{0, 1}, {1, no_number}, {2, infinite}}}}};
    EXPECT_THAT(numbers_of(chart), HasSubstr("\"y\":[1,null,null]"));
}

TEST(PageNumbers, sorts_points_by_x_unless_they_are_a_path) {
    Chart chart{.lines = {{.name = "a", .points = {{2, 1}, {no_number, 2}, {1, 3}, {1, 4}}}}};
    EXPECT_THAT(numbers_of(chart), HasSubstr("[[1,1,2]]"));
    EXPECT_THAT(numbers_of(chart), HasSubstr("\"y\":[3,4,1]"));
    chart.order = Order::path;
    EXPECT_THAT(numbers_of(chart), HasSubstr("[[2,null,1,1]]"));
    EXPECT_THAT(numbers_of(chart), HasSubstr("\"kind\":\"path\""));
}

TEST(PageNumbers, leaves_out_marks_and_spans_that_are_nowhere) {
    const Chart chart{.spans = {{no_number, 1, "gone"}, {0, 1, "here"}},
                      .x_marks = {{infinite, "gone"}, {1, "here", Mood::bad}}};
    const std::string json = numbers_of(chart);
    EXPECT_THAT(json, Not(HasSubstr("gone")));
    EXPECT_THAT(json, HasSubstr("{\"from\":0,\"to\":1,\"label\":\"here\"}"));
    EXPECT_THAT(json, HasSubstr("{\"at\":1,\"label\":\"here\",\"mood\":\"bad\"}"));
}

TEST(Page, shows_headline_and_tables_without_a_script) {
    const std::string html = samples::storm().html();
    for (const std::string_view part :
         {"<h2>What was done</h2>", "<h2>What happened</h2>", "<h2>What to change</h2>",
          "<strong>950 calls/s</strong>", "<th scope=\"col\">policy</th>",
          "<td class=\"number\" data-sort=\"88.4\">88.4 %</td>",
          "<summary>All parameters</summary>"})
        EXPECT_TRUE(holds(html, part)) << part;
}

TEST(Page, leaves_out_statements_that_say_nothing) {
    const std::string html = with(Headline{.happened = {"It broke."}});
    EXPECT_TRUE(holds(html, "What happened"));
    EXPECT_FALSE(holds(html, "What was done"));
}

TEST(Page, shows_a_mood_by_a_sign_and_a_word) {
    const std::string html =
        with(Table{.columns = {{"a"}}, .rows = {{{{"x"}}, Mood::best}, {{{"y", 1, Mood::bad}}}}});
    EXPECT_TRUE(holds(html, "aria-label=\"best\" title=\"best\">★</span>&nbsp;x"));
    EXPECT_TRUE(holds(html, "aria-label=\"bad\" title=\"bad\">✗</span>&nbsp;y"));
}

TEST(Page, completes_rows_that_are_too_short_and_cuts_those_too_long) {
    const std::string html =
        with(Table{.columns = {{"a"}, {"b"}}, .rows = {{{{"1"}}}, {{{"1"}, {"2"}, {"third"}}}}});
    EXPECT_EQ(times(html, "<td"), 4U);
    EXPECT_FALSE(holds(html, "third"));
}

TEST(Page, draws_bars_without_a_script) {
    const std::string html =
        with(Bars{.values = {.unit = "s"}, .bars = {{"a", 0.5}, {"b", 2}, {"c", infinite}}});
    EXPECT_TRUE(holds(html, "width:25%"));
    EXPECT_TRUE(holds(html, "width:100%"));
    EXPECT_TRUE(holds(html, "500\u00a0ms"));
}

TEST(Page, measures_bars_by_their_axis) {
    EXPECT_DOUBLE_EQ(share_of({.low = 10, .high = 20}, 15, 99), 0.5);
    EXPECT_DOUBLE_EQ(share_of({.scale = Scale::log, .low = 1, .high = 100}, 10, 99), 0.5);
    EXPECT_DOUBLE_EQ(share_of({}, 200, 100), 1);
    EXPECT_DOUBLE_EQ(share_of({}, -5, 100), 0);
    EXPECT_DOUBLE_EQ(share_of({}, 0, 0), 0);
    EXPECT_DOUBLE_EQ(share_of({.scale = Scale::log}, 0, 0), 0);
}

TEST(Page, numbers_its_charts_in_the_order_of_their_blocks) {
    Page page{"title"};
    page.add(Chart{.title = "one"}).add(Histogram{.title = "two"}).add(Multiples{.title = "three"});
    const std::string html = page.html();
    EXPECT_TRUE(holds(html, "class=\"chart lines\" data-chart=\"0\""));
    EXPECT_TRUE(holds(html, "class=\"chart histogram\" data-chart=\"1\""));
    EXPECT_TRUE(holds(html, "class=\"chart multiples\" data-chart=\"2\""));
}

TEST(Page, lets_no_text_become_markup) {
    const std::string html = samples::hostile().html();
    EXPECT_EQ(times(html, "<script"), 2U);
    EXPECT_EQ(times(html, "</script"), 2U);
    EXPECT_EQ(times(html, "<img"), 0U);
    EXPECT_TRUE(holds(html, "{{script}}")) << "text that looks like a place is only text";
}

TEST(Page, forbids_itself_to_load_anything) {
    const std::string html = samples::storm().html();
    EXPECT_TRUE(holds(html, "default-src 'none'; style-src 'unsafe-inline'"));
    EXPECT_FALSE(holds(html, "script-src 'unsafe-inline'"));
    // The name of the SVG language is no address that is ever asked.
    EXPECT_EQ(times(html, "://"), times(html, "http://www.w3.org/2000/svg"));
    for (const std::string_view part : {" src=", "url(http", "@import", "eval(", "innerHTML"})
        EXPECT_FALSE(holds(html, part)) << part;
}

TEST(Page, with_ten_lines_of_a_thousand_points_is_below_400_kilobytes) {
    EXPECT_LT(samples::big().html().size(), 400'000U);
}

TEST(Page, is_the_same_every_time) { EXPECT_EQ(samples::storm().html(), samples::storm().html()); }

TEST(PageAssets, are_complete) {
    EXPECT_TRUE(page_template().starts_with("<!doctype html>"));
    EXPECT_TRUE(page_template().ends_with("</html>\n"));
    EXPECT_TRUE(page_style().ends_with("}\n"));
    EXPECT_TRUE(page_script().ends_with("start();\n"));
    EXPECT_EQ(page_script().find("</"), std::string_view::npos) << "would end the script element";
}

}  // namespace
}  // namespace tool
