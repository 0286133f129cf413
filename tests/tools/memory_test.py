# SPDX-License-Identifier: Apache-2.0
"""Does a command that gets no memory end with the status that says what can have happened?

The same limit leaves enough for little work, so that it is the large answer or record that meets it.
"""

import os
import shutil
import subprocess
import sys
import unittest

from load_sqlite import LoadCase
from small_server import Server, answer
from tool import PATIENCE, TOOL, Case

MEGABYTE = 1 << 20
# Of address space: with libraries and the stacks of threads.
LIMIT = 300 * MEGABYTE
SENTENCE = "perdure: the system gives no more memory\n"


def limited(*arguments):
    """(exit status, standard output, standard error)"""
    done = subprocess.run(["prlimit", f"--as={LIMIT}", TOOL, *arguments], capture_output=True, timeout=PATIENCE)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


if not shutil.which("prlimit") or limited("get", "--help")[0] != 0:
    print("no prlimit, a tool without the modules of the network, or one with sanitizers, which reserve more")
    sys.exit(77)


class Get(Case):
    def ends(self, *flags):
        small, large = answer(200, b"x"), answer(200, bytes(200 * MEGABYTE))
        with Server([small, large]) as server:
            self.assertEqual(limited("get", "--no-proxy", *flags, server.url())[::2], (0, ""))
            status, out, err = limited("get", "--no-proxy", *flags, server.url())
            self.assertEqual((out, err), ("", SENTENCE))
            self.assertEqual(len(server.requests), 2)
        return status

    def test_of_a_write_that_was_sent_says_that_its_effect_is_unknown(self):
        self.assertEqual(self.ends("--body", "x"), 5)

    def test_of_a_read_says_that_nothing_was_done(self):
        self.assertEqual(self.ends(), 4)


class Load(LoadCase):
    def limited(self, records, size):
        path = os.path.join(self.folder, "in.jsonl")
        with open(path, "w", encoding="ascii") as file:
            for number in range(records):
                file.write('{"id":%d,"text":"%s"}\n' % (number, "x" * size))
        return limited("load", path, "--to", "sqlite:" + self.database, "--table", f"t{size}", "--create",
                       "--key", "id", "--workers", "1")

    def test_after_the_target_was_opened_says_that_the_same_command_goes_on(self):
        status, _, err = self.limited(1, 1)
        self.assertEqual(status, 0, err)
        status, _, err = self.limited(6, 15 * MEGABYTE)
        self.assertEqual(status, 5, err)
        self.assertIn(SENTENCE, err)


class Sim(Case):
    def test_gives_its_own_hint(self):
        status, _, err = limited("sim", "retry-storm", "--seeds", "1", "--threads", "1", "--set",
                                 "clients.count=10000000")
        self.assertEqual(status, 1, err)
        self.assertIn("not enough memory; lower `clients.count`", err)


if __name__ == "__main__":
    unittest.main()
