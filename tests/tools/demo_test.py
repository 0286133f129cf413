# SPDX-License-Identifier: Apache-2.0
"""Does the demonstration show what it says, and leave nothing behind? A short form of `make demo`."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from tool import TOOL, ends

DEMO = os.path.join(os.path.dirname(TOOL), "perdure_load_demo")
PATIENCE = 40


def demo(*arguments, cwd):
    return subprocess.run([DEMO, *arguments], cwd=cwd, capture_output=True, text=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL)


class Shown(unittest.TestCase):
    """One run, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.run_of = demo("--records", "3000", "--seed", "5", cwd=cls.folder)
        cls.screen = cls.run_of.stdout

    def rows(self, database):
        with sqlite3.connect(os.path.join(self.folder, "perdure-demo", database)) as table:
            return table.execute("select count(*), count(distinct id) from orders").fetchone()

    def cells(self, name):
        """(lost, doubled) as the screen has them."""
        found = re.search(rf"^  {name} +([\d,]+) +([\d,]+)", self.screen, re.MULTILINE)
        return tuple(int(text.replace(",", "")) for text in found.groups())

    def test_perdure_lost_and_doubled_nothing(self):
        self.assertEqual(self.run_of.returncode, 0, self.screen + self.run_of.stderr)
        self.assertIn("Perdure lost nothing and doubled nothing", self.screen)
        self.assertEqual(self.cells("perdure load"), (0, 0))
        self.assertEqual(self.rows("perdure.db"), (3000, 3000))

    def test_what_it_says_of_the_naive_loader_is_true(self):
        lost, doubled = self.cells("naive loader")
        rows, different = self.rows("naive.db")
        self.assertEqual((lost, doubled), (3000 - different, rows - different))

    def test_the_broken_lines_were_rejected_by_both(self):
        self.assertEqual(len(re.findall(r"\b3 of 3\b", self.screen)), 2, self.screen)

    def test_it_fits_one_screen_and_has_no_colours_in_a_pipe(self):
        lines = self.screen.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(len(line) for line in lines if self.folder not in line), 100)
        self.assertNotIn("\033", self.screen)

    def test_it_leaves_a_report_and_says_where(self):
        path = os.path.join(self.folder, "perdure-demo", "report.html")
        self.assertIn(path, self.screen)
        with open(path, encoding="utf-8") as file:
            page = file.read()
        for words in ("A load that loses nothing", "Rows in the table", "killed", "--seed 5"):
            self.assertIn(words, page)


LIAR = r"""#!{python}
import json, sqlite3, sys
def flag(name): return sys.argv[sys.argv.index(name) + 1]
rows = []
for line in open(sys.argv[2], "rb"):
    try:
        row = json.loads(line)
        rows += [tuple(row.values())] if isinstance(row["cents"], int) else []
    except ValueError:
        pass
with sqlite3.connect(flag("--to")[len("sqlite:"):], timeout=20) as table:
    table.execute("create table if not exists orders (id, customer, item, cents, note, placed_at)")
    table.execute("delete from orders")
    table.executemany("insert into orders values (?, ?, ?, ?, ?, ?)", rows[1:])
print('{{"verified": true}}')
sys.exit(4)
"""


class Manners(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_perdure_that_loses_one_order_and_denies_it_is_found_out(self):
        liar = os.path.join(self.folder, "perdure")
        with open(liar, "w", encoding="utf-8") as file:
            file.write(LIAR.format(python=sys.executable))
        os.chmod(liar, 0o755)
        beside = shutil.copy(DEMO, self.folder)
        done = subprocess.run([beside, "--records", "2000"], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertIn("PERDURE DID NOT KEEP ITS WORD: 1 order lost", done.stdout, done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_it_never_empties_a_folder_of_somebody_else(self):
        mine = os.path.join(self.folder, "perdure-demo")
        os.mkdir(mine)
        with open(os.path.join(mine, "thesis.txt"), "w", encoding="utf-8") as file:
            file.write("years of work")
        done = demo("--records", "2000", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--directory", done.stderr)
        self.assertEqual(os.listdir(mine), ["thesis.txt"])

    def test_wrong_flags_are_said_to_be_wrong(self):
        self.assertEqual(demo("--records", "many", cwd=self.folder).returncode, 125)

    def test_ctrl_c_ends_its_children_too(self):
        out, inherited = os.pipe()
        process = subprocess.Popen([DEMO, "--records", "20000"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, pass_fds=[inherited])
        os.close(inherited)
        log = os.path.join(self.folder, "perdure-demo", "naive.log")
        with os.fdopen(out) as pipe:
            while not os.path.exists(log) and process.poll() is None:
                ends(pipe, within=0.05)
            process.send_signal(signal.SIGINT)
            # The pipe is inherited by every child, so its end is the end of them all.
            self.assertTrue(ends(pipe))
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGINT)


if __name__ == "__main__":
    if not os.path.exists(DEMO):
        print("there is no perdure_load_demo beside", TOOL)
        sys.exit(77)
    unittest.main()
