# SPDX-License-Identifier: Apache-2.0
"""Does each exit status of `perdure load` mean what docs/reference/load.md says?

A script decides by the status alone: 5 is tried again later, 7 is not. SQLite only; the statuses of servers
are in tests/live/load.
"""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import unittest

from load_sqlite import LoadCase, json_lines, orders
from tool import TOOL, call

CLOSED = "postgres://me:hunter2@127.0.0.1:1/shop"  # nothing listens on port 1


class StatusCase(LoadCase):
    def setUp(self):
        super().setUp()
        self.path = self.file("orders.jsonl", json_lines(orders(20)))

    def target(self, url, *flags, **options):
        """(status, standard output, standard error) of a load into another target."""
        return call("load", self.path, "--to", url, "--table", "orders", "--create", "--patience", "1s", *flags,
                    cwd=self.folder, **options)

    def told(self, status, out, err):
        """The text of a failed run with --json. Standard output has one line, with the exit status in it."""
        self.assertEqual(out.count("\n"), 1, out + err)
        answer = json.loads(out)
        self.assertEqual(answer["status"], status, out)
        self.assertTrue(answer.get("error") or answer.get("stopped"), out)
        return out + err


class Status(StatusCase):
    def test_0_every_record_is_in_the_table(self):
        status, answer, err = self.load(self.path, "--create", "--key", "id")
        self.assertEqual((status, answer["status"], len(self.rows())), (0, 0, 20), err)

    def test_1_standard_output_could_not_be_written(self):
        with open("/dev/full", "wb") as full:
            status, _, err = self.target("sqlite:" + self.database, stdout=full)
        self.assertEqual(status, 1, err)
        self.assertEqual(len(self.rows()), 20)

    def test_1_the_side_file_could_not_be_written(self):
        self.path = self.file("orders.jsonl", "nonsense\n" + json_lines(orders(20)))
        status, answer, err = self.load(self.path, "--create", "--rejected", "no/such/folder.jsonl")
        self.assertEqual((status, answer["status"]), (1, 1), err)

    def test_3_an_input_cannot_be_read(self):
        cut = os.path.join(self.folder, "cut.jsonl.gz")
        with open(cut, "wb") as file:
            file.write(b"\x1f\x8b\x08\x00\x00\x00")
        for path in ("no-such.jsonl", self.folder, cut):
            with self.subTest(path=os.path.basename(path)):
                self.told(3, *self.other_input(path, 3)[1:])

    def other_input(self, path, wanted):
        found = call("load", path, "--to", "sqlite:" + self.database, "--table", "orders", "--create", "--json",
                     cwd=self.folder)
        self.assertEqual(found[0], wanted, found)
        return found

    def test_3_an_input_is_not_what_it_was(self):
        self.assertEqual(self.load(self.path, "--create")[0], 0)
        self.file("orders.jsonl", json_lines(orders(20, 2)))
        self.told(3, *self.other_input(self.path, 3)[1:])

    def test_4_some_records_were_rejected(self):
        self.path = self.file("orders.jsonl", "nonsense\n" + json_lines(orders(20)))
        status, answer, err = self.load(self.path, "--create", "--key", "id")
        self.assertEqual((status, answer["status"], len(self.rows())), (4, 4, 20), err)

    def test_5_the_target_is_away_and_the_same_command_goes_on(self):
        self.sql("create table orders (id integer primary key, name, price, paid, note, tags)")
        other = sqlite3.connect(self.database, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("begin exclusive")
        status, _, err = self.load(self.path, "--key", "id", "--patience", "1s")
        self.assertEqual(status, 5, err)
        other.execute("rollback")
        status, _, err = self.load(self.path, "--key", "id")
        self.assertEqual((status, len(self.rows())), (0, 20), err)

    def test_5_nothing_listens_there(self):
        status, out, err = self.target(CLOSED, "--json")
        self.assertEqual(status, 5, err)
        self.assertNotIn("hunter2", self.told(5, out, err))

    def test_6_verify_found_a_difference(self):
        self.assertEqual(self.load(self.path, "--create", "--key", "id")[0], 0)
        self.sql("update orders set name = 'another' where id = 7")
        status, answer, err = self.load(self.path, "--key", "id", "--verify")
        self.assertEqual((status, answer["status"], answer["verified"]), (6, 6, False), err)

    def test_7_the_directory_is_missing(self):
        status, out, err = self.target(f"sqlite:{self.folder}/no/such/shop.db", "--json")
        self.assertEqual(status, 7, err)
        self.assertIn("no/such", self.told(7, out, err))

    def test_7_the_host_does_not_exist(self):
        # .invalid never does (RFC 6761). A resolver that does not answer is another matter: that passes. Both codes are
        # in LoadStatus.tells_a_name_that_does_not_exist_from_a_resolver_that_does_not_answer.
        status, out, err = self.target("postgres://me@no-such-host.invalid/shop", "--json")
        self.assertIn("no-such-host.invalid", self.told(status, out, err))
        self.assertEqual(status, 7 if "there is no such host" in out else 5, err)

    def test_7_there_are_no_keys_for_the_service(self):
        nowhere = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
                   "AWS_CONFIG_FILE": "/nonexistent/config"}
        keyless = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "COSMOS_"))}
        for url, words in (("dynamodb://orders?region=eu-west-1&endpoint=http://127.0.0.1:1", "AWS_ACCESS_KEY_ID"),
                           ("cosmos://account.documents.azure.com/shop/orders", "COSMOS_KEY")):
            with self.subTest(url=url):
                status, out, err = call("load", self.path, "--to", url, "--create", "--json", cwd=self.folder,
                                        env={**keyless, **nowhere})
                self.assertEqual(status, 7, err)
                self.assertIn(words, self.told(7, out, err))

    def test_7_the_journal_cannot_be_written(self):
        status, out, err = self.target("sqlite:" + self.database, "--json", "--journal", self.folder + "/no/x.jsonl")
        self.assertEqual(status, 7, err)
        self.assertIn("--journal", self.told(7, out, err))
        self.assertIn("No such file", err)

    def test_7_the_file_is_not_a_database(self):
        status, out, err = self.target("sqlite:" + self.path, "--json")
        self.assertEqual(status, 7, err)
        self.told(7, out, err)
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), json_lines(orders(20)))

    def test_7_the_path_is_a_directory(self):
        status, out, err = self.target("sqlite:" + self.folder, "--json")
        self.assertEqual(status, 7, err)
        self.told(7, out, err)

    def test_7_there_is_no_permission(self):
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        options = {"user": 65534} if os.geteuid() == 0 else {}  # the superuser may write everywhere
        status, out, err = self.target(f"sqlite:{self.folder}/shop.db", "--json", **options)
        self.assertEqual(status, 7, err)
        self.told(7, out, err)

    def test_7_the_database_may_only_be_read(self):
        self.sql("create table orders (id integer primary key, name, price, paid, note, tags)")
        os.chmod(self.database, 0o444)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        options = {"user": 65534} if os.geteuid() == 0 else {}
        status, out, err = self.target("sqlite:" + self.database, "--json", **options)
        self.assertEqual(status, 7, err)
        self.told(7, out, err)

    def test_125_of_wrong_flags_and_of_what_the_table_lacks(self):
        self.sql("create table twice (id integer, name, price, paid, note, tags)")
        self.sql("create table other (id integer primary key)")
        table = [
            ("a flag that is not there", ["--table", "orders", "--nonsense"], "--nonsense"),
            ("no workers", ["--table", "orders", "--create", "--workers", "0"], "--workers"),
            ("a format that is not there", ["--table", "orders", "--create", "--format", "xml"], "--format"),
            ("no such table", ["--table", "gone", "--key", "id"], "--create"),
            ("no such column", ["--table", "other", "--key", "id"], "name"),
            ("no such key", ["--table", "orders", "--create", "--key", "nothing"], "nothing"),
            ("a key that is not unique", ["--table", "twice", "--key", "id"], "unique"),
        ]
        for name, flags, words in table:
            with self.subTest(name=name):
                status, out, err = call("load", self.path, "--to", "sqlite:" + self.database, "--json", *flags,
                                        cwd=self.folder)
                self.assertEqual(status, 125, err)
                self.assertIn(words, self.told(125, out, err))

    def test_125_of_a_target_that_is_not_known_with_a_list_of_those_that_are(self):
        status, out, err = self.target("mongodb://x/y", "--json")
        said = self.told(125, out, err)
        self.assertEqual(status, 125)
        for scheme in ("sqlite:", "postgres://", "mariadb://", "dynamodb://", "cosmos://"):
            self.assertIn(scheme, said)

    def test_128_and_the_number_of_the_signal_that_ended_it(self):
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=one.name):
                database = os.path.join(self.folder, one.name + ".db")
                process = self.start("load", "-", "--as", "feed", "--to", "sqlite:" + database, "--table", "orders",
                                     "--create", "--batch", "10", "--json", cwd=self.folder)
                process.stdin.write(json_lines(orders(5000)).encode())
                process.stdin.flush()  # and it stays open, so the load waits for more
                while process.poll() is None and not self.begun(database):
                    pass
                process.send_signal(one)
                self.assertEqual(process.wait(timeout=30), 128 + one)

    @staticmethod
    def begun(database):
        try:
            with sqlite3.connect(database) as connection:
                return connection.execute("select count(*) from orders").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


class StandardInput(StatusCase):
    """Without a name and without keys a second run would write every record a second time."""

    def test_without_a_name_and_without_a_key_is_refused(self):
        status, answer, err = self.load("-", "--create", given=json_lines(orders(3)).encode())
        self.assertEqual(status, 125, err)
        for cure in ("--as", "--key"):
            self.assertIn(cure, err + str(answer))

    def test_with_a_name_or_a_key_is_loaded_once_however_often_it_is_sent(self):
        for flags in (["--as", "feed"], ["--key", "id"]):
            with self.subTest(flags=flags):
                self.database = os.path.join(self.folder, flags[0] + ".db")
                for _ in range(2):
                    status, _, err = self.load("-", "--create", *flags, given=json_lines(orders(3)).encode())
                    self.assertEqual((status, len(self.rows())), (0, 3), err)


class Rejections(StatusCase):
    """A table that is wrong rejects every record. A million records are not tried one by one."""

    def begin(self, count):
        self.sql("create table orders (id integer primary key, cents integer check (cents < 0))")
        self.path = self.file("o.jsonl", json_lines({"id": n, "cents": n} for n in range(1, count + 1)))

    def test_1000_in_a_row_end_the_load_with_7_and_again_loads_it_once_the_table_is_mended(self):
        self.begin(5000)
        status, answer, err = self.load(self.path, "--key", "id")
        self.assertEqual(status, 7, err)
        self.assertIn("--again", err + str(answer))
        self.assertLess(answer["account"]["rejected"], 5000)
        self.assertGreaterEqual(answer["account"]["rejected"], 1000)
        self.sql("drop table orders")
        self.sql("create table orders (id integer primary key, cents integer)")
        status, answer, err = self.load(self.path, "--key", "id", "--again", "--verify")
        self.assertEqual((status, len(self.rows())), (0, 5000), err)

    def test_in_a_row_are_counted_up_to_max_rejected(self):
        self.begin(500)
        status, answer, err = self.load(self.path, "--key", "id", "--max-rejected", "20", "--batch", "10", "--workers", "1")
        self.assertEqual(status, 7, err)
        self.assertGreaterEqual(answer["account"]["rejected"], 20)
        self.assertLess(answer["account"]["rejected"], 500)

    def test_without_a_key_are_loaded_from_their_file_once_the_table_is_mended(self):
        self.begin(1500)
        status, answer, err = self.load(self.path, "--workers", "1")
        self.assertEqual(status, 7, err)
        self.assertNotIn("--again", err + str(answer))
        self.sql("drop table orders")
        self.sql("create table orders (id integer primary key, cents integer)")
        status, answer, err = self.load(self.path)
        self.assertEqual((status, answer["account"]["written"]), (4, 500), err)
        self.assertIn("load orders.rejected.jsonl", str(answer["remarks"]))
        status, answer, err = self.load(os.path.join(self.folder, "orders.rejected.jsonl"))
        self.assertEqual((status, len(self.rows())), (0, 1500), err)

    def test_of_csv_are_mended_as_csv_or_as_json(self):
        path = self.file("a.csv", 'id,name\n1,a\n2,b,c\n3,"d,e",f\n4,x,y\n')
        self.assertEqual(self.load(path, "--create", "--key", "id")[0], 4)
        side = os.path.join(self.folder, "orders.rejected.jsonl")
        with open(side, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(r'"header":"\"id\",\"name\""', text)
        for wrong, right in (('"2,b,c"', '"2,b"'), (r'"3,\"d,e\",f"', r'"3,\"d,e\""'), ('"4,x,y"', r'"{\"id\":4}"')):
            self.assertIn(wrong, text)
            text = text.replace(wrong, right)
        status, answer, err = self.load(self.file("mended.jsonl", text), "--key", "id")
        self.assertEqual((status, self.rows()), (0, [(1, "a"), (2, "b"), (3, "d,e"), (4, None)]), err)

    def test_never_end_the_load_with_max_rejected_0(self):
        self.begin(1200)
        status, answer, err = self.load(self.path, "--key", "id", "--max-rejected", "0")
        self.assertEqual((status, self.account(answer)), (4, (1200, 0, 0, 1200)), err)

    def test_that_are_not_in_a_row_do_not_end_it(self):
        lines = [line if n % 2 else "nonsense\n" for n, line in enumerate(json_lines(orders(3000)).splitlines(True))]
        status, answer, err = self.load(self.file("o.jsonl", "".join(lines)), "--create", "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (3000, 1500, 0, 1500)), err)


class Words(StatusCase):
    """Sentences that name the user's own things."""

    def test_of_an_unknown_target_list_what_can_be_loaded(self):
        status, _, err = self.target("mysqli://x/y")
        self.assertEqual(status, 125, err)
        self.assertIn("sqlite:, file:, postgres://, mariadb://, dynamodb:// or cosmos://", err)

    def test_of_an_address_for_metrics_name_the_flag(self):
        _, _, err = self.target("sqlite:" + self.database, "--metrics", "0.0.0.0:0")
        self.assertIn("--metrics: 0.0.0.0:0 can be reached from other machines", err)
        self.assertNotIn("Reach", err)

    def test_of_an_address_for_metrics_that_is_taken_name_the_flag_and_end_a_script(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            status, out, err = self.target("sqlite:" + self.database, "--json", "--metrics", address)
        self.assertEqual(status, 125, err)
        self.assertIn(f"--metrics: cannot listen on {address}: ", self.told(125, out, err))
        self.assertIn("take another port, or 0 for a free one", err)

    def test_of_a_name_with_a_nul_name_the_field(self):
        self.path = self.file("a.jsonl", '{"id": 1, "a\\u0000b": 2}\n')
        status, _, err = self.target("sqlite:" + self.database)
        self.assertNotEqual(status, 0)
        self.assertIn("'a?b' has a NUL character in it", err)

    def test_of_one_record_are_in_the_singular(self):
        self.path = self.file("a.csv", "id,name\n1,a\n")
        words = "".join(self.target("sqlite:" + self.database, *flags)[1] for flags in (("--verify",), (), ("--dry-run",)))
        self.assertIn("1 record;", words)
        self.assertIn("1 record is done", words)
        self.assertNotRegex(words, r"\b1 (records|rows)\b")


class Elapsed(StatusCase):
    def test_includes_the_time_in_which_the_load_waited_to_connect(self):
        self.sql("create table orders (id integer primary key, name, price, paid, note, tags)")
        other = sqlite3.connect(self.database, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("begin exclusive")
        process = self.start("load", self.path, "--to", "sqlite:" + self.database, "--table", "orders", "--key", "id",
                             cwd=self.folder)
        self.assertIn(b"waiting", process.stderr.readline())  # said after the first second
        other.execute("rollback")
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, out)
        seconds = re.search(r"^  ([0-9.]+) s, [0-9,]+ records/s$", out.decode(), re.MULTILINE)
        self.assertTrue(seconds, out)
        self.assertGreaterEqual(float(seconds.group(1)), 1)


class Columns(StatusCase):
    def test_that_create_made_are_printed_with_their_types(self):
        status, out, err = self.target("sqlite:" + self.database, "--key", "id")
        self.assertEqual(status, 0, err)
        for words in (r"id\W+integer", r"name\W+text", r"price\W+real", r"tags\W+json"):
            self.assertRegex(out + err, words)


class Help(StatusCase):
    def test_and_the_reference_name_every_status(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reference", "load.md")
        with open(page, encoding="utf-8") as file:
            table = file.read().partition("## Exit status")[2].partition("\n## ")[0]
        done = subprocess.run([TOOL, "load", "--help"], capture_output=True, text=True, check=True)
        with open(os.path.join(os.path.dirname(page), "..", "guide", "load.md"), encoding="utf-8") as file:
            guide = file.read().partition("## In a script")[2]
        listed = done.stdout.partition("\nExit status:\n")[2]
        for status in ("0", "1", "3", "4", "5", "6", "7", "125", "128 + n"):
            with self.subTest(status=status):
                self.assertIn(f"\n| {status} |", table)
                self.assertIn(f"\n| {status} |", guide)
                self.assertRegex("\n" + listed, rf"\n  {status.replace('+', '[+]')} +[a-z-]")
        self.assertIn("--max-rejected", done.stdout)

    def test_the_script_of_the_guide_does_what_the_guides_table_says(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "guide", "load.md")
        with open(page, encoding="utf-8") as file:
            guide = file.read().partition("## In a script")[2]
        script = guide.partition("```sh\n")[2].partition("```")[0]
        self.file("retry-later", "#!/bin/sh\necho again\n", 0o755)
        self.file("notify", "#!/bin/sh\necho \"$1\"\n", 0o755)
        self.file("perdure", "#!/bin/sh\nexit $STATUS\n", 0o755)
        does = {"nothing": "", "a person looks": "a person must look\n", "tells somebody": "some records were rejected\n",
                "the same command, later": "again\n", "the same command": "again\n"}
        rows = re.findall(r"^\| ([0-9n+, ]+) \| .* \| (.*) \|$", guide, re.MULTILINE)
        self.assertEqual(len(rows), 10)
        for named, action in rows:
            # SIGHUP, SIGINT, SIGKILL, SIGTERM
            for status in (129, 130, 137, 143) if named == "128 + n" else map(int, named.split(",")):
                with self.subTest(status=status):
                    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, cwd=self.folder,
                                          env={"PATH": self.folder + ":" + os.environ["PATH"], "STATUS": str(status)})
                    self.assertEqual(done.stdout, does[action], done.stderr)

    def test_names_the_page_where_an_installed_tool_has_it(self):
        for command in ("load", "chaos", "gateway"):
            with self.subTest(command=command):
                said = subprocess.run([TOOL, command, "--help"], capture_output=True, text=True, check=True).stdout
                self.assertIn("share/doc/perdure/", said)
                self.assertNotRegex(said, r"docs/(reference|guide)/")


if __name__ == "__main__":
    unittest.main()
