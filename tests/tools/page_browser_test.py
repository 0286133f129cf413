# SPDX-License-Identifier: Apache-2.0
"""Does a report page do what its reader expects? Looked at in a browser without a window."""

import os
import re
import subprocess
import tempfile
import unittest

from browser import Browser, skip_without_browser

SAMPLES = os.environ.get("PERDURE_PAGE_SAMPLES", "perdure_page_samples")
SHIFT = 8
LINES = "figure.lines svg.panel"  # the first one shows six policies over 460 s
POLICIES = ["no retries", "4 attempts, no budget", "4 attempts, full jitter", "AWS 2026 standard",
            "Finagle budget", "Perdure default"]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        subprocess.run([SAMPLES, folder.name], check=True)
        cls.folder = folder.name
        cls.browser = cls.enterClassContext(Browser())

    def open(self, name="storm", **options):
        """A tab that must end without complaints and without having asked for anything."""
        tab = self.browser.open(os.path.join(self.folder, name + ".html"), **options)

        def check():
            tab.close()
            self.assertEqual(tab.errors, [])
            self.assertEqual(tab.requests, [])

        self.addCleanup(check)
        return tab

    def tooltip(self, tab, figure="figure.lines"):
        """{name: value} of the tooltip, and its title; (None, None) when there is none."""
        box = f"{figure} .tooltip:not([hidden])"
        if tab.count(box) == 0:
            return None, None
        rows = dict(zip(tab.texts(box + " th"), tab.texts(box + " td")))
        return rows, tab.text(box + " strong")


class Charts(Pages):
    def test_every_line_is_drawn_once_in_every_panel(self):
        tab = self.open()
        self.assertEqual(tab.count("figure.chart"), 5)
        self.assertEqual(tab.count("figure.multiples svg.panel"), 6)
        self.assertEqual(tab.count("figure.multiples g.lines path.line"), 6 * 3)
        counts = tab.evaluate("""[...document.querySelectorAll('figure.lines')].map(
            figure => figure.querySelectorAll('g.lines path').length)""")
        self.assertEqual(counts, [6, 3])
        self.assertEqual(tab.count("figure.path g.lines path"), 2)
        self.assertGreater(tab.count("figure.path .direction .head"), 6)
        self.assertGreater(tab.count("figure.histogram .buckets rect"), 50)

    def test_a_missing_number_breaks_the_line(self):
        tab = self.open()
        pieces = tab.evaluate("""[...document.querySelectorAll('figure.lines')][1]
            .querySelectorAll('g.lines path.line')[0].getAttribute('d').split('M').length - 1""")
        self.assertEqual(pieces, 2)

    def test_a_name_has_one_colour_on_the_whole_page(self):
        tab = self.open()
        colours = tab.evaluate("""[...document.querySelectorAll('.legend button')].map(
            b => [b.textContent, b.querySelector('path.line, rect').getAttribute('style')])""")
        seen = {}
        for name, style in colours:
            seen.setdefault(name, set()).add(style)
        self.assertEqual({name for name, styles in seen.items() if len(styles) > 1}, set())
        self.assertEqual(len({style for name, style in colours if name in POLICIES}), len(POLICIES))

    def test_a_logarithmic_axis_has_round_ticks_with_units(self):
        tab = self.open()
        ticks = tab.evaluate("""[...[...document.querySelectorAll('figure.lines')][1]
            .querySelectorAll('.tick text')].map(t => t.textContent.replace('\\u00a0', ' '))""")
        for text in ("10 ms", "100 ms", "1 s", "100 s"):
            self.assertIn(text, ticks)

    def test_labels_do_not_leave_their_chart(self):
        for width in (360, 800, 1200):
            tab = self.open(width=width)
            outside = tab.evaluate("""[...document.querySelectorAll('svg.panel')].flatMap(s => {
                const box = s.getBoundingClientRect();
                return [...s.querySelectorAll('text')].filter(t => {
                    const r = t.getBoundingClientRect();
                    return r.left < box.left - 1 || r.right > box.right + 1;
                }).map(t => t.textContent);
            })""")
            self.assertEqual(outside, [], width)


class Reading(Pages):
    def test_a_pointer_is_told_all_values_at_its_x(self):
        tab = self.open()
        tab.hover(LINES, 0.75)
        rows, title = self.tooltip(tab)
        self.assertEqual(list(rows), POLICIES)
        at = int(re.fullmatch(r"time (\d+)\xa0s", title)[1])
        wanted = tab.evaluate(f"""(() => {{
            const all = JSON.parse(document.getElementById('numbers').textContent);
            const line = all.charts[1].panels[0].lines[0];
            return line.y[all.xs[line.x].indexOf({at})];
        }})()""")
        self.assertEqual(rows["no retries"], f"{wanted:.4g}/s")
        self.assertEqual(tab.count(LINES + " .cursor circle"), 6)
        tab.hover("h1")
        self.assertEqual(self.tooltip(tab), (None, None))
        self.assertEqual(tab.count(".cursor circle"), 0)

    def test_the_cross_hair_stands_at_the_point_nearest_to_the_pointer(self):
        tab = self.open()
        # 231 points over some 830 pixels: nearest is never further than half of 3.6.
        for across in (0.3, 0.301, 0.302, 0.303, 0.6, 0.601):
            tab.hover(LINES, across)
            pointer, _ = tab.place(LINES, across)
            hair = tab.evaluate(f"document.querySelector('{LINES} .cursor line').getBoundingClientRect().x")
            self.assertLess(abs(hair - pointer), 1.9, across)

    def test_the_cross_hair_is_linked_across_panels(self):
        tab = self.open()
        tab.hover("figure.multiples svg.panel", 0.4)
        self.assertEqual(tab.count("figure.multiples .cursor line"), 6)
        self.assertEqual(tab.count("figure.multiples .reading .readout span"), 6 * 3)
        rows, title = self.tooltip(tab, "figure.multiples")
        self.assertEqual(list(rows), ["offered", "goodput", "attempts"])
        self.assertTrue(title.startswith("no retries · time "), title)

    def test_arrow_keys_walk_along_the_points(self):
        tab = self.open()
        tab.evaluate(f"document.querySelector('{LINES}').focus()")
        seen = []
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
            tab.press(key)
            seen.append(self.tooltip(tab)[1])
        self.assertEqual(seen, [f"time {at}\xa0s" for at in (0, 2, 0, 460, 0)])
        tab.press("Escape")
        self.assertEqual(self.tooltip(tab), (None, None))

    def test_a_finger_gets_an_answer_that_stays(self):
        tab = self.open(width=360, height=780)
        tab.tap(LINES, 0.6)
        self.assertEqual(list(self.tooltip(tab)[0]), POLICIES)

    def test_a_loop_is_read_point_by_point(self):
        tab = self.open()
        tab.evaluate("document.querySelector('figure.path svg.panel').focus()")
        tab.press("Home")
        tab.press("ArrowRight")
        rows, title = self.tooltip(tab, "figure.path")
        self.assertEqual(title, "4 attempts, no budget, point 2 of 41")
        self.assertEqual(rows, {"offered load": "60/s", "goodput": "60/s"})

    def test_a_histogram_says_which_share_lies_below(self):
        tab = self.open()
        tab.evaluate("document.querySelector('figure.histogram svg.panel').focus()")
        tab.press("End")
        rows, _ = self.tooltip(tab, "figure.histogram")
        self.assertEqual(rows["up to here"], "100\xa0%")


class Choosing(Pages):
    def test_the_legend_takes_a_line_out_and_brings_it_back(self):
        tab = self.open()
        button = "figure.lines .legend button"
        tab.click(button)
        self.assertEqual(tab.count(LINES + " g.lines path"), 5 + 3)
        self.assertEqual(tab.count(button + "[aria-pressed=false]"), 1)
        tab.hover(LINES, 0.5)
        self.assertEqual(list(self.tooltip(tab)[0]), POLICIES[1:])
        tab.click(button)
        self.assertEqual(tab.count(LINES + " g.lines path"), 6 + 3)

    def test_with_shift_only_one_line_stays(self):
        tab = self.open()
        button = "figure.multiples .legend button[data-name=goodput]"
        tab.click(button, SHIFT)
        self.assertEqual(tab.count("figure.multiples g.lines path"), 6)
        tab.click(button, SHIFT)
        self.assertEqual(tab.count("figure.multiples g.lines path"), 6 * 3)

    def test_a_chart_without_any_line_says_so(self):
        tab = self.open()
        for name in ("offered", "goodput", "attempts"):
            tab.click(f"figure.multiples .legend button[data-name={name}]")
        self.assertEqual(tab.count("figure.multiples .empty"), 6)
        tab.hover("figure.multiples svg.panel")
        self.assertEqual(self.tooltip(tab, "figure.multiples"), (None, None))

    def test_tables_are_sorted_by_value_in_both_orders(self):
        tab = self.open()

        def column(number):
            return tab.texts(f"main > figure.table td:nth-child({number})")

        tab.click("main > figure.table th:nth-child(5) button")
        self.assertEqual(column(5), ["640 ms", "880 ms", "1.91 s", "1.97 s", "–", "–"])
        tab.click("main > figure.table th:nth-child(5) button")
        self.assertEqual(column(5), ["1.97 s", "1.91 s", "880 ms", "640 ms", "–", "–"])
        tab.click("main > figure.table th:nth-child(1) button")
        names = [re.sub(r"^[✓✗★]\s", "", text) for text in column(1)]
        self.assertEqual(names, sorted(names, key=str.lower))
        self.assertEqual(tab.count("th[aria-sort]"), 1)

    def test_the_command_can_be_copied(self):
        tab = self.open()
        self.browser.send("Browser.grantPermissions",
                          permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        tab.click("section.code .copy")
        self.assertEqual(tab.evaluate("navigator.clipboard.readText()"),
                         "perdure sim storm --seed 7 --clients 200 --html storm.html")


class Surroundings(Pages):
    def test_the_page_is_never_wider_than_the_screen(self):
        for name in ("storm", "big", "hostile"):
            for width in (360, 768, 1200):
                tab = self.open(name, width=width)
                self.assertEqual(tab.evaluate("document.documentElement.scrollWidth"), width, name)

    def test_charts_follow_the_width_of_the_window(self):
        tab = self.open()
        width = f"document.querySelector('{LINES}').viewBox.baseVal.width"
        before = tab.evaluate(width)
        tab.resize(700)
        tab.settle()
        self.assertLess(tab.evaluate(width), before - 300)

    def test_dark_and_light_are_legible(self):
        for dark in (False, True):
            tab = self.open(dark=dark)
            ink, paper = tab.evaluate("""(() => {
                const style = getComputedStyle(document.body);
                return [style.color, style.backgroundColor];
            })()""")
            self.assertEqual(luminance(paper) < 0.5, dark)
            self.assertGreater(contrast(ink, paper), 12)
            card = tab.evaluate("getComputedStyle(document.querySelector('figure')).backgroundColor")
            soft = tab.evaluate("getComputedStyle(document.querySelector('.note')).color")
            self.assertGreater(contrast(soft, card), 4.5)
            lines = tab.evaluate("""[...document.querySelectorAll('g.lines path.line:not(.muted)')]
                .map(p => getComputedStyle(p).stroke)""")
            for colour in set(lines):
                self.assertGreater(contrast(colour, card), 2.8, colour)

    def test_paper_is_always_light_and_shows_what_was_folded(self):
        tab = self.open(dark=True)
        tab.send("Emulation.setEmulatedMedia", media="print",
                 features=[{"name": "prefers-color-scheme", "value": "dark"}])
        style = "getComputedStyle(document.body)."
        self.assertGreater(luminance(tab.evaluate(style + "backgroundColor")), 0.9)
        self.assertLess(luminance(tab.evaluate(style + "color")), 0.1)
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(tab.count("details:not([open])"), 0)
        tab.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(tab.count("details[open]"), 0)

    def test_without_a_script_headline_tables_and_bars_are_there(self):
        tab = self.open(script=False)
        text = tab.text("main")
        for words in ("What happened", "Two of six policies never came back", "89.9 %",
                      "drawn by a script", "one each"):
            self.assertIn(words, text)
        self.assertEqual(tab.count("svg.panel"), 0)

    def test_hostile_text_and_missing_numbers_do_no_harm(self):
        tab = self.open("hostile")
        self.assertTrue(tab.evaluate("document.title").startswith("</script>"))
        self.assertEqual((tab.count("img"), tab.count("script")), (0, 2))
        tab.hover("figure.lines svg.panel", 0.2)
        self.assertEqual(tab.evaluate("document.querySelector('main').innerHTML.match(/NaN/)"), None)

    def test_ten_thousand_points_are_redrawn_within_a_tenth_of_a_second(self):
        tab = self.open("big")
        took = tab.evaluate("""(() => {
            const button = document.querySelector('.legend button');
            const rounds = [1, 2, 3, 4, 5].map(() => {
                const begin = performance.now();
                button.click();
                return performance.now() - begin;
            });
            return Math.min(...rounds);
        })()""")
        self.assertLess(took, 100)


def luminance(colour):
    parts = [int(n) / 255 for n in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
