# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` write rejected records where nothing else is, whatever was put there before?"""

import json
import os
import resource
import stat
import subprocess
import sys
import unittest

from load_sqlite import LoadCase, json_lines, orders
from tool import PATIENCE, TOOL, call

NAME = "orders.rejected.jsonl"
SECOND = "orders.rejected-2.jsonl"


class SideFile(LoadCase):
    def bad(self, name="a.jsonl", count=3):
        return self.file(name, json_lines(orders(3)) + "".join(f"{name} {i}\n" for i in range(count)))

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def others(self):
        """What lies in the folder beside inputs and the database."""
        return sorted(name for name in os.listdir(self.folder) if "rejected" in name or name.startswith("."))

    def load_bad(self, *flags, **options):
        return self.load(self.bad(**options), "--create", *flags)

    def test_is_for_its_owner_only(self):
        self.assertEqual(self.load_bad()[0], 4)
        self.assertEqual(stat.S_IMODE(os.stat(self.path(NAME)).st_mode), 0o600)
        self.assertEqual(self.others(), [NAME])

    def test_journals_are_not_for_everybody_and_wait_for_no_reader(self):
        self.assertEqual(self.load_bad("--journal", "journal.jsonl")[0], 4)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("journal.jsonl")).st_mode), 0o640)
        os.mkfifo(self.path("pipe"))
        self.assertEqual(self.load_bad("--journal", "pipe", name="b.jsonl")[0], 4)

    def test_follows_no_link_that_was_put_in_its_way(self):
        self.file("victim", "precious\n")
        links = [NAME, NAME + ".new", NAME + ".part", NAME + ".new.part"]
        for name in links:
            os.symlink("victim", self.path(name))
        status, answer, err = self.load_bad()
        self.assertEqual((status, answer["rejected_file"]), (4, SECOND), err)
        self.assertEqual(self.text("victim"), "precious\n")
        self.assertEqual(len(self.rejected(SECOND)), 3)
        self.assertEqual([name for name in links if not os.path.islink(self.path(name))], [])

    def test_replaces_no_link_that_leads_nowhere(self):
        os.symlink("made-by-nobody", self.path(NAME))
        self.assertEqual(self.load_bad()[1]["rejected_file"], SECOND)
        self.assertEqual(self.others(), sorted([NAME, SECOND]))
        self.assertFalse(os.path.exists(self.path("made-by-nobody")))

    def test_can_be_made_whatever_the_table_is_called(self):
        tables = {"a/b": "a_b", "/up": "_up", "t" * 240: "t" * 200, "é" * 120: "é" * 100, "x" + "é" * 120: "x" + "é" * 99}
        for table, stem in tables.items():
            with self.subTest(table=table):
                status, answer, err = self.load(self.bad(), "--create", table=table)
                self.assertEqual((status, answer["rejected_file"]), (4, stem + ".rejected.jsonl"), err)
                self.assertEqual(len(self.rejected(stem + ".rejected.jsonl")), 3)
        name = "r" * 249 + ".jsonl"
        self.assertEqual(self.load_bad("--rejected", name)[1]["rejected_file"], name)
        self.assertEqual(self.others(), sorted(stem + ".rejected.jsonl" for stem in tables.values()))

    def test_waits_for_no_pipe_of_its_usual_name(self):
        for name in (NAME, NAME + ".new.part"):
            os.mkfifo(self.path(name))
        self.assertEqual(self.load_bad()[1]["rejected_file"], SECOND)

    def test_says_that_no_process_reads_the_pipe_that_was_asked_for(self):
        os.mkfifo(self.path("pipe"))
        status, answer, err = self.load_bad("--rejected", "pipe")
        self.assertEqual((status, answer["account"]["rejected"]), (1, 3))
        self.assertIn("cannot write 'pipe': no process reads this pipe", err)

    def test_goes_to_a_pipe_that_is_read(self):
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        try:
            status, answer, err = self.load_bad("--rejected", "pipe")
            self.assertEqual((status, answer["rejected_file"]), (4, "pipe"), err)
            self.assertEqual(len(os.read(reader, 65536).splitlines()), 3)
        finally:
            os.close(reader)

    def test_goes_on_in_the_file_of_the_descriptor_that_was_asked_for(self):
        for turn, name in enumerate(("/dev/stdout", "/dev/stderr", "/dev/fd/%d", "/proc/self/fd/%d")):
            with self.subTest(name=name), open(self.path("log"), "w+", encoding="utf-8") as file:
                file.write("before\n")
                file.flush()
                wished = name % file.fileno() if "%" in name else name
                streams = {"stdout": file} if wished == "/dev/stdout" else {"stderr": file} if wished == "/dev/stderr" else {}
                self.database = self.path(f"{turn}.db")
                status, _, err = call(
                    "load", self.bad(), "--to", "sqlite:" + self.database, "--table", "orders", "--create",
                    "--rejected", wished, cwd=self.folder, pass_fds=[file.fileno()], **streams)
                self.assertEqual(status, 4, err)
                self.assertTrue(self.text("log").startswith("before\n"), self.text("log"))
                self.assertEqual(self.text("log").count('{"perdure.rejected":'), 3, self.text("log"))

    def test_goes_to_no_descriptor_that_the_command_was_not_given(self):
        for number in range(3, 12):  # the database is one of them, and the input
            with self.subTest(number=number):
                self.database = self.path(f"{number}.db")
                status, answer, err = self.load_bad("--rejected", f"/dev/fd/{number}", "--verify")
                self.assertEqual((status, answer["account"]["rejected"]), (1, 3), err)
                self.assertIn(f"cannot write '/dev/fd/{number}': Bad file descriptor", err)
                self.assertEqual(self.rows("pragma integrity_check"), [("ok",)])

    def test_follows_no_link_to_a_pipe_or_a_device(self):
        os.mkfifo(self.path("pipe"))
        os.symlink("pipe", self.path("to-pipe.jsonl"))
        os.symlink("/dev/full", self.path("to-device.jsonl"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        try:
            for name in ("to-pipe", "to-device"):
                self.database = self.path(name + ".db")
                status, answer, err = self.load_bad("--rejected", name + ".jsonl")
                self.assertEqual((status, answer["rejected_file"]), (4, name + "-2.jsonl"), err)
                self.assertEqual(len(self.rejected(name + "-2.jsonl")), 3)
            self.assertEqual(os.read(reader, 65536), b"")
        finally:
            os.close(reader)

    def test_goes_to_no_pipe_of_another_user(self):
        if os.geteuid() != 0:
            print("NOT TESTED: that the side file goes to no pipe of another user (only root can give one away)", file=sys.stderr)
            self.skipTest("not root")
        os.mkfifo(self.path("pipe"), 0o666)
        os.chown(self.path("pipe"), 65534, 65534)
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        try:
            status, answer, err = self.load_bad("--rejected", "pipe")
            self.assertEqual((status, answer["account"]["rejected"]), (1, 3), err)
            self.assertIn("cannot write 'pipe': this pipe belongs to another user", err)
            self.assertEqual(os.read(reader, 65536), b"")
        finally:
            os.close(reader)

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_says_when_the_disk_is_full(self):
        status, _, err = self.load_bad("--rejected", "/dev/full")
        self.assertEqual(status, 1)
        self.assertIn("cannot write '/dev/full': No space left on device", err)

    def test_that_cannot_be_written_whole_leaves_nothing(self):
        # Bytes that are not UTF-8 are far longer in the side file than in the ledger, so a limit of the size of files
        # lies between the two.
        path = os.path.join(self.folder, "bytes.jsonl")
        with open(path, "wb") as file:
            file.write(json_lines(orders(3)).encode() + (b"\xff" * 2000 + b"\n") * 200)
        limit = 2 << 20
        process = subprocess.run(
            [TOOL, "load", path, "--to", "sqlite:" + self.database, "--table", "orders", "--create", "--json"],
            cwd=self.folder, capture_output=True, timeout=PATIENCE, check=False,
            restore_signals=False,  # the signal that comes with the limit stays ignored
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn(f"cannot write '{NAME}': File too large".encode(), process.stderr)
        self.assertEqual(json.loads(process.stdout)["account"]["rejected"], 200)
        self.assertEqual(self.others(), [])
        status, answer, err = self.load(path)
        self.assertEqual((status, answer["rejected_file"]), (4, NAME), err)
        self.assertEqual(len(self.rejected()), 200)

    def test_of_two_loads_at_the_same_time_each_has_its_own_records(self):
        count = 3000
        for turn in range(4):
            folder = os.path.join(self.folder, str(turn))
            os.mkdir(folder)
            loads = {}
            for name in ("one", "two"):
                path = os.path.join(folder, name + ".jsonl")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(json_lines(orders(1)) + "".join(f"{name} {i}\n" for i in range(count)))
                loads[name] = self.start(
                    "load", path, "--to", f"sqlite:{folder}/shop.db", "--table", "orders", "--create", "--json",
                    "--max-rejected", "0", cwd=folder)
            files = set()
            for name, process in loads.items():
                out, err = process.communicate(timeout=4 * PATIENCE)
                self.assertEqual(process.returncode, 4, err)
                answer = json.loads(out)
                self.assertEqual(answer["account"]["rejected"], count)
                files.add(answer["rejected_file"])
                texts = [one["text"] for one in self.rejected(os.path.join(folder, answer["rejected_file"]))]
                self.assertEqual(texts, [f"{name} {i}" for i in range(count)])
            self.assertEqual(files, {NAME, SECOND})
            self.assertEqual(sorted(name for name in os.listdir(folder) if "rejected" in name), sorted(files))


if __name__ == "__main__":
    unittest.main()
