# SPDX-License-Identifier: Apache-2.0
"""Does the page of `perdure doctor` show the verdict and the timeline? Looked at in a browser without a window."""

import os
import tempfile
import unittest

from browser import Browser, skip_without_browser
from doctor_journal import healthy, sick, text
from tool import call


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.browser = cls.enterClassContext(Browser())

    def page(self, lines, **options):
        """A tab that must end without complaints and without having asked for anything."""
        path = os.path.join(self.folder, "page.html")
        call("doctor", "-", "--html", path, given=text(lines).encode())
        tab = self.browser.open(path, **options)

        def check():
            tab.close()
            self.assertEqual((tab.errors, tab.requests), ([], []))

        self.addCleanup(check)
        return tab

    def test_trouble_has_its_verdict_its_timeline_and_its_ids(self):
        tab = self.page(sick())
        self.assertEqual(tab.text("h1"), "Most likely: one sick instance (host-3)")
        self.assertGreaterEqual(tab.count("figure.chart"), 3)
        everything = tab.text("body").replace("\xa0", " ")
        for words in ("p99 by instance", "UNAVAILABLE", "To hand over", "What was considered", "Contact support: no"):
            self.assertIn(words, everything)

    def test_a_healthy_run_has_a_page_too(self):
        self.assertEqual(self.page(healthy()).text("h1"), "Healthy")
        self.assertEqual(self.page(healthy(1, 1)).text("h1"), "Healthy")

    def test_it_fits_a_telephone_in_the_dark(self):
        tab = self.page(sick(), width=360, dark=True)
        self.assertLessEqual(tab.evaluate("document.documentElement.scrollWidth"), 360)


if __name__ == "__main__":
    skip_without_browser()
    unittest.main()
