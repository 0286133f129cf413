# SPDX-License-Identifier: Apache-2.0
"""Does the page of `perdure tune` show what the tuner found? Looked at in a browser without a window."""

import os
import tempfile
import unittest

from browser import Browser, skip_without_browser
from latencies import ladder, lines, log_normal
from tool import call


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.browser = cls.enterClassContext(Browser())

    def page(self, given, *flags, **options):
        """A tab that must end without complaints and without having asked for anything."""
        path = os.path.join(self.folder, "page.html")
        call("tune", "-", "--html", path, *flags, given=given.encode())
        tab = self.browser.open(path, **options)

        def check():
            tab.close()
            self.assertEqual((tab.errors, tab.requests), ([], []))

        self.addCleanup(check)
        return tab

    def day(self):
        values = log_normal(21_600, 10, 40)
        return "at,latency_ms\n" + lines(
            f"{1_794_009_600 + 4 * i},{value * (2 if i // 900 == 14 else 1)}" for i, value in enumerate(values))

    def test_a_recommendation_has_its_charts_its_table_and_its_plan(self):
        tab = self.page(self.day(), "--time", "at", "--false-timeouts", "1%", "--rate", "800", "--capacity", "1000",
                        "--name", "<orders>")
        self.assertRegex(tab.text("h1"), r"^A timeout of [\d.]+ ms for <orders>$")
        self.assertEqual(tab.count("figure.chart"), 4)
        self.assertGreater(tab.count("figure.histogram .buckets rect"), 30)
        everything = tab.text("body").replace("\xa0", " ")
        for words in ("The tail", "The cliff", "Stretches of time", "tips it over", 'Plan{.name = "<orders>"',
                      "2026-11-07 14:00"):
            self.assertIn(words, everything)

    def test_a_refusal_says_so_first_and_has_no_plan(self):
        tab = self.page(lines(ladder(100), "{}ms"))
        self.assertEqual(tab.text("h1"), "No timeout for the service")
        self.assertIn("needs 2,995 samples, has 100", tab.text("body"))
        self.assertNotIn("Plan{", tab.text("body"))

    def test_odd_samples_make_a_page_too(self):
        for given in (lines([0] * 3_000, "{}ms"), lines([5] * 3_000, "{}ms"), lines([1], "{}ms"),
                      lines([0] * 2_999 + [10 ** 9], "{}s")):
            self.assertTrue(self.page(given).text("h1"))

    def test_it_fits_a_telephone_in_the_dark(self):
        tab = self.page(self.day(), "--time", "at", "--false-timeouts", "1%", "--utilisation", "60%", width=360,
                        dark=True)
        self.assertLessEqual(tab.evaluate("document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
