# SPDX-License-Identifier: Apache-2.0
"""Does what `perdure load` prints fit a terminal of 80 columns?

A line that is longer wraps, and the next progress line then overwrites its second half only: each update leaves
a line behind. Seen once through a pseudo-terminal, byte by byte, and once through tmux, as a person sees it.
"""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import time
import unicodedata
import unittest

from load_sqlite import LoadCase, json_lines, orders
from tool import PATIENCE, TOOL

COLUMNS, LINES = 80, 30
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PROGRESS = re.compile(r"\d+ ?%")


def width(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 0 if unicodedata.combining(letter) else 1
               for letter in text)


class TerminalCase(LoadCase):
    # Small batches and faults, so that the load takes long enough for several progress lines, and has retries and
    # outcomes to tell of: that makes the line longest.
    RECORDS = 60_000
    FLAGS = ("--batch", "50", "--faults", "5%")

    def setUp(self):
        super().setUp()
        self.path = self.file("orders.jsonl", json_lines(orders(self.RECORDS)))

    def command(self, *flags, to=None):
        return [TOOL, "load", self.path, "--to", to or "sqlite:" + self.database, "--table", "orders", "--create", "--key", "id",
                *flags]


class Terminal(TerminalCase):
    def printed(self, columns, *flags, status=0, to=None):
        """Everything that the tool writes to a terminal of this width."""
        own, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
        process = subprocess.Popen(self.command(*flags, to=to), stdin=its, stdout=its, stderr=its, cwd=self.folder,
                                   start_new_session=True)
        os.close(its)
        seen = b""
        try:
            while part := os.read(own, 65536):
                seen += part
        except OSError:  # Linux says EIO when the last process has closed the terminal
            pass
        os.close(own)
        self.assertEqual(process.wait(timeout=PATIENCE), status, seen)
        return seen.decode()

    def test_shows_after_a_second_for_whom_a_load_waits_and_why(self):
        # Nobody listens on port 1. Three seconds instead of the default minute, which shows the same for longer.
        seen = self.printed(120, "--patience", "3s", status=5, to="postgres://me@127.0.0.1:1/shop")
        self.assertRegex(seen, r"waiting, \d s of 3 s, attempt \d+: .*postgres 127\.0\.0\.1:1/shop.*refused")

    def test_of_80_columns_is_never_overrun(self):
        self.check(COLUMNS)

    def test_of_80_columns_is_never_overrun_by_a_load_that_goes_on(self):
        # The account then has a second column, and tells how many records were read again.
        lines = json_lines(orders(self.RECORDS)).splitlines(True)
        self.path = self.file("orders.jsonl", "".join(lines[:-30_000]))
        self.printed(COLUMNS)
        self.path = self.file("orders.jsonl", "".join(lines))
        self.assertIn("with earlier runs", self.check(COLUMNS))

    def test_of_40_columns_is_never_overrun_by_progress(self):
        text = ESCAPE.sub("", self.printed(40, *self.FLAGS))
        progress = [part for part in re.split(r"[\r\n]+", text) if PROGRESS.search(part)]
        self.assertTrue(progress, text)
        self.assertLess(max(map(width, progress)), 40 + 1, progress[-1])

    def check(self, columns):
        text = ESCAPE.sub("", self.printed(columns, *self.FLAGS))
        parts = [part for part in re.split(r"[\r\n]+", text) if part.strip()]
        self.assertTrue([part for part in parts if PROGRESS.search(part)], text)
        # The name of the temporary directory is not ours to shorten.
        longest = max((part for part in parts if self.folder not in part), key=width)
        self.assertLessEqual(width(longest), columns, longest)
        return text


@unittest.skipUnless(shutil.which("tmux"), "tmux is not installed")
class Tmux(TerminalCase):
    def tmux(self, *words):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", os.path.join(self.folder, "tmux"), *words], check=True,
                              capture_output=True, text=True, timeout=PATIENCE).stdout

    def screen(self, *flags):
        return [line.rstrip() for line in self.tmux("capture-pane", "-p", "-S", "-", *flags, "-t", "load").splitlines()]

    def test_has_no_line_that_wraps_and_one_line_of_progress(self):
        script = self.file("load.sh", "cd '%s' && %s; echo \"ended with $?\"; read line\n" % (
            self.folder, " ".join(f"'{word}'" for word in self.command("--rejected", "r.jsonl", *self.FLAGS))))
        self.tmux("new-session", "-d", "-s", "load", "-x", str(COLUMNS), "-y", str(LINES), "sh", script)
        self.addCleanup(self.tmux, "kill-server")
        limit, most, seen = time.monotonic() + PATIENCE, 0, []
        while not any(line.startswith("ended with") for line in seen):
            self.assertLess(time.monotonic(), limit, seen)
            seen = self.screen()
            most = max(most, sum(1 for line in seen if PROGRESS.search(line)))
        self.assertIn("ended with 0", seen)
        self.assertEqual(most, 1, "each update of the progress leaves a line behind")
        # -J joins what was wrapped.
        joined = self.screen("-J")
        wrapped = [line for line in joined if width(line) > COLUMNS and self.folder not in line]
        self.assertEqual(wrapped, [])


if __name__ == "__main__":
    done = unittest.main(exit=False).result
    if done.wasSuccessful() and not shutil.which("tmux"):
        print("tmux is not installed")
        sys.exit(77)
    sys.exit(not done.wasSuccessful())
