#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the tool hold against hostile servers, files and neighbours?

    attack.py              all rows, also those of canary.py: `make attack`
    attack.py --short      some of each kind, for `make test`
    attack.py --only WORD  rows whose name has the word in it

docs/reference/attack.md says what is run and how a row is added.
"""

import argparse
import fnmatch
import multiprocessing
import os
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import canary_get  # noqa: E402
import canary_load  # noqa: E402
import leaks  # noqa: E402
import rig  # noqa: E402
import rows_files  # noqa: E402
import rows_http  # noqa: E402
import rows_services  # noqa: E402
import rows_tls  # noqa: E402

HOSTILE = [*rows_http.ROWS, *rows_tls.ROWS, *rows_services.ROWS, *rows_files.ROWS]
SECRETS = [*canary_get.ROWS, *canary_load.ROWS]
ROWS = HOSTILE + SECRETS
OPEN = pathlib.Path(__file__).with_name("open.txt")


def not_mended_yet():
    """Patterns of the names of rows that are known to fail."""
    lines = OPEN.read_text(encoding="utf-8").splitlines() if OPEN.exists() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def is_open(row, known):
    return any(fnmatch.fnmatchcase(row.name, pattern) for pattern in known)


def chosen(options, rows, known):
    """Indices into ROWS. The short form leaves out what is known to fail; the long one looks whether it
    still does."""
    return [number for number, row in enumerate(ROWS)
            if row in rows and (not options.short or (row.short and not is_open(row, known)))
            and (options.only or "").lower() in row.name.lower()]


def play(number):
    """(number, complaints or the reason of a skip, Ended)"""
    try:
        found, ended = rig.play(ROWS[number])
    except Exception as wrong:  # a row that cannot be staged is no row that held
        found, ended = [f"cannot be staged: {wrong!r}"], None
    return number, str(found) if isinstance(found, rig.Skip) else found, ended


def verdict(row, found, known):
    """(word, sentences)"""
    if isinstance(found, str):
        return "skipped", [found]
    if is_open(row, known):
        return ("open", found) if found else ("FAILED", ["holds; remove it from tests/attack/open.txt"])
    return ("FAILED", found) if found else ("passed", [])


def faults_of_lists(known):
    names = [row.name for row in ROWS]
    return sorted({f"two rows are called {name!r}" for name in names if names.count(name) > 1}
                  | {f"open.txt: no row is called {one!r}" for one in known
                     if not fnmatch.filter(names, one)})


def self_test():
    """Every check of a row is seen to fail before it is trusted."""
    good = rig.Ended(4, b"", b"too large", 1.0, 0.1, 50, set())
    row = rig.Row("r", None, (4,), ("large",), ("root:",), deadline=1)

    def wrong(word, row=row, **made):
        ended = rig.dataclasses.replace(good, **made)
        found = rig.complaints(row, None, ended)
        if len(found) != (1 if word else 0) or not all(word in sentence for sentence in found):
            sys.exit(f"self-test: expected a complaint about {word!r}, found {found}")

    wrong("")
    wrong("hangs", status=None, killed="hangs")
    wrong("CPU time", status=-24)
    wrong("signal 6", status=-6)
    wrong("status 0", status=0)
    wrong("does not say", err=b"")
    wrong("says 'root:'", out=b"root:x:0:0")
    wrong("ended after", seconds=1.6)
    wrong("CPU", cpu=1.5)
    wrong("MB", memory=500)
    wrong("of its own", row=rig.dataclasses.replace(row, check=lambda *_: ["of its own"]))
    leaks.self_test()


class Table:
    """A line for each row, and the counts."""

    def __init__(self):
        self.count = {}
        self.quiet = 0
        print(f"{'verdict':<8} {'status':>6} {'s':>6} {'cpu s':>6} {'MB':>5}  row [finding]")

    def add(self, row, word, sentences, ended):
        self.count[word] = self.count.get(word, 0) + 1
        if row.quiet and word == "passed":
            self.quiet += 1
            return
        numbers = " " * 26
        if ended:
            status = "killed" if ended.status is None else ended.status
            numbers = f"{status:>6} {ended.seconds:>6.2f} {ended.cpu:>6.2f} {ended.memory:>5}"
        finding = f" [{row.finding}]" if row.finding else ""
        print(f"{word:<8} {numbers}  {row.name}{finding}")
        for sentence in sentences:
            print(f"{'':<37}{sentence}")

    def end(self, faults, began):
        """The exit status."""
        if self.quiet:
            print(f"{'passed':<37}{self.quiet} runs with secrets: none was shown, kept or passed on")
        print("".join(fault + "\n" for fault in faults), end="")
        failed = self.count.get("FAILED", 0) + len(faults)
        rest = "".join(f", {self.count[word]} {word}" for word in ("open", "skipped") if word in self.count)
        print(f"{self.count.get('passed', 0)} passed, {failed} failed{rest}, in {time.monotonic() - began:.0f} s")
        return 1 if failed else 0


def arguments():
    parser = argparse.ArgumentParser(description="hostile servers and files against the tool")
    parser.add_argument("--short", action="store_true", help="the rows that are part of make test")
    parser.add_argument("--only", metavar="WORD", help="rows whose name has this in it")
    parser.add_argument("--jobs", type=int, default=4, help="rows at once; most of them wait (default 4)")
    parser.add_argument("--open", action="store_true", help="rows of open.txt must hold, too")
    parser.add_argument("--output", action="store_true", help="show what the tool said")
    return parser.parse_args()


def main(rows):
    options, began = arguments(), time.monotonic()
    self_test()
    if not os.access(rig.TOOL, os.X_OK):
        sys.exit(f"there is no {rig.TOOL}; set PERDURE_TOOL")
    known, table = [] if options.open else not_mended_yet(), Table()
    # A process for each row, so that what one makes does not count as the memory of the next one's tool.
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=1) as pool:
        for number, found, ended in pool.imap(play, chosen(options, rows, known), chunksize=1):
            table.add(ROWS[number], *verdict(ROWS[number], found, known), ended)
            if options.output and ended:
                print(ended.said())
    sys.exit(table.end(faults_of_lists(known), began))


if __name__ == "__main__":
    main(ROWS if "--short" not in sys.argv else HOSTILE)
