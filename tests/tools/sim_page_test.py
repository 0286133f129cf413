# SPDX-License-Identifier: Apache-2.0
"""Does the page of the storm say on its first screen what was done, what happened, what to change?"""

import base64
import hashlib
import os
import tempfile
import unittest

from browser import Browser, skip_without_browser
from tool import call

HEIGHT = 900


class StormPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = os.path.join(folder.name, "storm.html")
        status, _, err = call("sim", "retry-storm", "--seeds", "1", "--set", "duration=100s", "--policy", "none",
                              "--policy", "immediate", "--policy", "bucket", "--html", cls.path)
        assert status == 0, err
        cls.browser = cls.enterClassContext(Browser())

    def open(self, **options):
        tab = self.browser.open(self.path, **options)

        def check():
            tab.close()
            self.assertEqual(tab.errors, [])
            self.assertEqual(tab.requests, [])

        self.addCleanup(check)
        return tab

    def test_runs_its_own_script_only_by_the_hash_in_its_policy(self):
        with open(self.path, encoding="utf-8", newline="") as file:
            page = file.read()
        script = page[page.rindex("<script>") + len("<script>"):page.rindex("</script>")]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"script-src 'sha256-{digest}';", page)

    def test_the_first_screen_has_the_three_statements(self):
        tab = self.open(width=1280)
        found = tab.evaluate("""[...document.querySelectorAll('h2, h3, p, li')]
            .filter(e => e.getBoundingClientRect().bottom <= %d).map(e => e.textContent).join('\\n')""" % HEIGHT).replace("\xa0", " ")
        for statement in ("What was done", "capacity × 0.2 from 30 s to 40 s",
                          "What happened", "immediate: never recovered in any seed",
                          "What to change", "Cap the extra load"):
            self.assertIn(statement, found)

    def test_every_policy_has_its_panel_with_three_lines(self):
        tab = self.open()
        self.assertEqual(tab.count("figure.multiples svg.panel"), 3)
        self.assertEqual(tab.count("figure.multiples g.lines path.line"), 9)

    def test_perdure_has_a_colour_of_its_own_and_is_drawn_last(self):
        path = os.path.join(os.path.dirname(self.path), "all.html")
        status, _, err = call("sim", "retry-storm", "--seeds", "1", "--set", "duration=60s", "--html", path)
        self.assertEqual(status, 0, err)
        tab = self.browser.open(path)
        self.addCleanup(tab.close)
        lines = tab.evaluate("""[...document.querySelectorAll('figure.lines g.lines')].map(group =>
            [...group.querySelectorAll('path.line')].map(line => [line.classList.contains('own'),
                line.getAttribute('style')]))""")
        self.assertGreater(len(lines), 0)
        for chart in lines:
            self.assertEqual([own for own, _ in chart], [False] * (len(chart) - 1) + [True])
            self.assertNotIn(chart[-1][1], [style for _, style in chart[:-1]])

    def test_a_sign_stays_with_its_name(self):
        self.assertIn("</span>&nbsp;immediate", open(self.path, encoding="utf-8").read())

    def test_hovering_shows_the_values(self):
        tab = self.open()
        tab.hover("figure.multiples svg.panel", 0.9)
        box = "figure.multiples .tooltip:not([hidden])"
        self.assertEqual(tab.count(box) > 0, True)
        text = " ".join(tab.texts(box))
        for word in ("attempts", "offered", "goodput", "/s"):
            self.assertIn(word, text)

    def test_it_says_how_to_run_it_again(self):
        tab = self.open()
        self.assertIn("perdure sim retry-storm --policy none --policy immediate --policy bucket",
                      tab.evaluate("document.body.textContent"))


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
