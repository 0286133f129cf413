# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` bring records into a table as its manual says?"""

import gzip
import json
import os
import resource
import signal
import sqlite3
import unittest

from load_sqlite import LoadCase, json_lines, orders
from tool import TOOL, call


def no_threads():
    """Between fork and exec: stacks larger than the address space, so that no thread can be started."""
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, 1 << 47))


class Threads(LoadCase):
    def test_that_the_system_refuses_end_the_load_with_a_sentence(self):
        path = self.file("orders.jsonl", json_lines(orders(10)))
        status, answer, err = self.load(path, "--create", preexec_fn=no_threads)
        self.assertIn("no thread could be started", answer["stopped"], err)
        self.assertEqual(status, 5, err)
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, self.account(answer)), (0, (10, 10, 0, 0)), err)

    def test_that_the_system_refuses_are_a_sentence_of_other_commands_too(self):
        for command in (("gateway", "cosmos"), ("chaos", "--to", "127.0.0.1:9")):
            status, _, err = call(*command, preexec_fn=no_threads)
            self.assertEqual(status, 125, err)
            self.assertIn("no thread could be started", err)
        status, out, err = call("sim", "restart", "--seeds", "1", "--threads", "4", preexec_fn=no_threads)
        self.assertEqual(status, 0, err)


class Records(LoadCase):
    def test_of_json_lines_are_rows_with_inferred_types(self):
        path = self.file("orders.jsonl", json_lines(orders(2500)))
        status, answer, err = self.load(path, "--create", "--key", "id", "--verify")
        self.assertEqual((status, self.account(answer)), (0, (2500, 2500, 0, 0)), err)
        self.assertTrue(answer["verified"])
        for row, record in zip(self.rows(), orders(2500), strict=True):
            tags = json.dumps(record["tags"])
            expected = (record["id"], record["name"], record["price"], int(record["paid"]),
                        record["note"], tags)
            self.assertEqual(row, expected)

    def test_of_csv_keep_quotes_line_ends_and_leading_zeros(self):
        path = self.file("zip.csv", 'id,zip,words\r\n1,"00123","a ""b"", c"\r\n2,00456,"two\nlines"\r\n'
                                    '3,,""\r\n')
        status, answer, err = self.load(path, "--create", table="zip")
        self.assertEqual((status, self.account(answer)), (0, (3, 3, 0, 0)), err)
        self.assertEqual(self.rows("select * from zip order by 1"),
                         [(1, "00123", 'a "b", c'), (2, "00456", "two\nlines"), (3, None, "")])

    def test_are_read_from_gzip_from_patterns_and_from_standard_input(self):
        with gzip.open(os.path.join(self.folder, "a.jsonl.gz"), "wt", encoding="utf-8") as file:
            file.write(json_lines(orders(10)))
        self.file("b.jsonl", json_lines(orders(10, 11)))
        status, answer, err = self.load("[ab].json*", "--create", "--key", "id")
        self.assertEqual((status, self.account(answer)[:2]), (0, (20, 20)), err)
        more = json_lines(orders(5, 21)).encode()
        status, answer, err = self.load("-", "--as", "more", "--key", "id", given=more)
        self.assertEqual((status, self.account(answer)[:2]), (0, (5, 5)), err)
        self.assertEqual(len(self.rows()), 25)

    def test_of_a_file_that_was_loaded_are_not_loaded_again_and_of_one_that_grew_only_the_rest(self):
        path = self.file("orders.jsonl", json_lines(orders(3000)))
        self.assertEqual(self.load(path, "--create")[0], 0)
        status, answer, _ = self.load(path)
        self.assertEqual((status, self.account(answer)[0]), (0, 0))
        self.assertEqual(answer["account_with_earlier_runs"]["written"], 3000)
        with open(path, "a", encoding="utf-8") as file:
            file.write(json_lines(orders(10, 3001)))
        status, answer, _ = self.load(path, "--verify")
        self.assertEqual((status, self.account(answer)[:2], answer["verified"]), (0, (10, 10), True))
        self.assertEqual(len(self.rows()), 3010)

    def test_are_loaded_by_the_very_same_command_again(self):
        path = self.file("orders.jsonl", json_lines(orders(10)))
        for written in (10, 0):
            status, answer, err = self.load(path, "--create", "--key", "id", "--type", "price=text")
            self.assertEqual((status, self.account(answer)[1]), (0, written), err)
        status, _, err = self.load(path, "--key", "id", "--type", "price=text")
        self.assertEqual(status, 125)
        self.assertIn("--type is for a table that is made by --create", err)

    def test_of_an_unknown_type_are_refused_with_the_types_there_are(self):
        path = self.file("orders.jsonl", json_lines(orders(3)))
        status, _, err = self.load(path, "--create", "--type", "id=number")
        self.assertEqual(status, 125)
        self.assertIn("integer, real, boolean, text, json, numeric, date, timestamp, timestamptz or uuid", err)

    def test_of_several_inputs_may_have_columns_of_their_own(self):
        first = self.file("a.csv", "id,a\n1,10\n")
        second = self.file("b.csv", "b,id\nx,2\n")
        status, answer, err = self.load(first, second, "--create", table="t")
        self.assertEqual((status, self.account(answer)), (0, (2, 2, 0, 0)), err)
        self.assertEqual(self.rows("select id, a, b from t order by 1"), [(1, 10, None), (2, None, "x")])

    def test_of_csv_keep_the_spelling_of_their_keys_also_beside_json_inputs(self):
        paths = [self.file("a.jsonl", '{"id":3.5,"v":"a"}\n'), self.file("b.csv", "id,v\n1.10,a\n1.1,a\n")]
        for turn, inputs in enumerate((paths, paths[::-1])):
            with self.subTest(first=inputs[0]):
                self.database = os.path.join(self.folder, f"{turn}.db")
                status, answer, err = self.load(*inputs, "--create", "--key", "id")
                self.assertEqual((status, self.account(answer)), (0, (3, 3, 0, 0)), err)
                self.assertEqual(self.rows("select id from orders order by id"), [("1.1",), ("1.10",), ("3.5",)])

    def test_of_inputs_without_a_record_are_none(self):
        empty = self.file("empty.jsonl")
        status, _, err = self.load(empty, "--create")
        self.assertEqual(status, 3)
        self.assertIn("no record", err)
        full = self.file("orders.jsonl", json_lines(orders(3)))
        status, answer, err = self.load(empty, full, "--create")
        self.assertEqual((status, self.account(answer)), (0, (3, 3, 0, 0)), err)
        status, answer, err = self.load(empty)
        self.assertEqual((status, self.account(answer)), (0, (0, 0, 0, 0)), err)

    def test_of_a_file_that_ends_in_the_middle_of_one_wait_for_the_rest(self):
        whole = json_lines(orders(20))
        path = self.file("orders.jsonl", whole[:-9])
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, answer["account"]["written"]), (3, 19), err)
        self.assertTrue(answer["at"].endswith("orders.jsonl:20"))
        self.assertIn("in the middle", answer["stopped"])
        self.file("orders.jsonl", whole)
        self.assertEqual(self.load(path, "--verify")[0], 0)
        self.assertEqual(len(self.rows()), 20)

    def test_of_csv_that_ends_inside_of_quotes_wait_for_the_rest(self):
        path = self.file("a.csv", 'id,name\n0,nil\n1,"one\n7,seven\n8,eight')
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, answer["account"]["written"]), (3, 1), err)
        self.assertTrue(answer["at"].endswith("a.csv:3"))
        self.file("a.csv", 'id,name\n0,nil\n1,"one\n7,seven\n8,eight"\n2,two\n')
        self.assertEqual(self.load(path, "--verify")[0], 0)
        self.assertEqual(self.rows(), [(0, "nil"), (1, "one\n7,seven\n8,eight"), (2, "two")])

    def test_of_csv_whose_last_one_went_on_after_it_was_loaded_are_refused(self):
        path = self.file("a.csv", "id,name\n1,one\n2,tw")
        self.assertEqual(self.load(path, "--create")[0], 0)
        self.file("a.csv", "id,name\n1,one\n2,two\n3,three\n")
        status, answer, err = self.load(path)
        self.assertEqual(status, 3, err)
        self.assertIn("went on", answer["stopped"])
        self.file("a.csv", "id,name\n1,one\n2,tw\n3,three\n")
        self.assertEqual(self.load(path)[0], 0)
        self.assertEqual(self.rows(), [(1, "one"), (2, "tw"), (3, "three")])

    def test_of_a_file_that_was_changed_are_refused(self):
        path = self.file("orders.jsonl", json_lines(orders(10)))
        self.assertEqual(self.load(path, "--create")[0], 0)
        self.file("orders.jsonl", json_lines(orders(10, 2)))
        status, answer, err = self.load(path)
        self.assertIn("is not what it was", (answer or {}).get("stopped", "") + err)
        self.assertEqual(status, 3)
        status, _, err = self.load(path, "--again")
        self.assertEqual(status, 125)
        self.assertIn("a second time", err)
        self.sql("delete from orders")
        self.assertEqual(self.load(path, "--again", "--verify")[0], 0)

    def test_that_are_there_already_count_as_such_and_others_with_their_key_are_rejected(self):
        first = self.file("a.jsonl", json_lines(orders(10)))
        self.assertEqual(self.load(first, "--create", "--key", "id")[0], 0)
        changed = [*orders(5), {**next(orders(1, 6)), "name": "another"}, *orders(4, 11)]
        second = self.file("b.jsonl", json_lines(changed))
        status, answer, _ = self.load(second, "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (10, 4, 5, 1)))
        self.assertEqual([(one["perdure.rejected"]["line"], one["record"]["id"])
                          for one in self.rejected()], [(6, 6)])
        self.assertEqual(self.rows("select name from orders where id = 6"), [("Zoë 6",)])


    def test_with_values_only_the_database_can_compare_are_compared_by_it(self):
        self.sql("create table orders (id integer primary key, cents decimal(10,2), day date)")
        first = self.file("a.jsonl", json_lines([{"id": 1, "cents": 10.5, "day": "2026-01-01"}]))
        self.assertEqual(self.load(first, "--key", "id")[0], 0)
        second = self.file("b.jsonl", json_lines([{"id": 1, "cents": 10.50, "day": "2026-01-01"},
                                                  {"id": 1, "cents": 99.5, "day": "2026-01-01"},
                                                  {"id": 2, "cents": None, "day": "2026-01-02"}]))
        status, answer, err = self.load(second, "--key", "id", "--workers", "1")
        self.assertEqual((status, self.account(answer)), (4, (3, 1, 1, 1)), err)
        self.assertEqual([one["perdure.rejected"]["line"] for one in self.rejected()], [2])


class Wrong(LoadCase):
    def test_records_are_put_aside_with_file_line_and_reason_and_can_be_mended(self):
        good = list(json_lines(orders(3000)).splitlines(keepends=True))
        bad = {700: '{"id": 701, "name": \n', 1500: '{"id": 1501, "price": "dear"}\n',
               1501: '{"name": "nobody"}\n', 2000: '{"id": 5, "name": "five again"}\n',
               2001: '{"id": 2002, "colour": "red"}\n', 2002: '[1, 2]\n'}
        for place, line in bad.items():
            good[place] = line
        path = self.file("orders.jsonl", "".join(good))
        status, answer, err = self.load(path, "--create", "--key", "id", "--verify", "--workers", "1")
        self.assertEqual((status, self.account(answer)), (4, (3000, 2994, 0, 6)), err)
        self.assertTrue(answer["verified"])
        aside = self.rejected()
        self.assertEqual([one["perdure.rejected"]["line"] for one in aside],
                         [place + 1 for place in sorted(bad)])
        for one in aside:
            self.assertTrue(one["perdure.rejected"]["file"].endswith("orders.jsonl"))
            self.assertTrue(one["perdure.rejected"]["reason"])
            self.assertNotIn("dear", one["perdure.rejected"]["reason"])
        mended = []
        for one, number in zip(aside, (701, 1501, 1502, 2001, 2002, 2003), strict=True):
            one.pop("text", None)
            mended.append({**one, "record": next(orders(1, number))})
        self.file("orders.rejected.jsonl", json_lines(mended))
        status, answer, err = self.load("orders.rejected.jsonl", "--key", "id")
        self.assertEqual((status, self.account(answer)), (0, (6, 6, 0, 0)), err)
        self.assertEqual(len(self.rows()), 3000)

    def test_records_that_only_the_database_refuses_are_found_among_the_others(self):
        self.sql("create table orders (id integer primary key, cents integer check (cents < 100))")
        lines = [{"id": number, "cents": 500 if number in (3, 700, 701) else 1}
                 for number in range(1, 1001)]
        status, answer, _ = self.load(self.file("o.jsonl", json_lines(lines)), "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (1000, 997, 0, 3)))
        self.assertEqual([one["perdure.rejected"]["line"] for one in self.rejected()], [3, 700, 701])

    def test_wishes_are_refused_with_what_to_do(self):
        path = self.file("orders.jsonl", json_lines(orders(3)))
        table = [
            (["--key", "id"], 125, "--create"),
            (["--create", "--key", "nothing"], 125, "there is no column 'nothing'"),
            (["--create", "--type", "id=money"], 125, "--type is COLUMN=TYPE"),
            (["--create", "--type", "gone=text"], 125, "gone"),
            (["--create", "--format", "xml"], 125, "--format is jsonl, json, csv or tsv"),
            (["--create", "no-such.jsonl"], 3, "no-such.jsonl"),
        ]
        for flags, wanted, words in table:
            with self.subTest(flags=flags):
                status, answer, err = self.load(path, *flags)
                self.assertEqual((status, answer["status"]), (wanted, wanted), err)
                self.assertIn(words, err)
                self.assertIn(words, answer["stopped"])
        self.assertFalse(os.path.exists(self.database) and self.rows("select 1 from sqlite_master"))

    def test_targets_are_said_to_be_wrong_and_nothing_is_lost(self):
        path = self.file("orders.jsonl", json_lines(orders(3)))
        status, out, err = call("load", path, "--to", "sqlite:" + self.folder, "--table", "t",
                                "--create", "--patience", "1s")
        self.assertEqual((status, out), (7, ""), err)
        status, out, err = call("load", path, "--to", "gopher://x", "--table", "t")
        self.assertEqual((status, out), (125, ""))
        for scheme in ("sqlite:", "postgres://", "mariadb://", "dynamodb://", "cosmos://"):
            self.assertIn(scheme, err)

    def test_ledgers_that_outlived_their_rows_are_noticed(self):
        path = self.file("orders.jsonl", json_lines(orders(5)))
        for gone in ("drop table orders", "delete from orders"):
            with self.subTest(gone=gone):
                self.assertEqual(self.load(path, "--create", "--again")[0], 0)
                self.sql(gone)
                status, _, err = self.load(path, "--create")
                self.assertEqual(status, 125)
                self.assertIn("--again", err)
        self.assertEqual(self.load(path, "--create", "--again", "--verify")[0], 0)

    def test_zeros_in_front_of_later_numbers_are_not_lost(self):
        rows = "".join(f"{n},{10115 + n}\n" for n in range(1500))
        path = self.file("zip.csv", "id,zip\n" + rows + "1500,01067\n")
        status, answer, _ = self.load(path, "--create", table="zip")
        self.assertEqual((status, self.account(answer)), (4, (1501, 1500, 0, 1)))
        self.assertEqual(self.rejected("zip.rejected.jsonl")[0]["record"]["zip"], "01067")

    def test_side_files_that_cannot_be_written_are_told_and_none_is_covered_up(self):
        path = self.file("a.jsonl", "nonsense\n" + json_lines(orders(3)))
        status, answer, err = self.load(path, "--create", "--rejected", "no/such/folder.jsonl")
        self.assertEqual((status, answer["status"]), (1, 1), err)
        self.assertEqual(self.load(path)[1]["rejected_file"], "orders.rejected.jsonl")
        other = self.file("b.jsonl", "rubbish\n" + json_lines(orders(3, 4)))
        self.assertEqual(self.load(other)[1]["rejected_file"], "orders.rejected-2.jsonl")
        self.assertEqual(self.load(path)[1]["rejected_file"], "orders.rejected.jsonl")
        self.assertEqual([one["text"] for one in self.rejected()], ["nonsense"])
        with open(path, "a", encoding="utf-8") as file:
            file.write("more nonsense\n")
        self.assertEqual(self.load(path)[1]["rejected_file"], "orders.rejected.jsonl")
        self.assertEqual(len(self.rejected()), 2)

    def test_keys_that_are_not_unique_in_the_table_are_refused(self):
        self.sql("create table orders (id integer, name text, price real, paid, note, tags)")
        status, _, err = self.load(self.file("o.jsonl", json_lines(orders(3))), "--key", "id")
        self.assertEqual(status, 125)
        self.assertIn("unique", err)

    def test_rows_are_found_by_verify(self):
        path = self.file("orders.jsonl", json_lines(orders(100)))
        for flags in (["--key", "id"], []):
            with self.subTest(flags=flags):
                self.sql("drop table if exists orders")
                self.assertEqual(self.load(path, "--create", "--again", *flags)[0], 0)
                self.sql("update orders set name = 'x' where id = 7")
                status, answer, _ = self.load(path, "--verify", *flags)
                self.assertEqual((status, answer["verified"]), (6, False))
                self.sql("update orders set name = 'Zoë 7' where id = 7")
                self.assertEqual(self.load(path, "--verify", *flags)[0], 0)
                self.sql("delete from orders where id = 7")
                self.assertEqual(self.load(path, "--verify", *flags)[0], 6)


class Verified(LoadCase):
    def test_are_inputs_together_and_what_was_there_before_is_said(self):
        first = self.file("a.jsonl", json_lines(orders(100)))
        second = self.file("b.jsonl", json_lines(orders(100, 101)))
        self.assertEqual(self.load(first, "--create")[0], 0)
        status, answer, _ = self.load(second, "--verify")
        self.assertEqual((status, answer["contents_compared"]), (0, False))
        status, answer, _ = self.load(first, second, "--verify")
        self.assertEqual((status, answer["contents_compared"], answer["rows_found"]), (0, True, 200))


class Interrupted(LoadCase):
    RECORDS = 20_000

    def kill_at(self, share, *flags):
        process = self.start("load", self.path, "--to", "sqlite:" + self.database, "--table", "orders",
                             *flags, cwd=self.folder)
        while process.poll() is None and self.there() < share * self.RECORDS:
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        return process.returncode

    def there(self):
        try:
            return self.rows("select count(*) from orders")[0][0]
        except sqlite3.OperationalError:
            return 0

    def test_by_sigkill_and_faults_a_load_goes_on_and_loses_nothing(self):
        for flags in (["--key", "id"], []):
            with self.subTest(flags=flags):
                self.database = os.path.join(self.folder, f"shop{len(flags)}.db")
                self.path = self.file("orders.jsonl", json_lines(orders(self.RECORDS)))
                faults = ["--create", "--faults", "10%", "--batch", "200", *flags]
                for seed, share in enumerate((0.3, 0.6, 0.9), 1):
                    self.assertEqual(self.kill_at(share, *faults, "--faults-seed", str(seed)),
                                     -signal.SIGKILL)
                status, answer, err = self.load(self.path, *faults, "--faults-seed", "9", "--verify")
                self.assertEqual((status, answer["verified"]), (0, True), err)
                whole = answer["account_with_earlier_runs"]
                self.assertEqual((whole["read"], whole["written"]), (self.RECORDS, self.RECORDS))
                self.assertLessEqual(answer["read_again"], 200 * answer["workers"])
                self.assertEqual(self.rows("select count(*), count(distinct id) from orders"),
                                 [(self.RECORDS, self.RECORDS)])

    def test_by_signals_that_end_nothing_it_is_not(self):
        self.path = self.file("orders.jsonl", json_lines(orders(self.RECORDS)))
        process = self.start("load", self.path, "--to", "sqlite:" + self.database, "--table", "orders",
                             "--create", "--batch", "50", "--json", cwd=self.folder)
        while process.poll() is None and self.there() < 500:
            pass
        for one in (signal.SIGCONT, signal.SIGUSR1, signal.SIGUSR2):
            process.send_signal(one)
        out, _ = process.communicate(timeout=30)
        self.assertEqual((process.returncode, json.loads(out)["account"]["written"]),
                         (0, self.RECORDS))

    def test_by_ctrl_c_before_or_while_the_input_says_nothing_it_ends(self):
        process = self.start("load", "-", "--to", "sqlite:" + self.database, "--table", "orders",
                             "--create", cwd=self.folder)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=10), (-signal.SIGTERM, 128 + signal.SIGTERM))
        process = self.start("load", "-", "--to", "sqlite:" + self.database, "--table", "orders",
                             "--as", "a", "--create", "--batch", "10", "--json", cwd=self.folder)
        process.stdin.write(json_lines(orders(self.RECORDS)).encode())
        process.stdin.flush()
        while process.poll() is None and self.there() < 1000:
            pass
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=10), 130)

    def test_by_ctrl_c_it_finishes_its_batch_tells_the_account_and_goes_on(self):
        self.path = self.file("orders.jsonl", json_lines(orders(self.RECORDS)))
        process = self.start("load", self.path, "--to", "sqlite:" + self.database, "--table", "orders",
                             "--create", "--batch", "100", "--json", cwd=self.folder)
        while process.poll() is None and self.there() < 1000:
            pass
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=10)
        answer = json.loads(out)
        self.assertEqual((process.returncode, answer["signal"]), (130, signal.SIGINT))
        self.account(answer)
        self.assertEqual(self.there(), answer["account"]["written"])
        status, answer, _ = self.load(self.path, "--verify")
        self.assertEqual((status, answer["read_again"]), (0, 0))
        self.assertEqual(self.there(), self.RECORDS)


class Words(LoadCase):
    def test_a_dry_run_shows_names_of_columns_as_they_are(self):
        names = ["id", "http://a:b@c/d", "https://x?m=a@b.c"]
        path = self.file("a.jsonl", json.dumps(dict.fromkeys(names, 1)) + "\n")
        flags = ("--create", "--key", "id", "--dry-run")
        status, answer, err = self.load(path, *flags)
        self.assertEqual(status, 0, err)
        status, text, err = call("load", path, "--to", "sqlite:" + self.database, "--table", "orders", *flags)
        self.assertEqual(status, 0, err)
        for name in names:
            self.assertIn(name, json.dumps(answer))
            self.assertIn(name, text)

    def test_of_a_dry_run_tell_what_would_be_done_and_nothing_is_written(self):
        path = self.file("orders.jsonl", json_lines(orders(3)))
        status, out, _ = call("load", path, "--to", "sqlite:" + self.database, "--table", "orders",
                              "--create", "--key", "id", "--dry-run")
        self.assertEqual(status, 0)
        for words in ("create table", "id integer", "price real", "by its id", "Nothing was written"):
            self.assertIn(words, out)
        self.assertFalse(os.path.exists(self.database))
        self.sql("create table orders (id integer primary key, name, price, paid, note, tags)")
        with open(self.database, "rb") as file:
            before = file.read()
        status, answer, err = self.load(path, "--key", "id", "--dry-run", "--journal", "calls.jsonl")
        self.assertEqual(status, 0, err)
        with open(self.database, "rb") as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["orders.jsonl", "shop.db"])

    def test_of_the_account_are_for_people(self):
        path = self.file("orders.jsonl", json_lines(orders(1234)))
        status, out, _ = call("load", path, "--to", "sqlite:" + self.database, "--table", "orders",
                              "--create")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"read +1,234\n +written +1,234\n +already there +0\n +rejected +0\n")
        self.assertIn("read = written + already there + rejected", out)

    def test_never_hold_the_password(self):
        path = self.file("orders.jsonl", json_lines(orders(3)))
        for url in ("postgres://me:hunter2@127.0.0.1:1/x", "mariadb://me:hunter2@127.0.0.1:1/x"):
            status, out, err = call("load", path, "--to", url, "--table", "t", "--patience", "1s")
            self.assertEqual((status, out), (5, ""), err)
            self.assertNotIn("hunter2", err)

    def test_a_missing_name_for_standard_input_is_made_up_and_told_if_records_have_keys(self):
        given = json_lines(orders(3)).encode()
        status, _, err = self.load("-", "--create", given=given)
        self.assertEqual(status, 125)
        self.assertIn("--as NAME, or --key COLUMN", err)
        status, _, err = self.load("-", "--create", "--key", "id", given=given)
        self.assertEqual(status, 0)
        self.assertRegex(err, r"send it again with --as stdin-[0-9a-f]+")


if __name__ == "__main__":
    assert TOOL
    unittest.main()
