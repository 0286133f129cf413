# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` know content under another name, what is missing of it, and inputs that were begun?"""

import gzip
import json
import os
import sqlite3
import unittest

from load_sqlite import LoadCase, json_lines, orders
from tool import TOOL, call

KEY = ("--key", "id")


class Found(LoadCase):
    """Content that was loaded under another name, and inputs without records."""

    def test_under_another_name_keeps_what_was_rejected_of_it(self):
        path = self.file("a.csv", "id,name\n1,a\n2,b\n")
        self.assertEqual(self.load(path, "--create", "--key", "id")[0], 0)
        self.file("a.csv", "id,name\n1,a\n2,X\n")
        self.assertEqual(self.load(path, "--key", "id")[0], 4)
        copy = self.file("b.csv", "id,name\n1,a\n2,X\n")
        status, answer, err = self.load(copy, "--key", "id", "--verify")
        self.assertEqual((status, answer["nothing_new"]), (4, True), err)

    def test_empty_is_loaded_with_a_key(self):
        self.sql("create table orders (id integer primary key, n integer)")
        for name, text in (("a.csv", ""), ("b.jsonl", ""), ("c.json", "[]"), ("d.csv", "id,n\n")):
            with self.subTest(name=name):
                status, answer, err = self.load(self.file(name, text), "--key", "id")
                self.assertEqual((status, answer["account"]["read"]), (0, 0), err)

    def test_unreadable_names_the_reason_of_the_first_record(self):
        status, _, err = self.load(self.file("a.jsonl", "{'id': 1}\n"), "--create")
        self.assertEqual(status, 3)
        self.assertIn("the first one: not JSON: column 2", err)


class Copies(LoadCase):
    """The same content under another name, where the ledger or the table has less than all of it."""

    def clear(self):
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))

    def copy(self, count, name="b.jsonl"):
        return self.file(name, json_lines(orders(count)))

    def loaded(self, count, *flags):
        path = self.file("a.jsonl", json_lines(orders(count)))
        self.assertEqual(self.load(path, "--create", *flags)[0], 0)
        return path

    def test_of_an_input_that_was_not_loaded_to_its_end_are_not_taken_for_loaded(self):
        for key in ((), KEY):
            with self.subTest(key=key):
                self.clear()
                self.loaded(100, *key)
                first = len(json_lines(orders(1)).encode())
                self.sql("delete from orders where id = 1")  # as if its batch had been lost by a kill
                self.sql(f"update perdure_load_range set begin_at = {first}, first_line = 2, records = 99, written = 99")
                status, _, err = self.load(self.copy(100), *key)
                self.assertEqual(status, 0 if key else 3, err)
                self.assertEqual(len(self.rows()), 100 if key else 99)

    def test_into_a_table_that_was_emptied_are_loaded(self):
        self.loaded(100)
        self.sql("delete from orders")
        self.assertEqual(self.load(self.copy(100))[0], 0)
        self.assertEqual(len(self.rows()), 100)

    def test_are_read_with_again(self):
        self.loaded(100, *KEY)
        self.sql("delete from orders where id > 50")
        self.assertEqual(self.load(self.copy(100), "--again", *KEY)[0], 0)
        self.assertEqual(len(self.rows()), 100)

    def test_in_one_command_are_loaded_once(self):
        for workers, count in ((1, 10), (2, 500), (8, 2000), (8, 5000)):
            with self.subTest(workers=workers, count=count):
                self.clear()
                paths = [self.copy(count, f"{name}.jsonl") for name in "abc"]
                status, _, err = self.load(*paths, "--create", "--workers", str(workers))
                self.assertEqual((status, len(self.rows())), (0, count), err)

    def test_of_a_small_file_that_grew_are_recognised(self):
        path = self.loaded(10)
        self.file("a.jsonl", json_lines(orders(1000)))
        self.assertEqual(self.load(path)[0], 0)
        status, answer, err = self.load(self.copy(1000))
        self.assertEqual((status, answer["nothing_new"]), (0, True), err)
        status, _, err = self.load(self.copy(1001, "c.jsonl"))
        self.assertEqual(status, 3, err)
        self.assertEqual(len(self.rows()), 1000)

    def test_read_with_another_separator_are_another_content(self):
        path = self.file("a.csv", "id|v,w\n1|2,3\n")
        self.assertEqual(self.load(path, "--create", "--separator", "|")[0], 0)
        copy = self.file("b.csv", "id|v,w\n1|2,3\n")
        self.assertNotEqual(self.load(copy, "--separator", ",")[0], 0)

    def test_of_an_array_are_recognised(self):
        path = self.file("a.json", '[{"id": 1},\n {"id": 2}\n]\n')
        self.assertEqual(self.load(path, "--create")[0], 0)
        copy = self.file("b.json", '[{"id": 1},\n {"id": 2}\n]\n')
        status, answer, err = self.load(copy)
        self.assertEqual((status, answer["nothing_new"]), (0, True), err)

    def test_of_an_array_that_grew_are_recognised(self):
        # Shorter than the head that is kept of it, at first or for ever, and with its bracket at the very end of that.
        for first, then in ((10, 12), (10, 1000), (126, 130)):
            for pack in (False, True):
                with self.subTest(first=first, then=then, pack=pack):
                    self.clear()
                    path = self.array("a.json", first)
                    self.assertEqual(self.load(path, "--create")[0], 0)
                    self.array("a.json", then)
                    self.assertEqual(self.load(path)[1]["account"]["written"], then - first)
                    copy = self.array("b.json", then, pack)
                    status, answer, err = self.load(copy)
                    self.assertEqual((status, answer["nothing_new"]), (0, True), err)
                    self.assertEqual(self.load(self.array("c.json", then + 2, pack))[0], 3)
                    self.assertEqual(len(self.rows()), then)

    def array(self, name, count, pack=False):
        rows = ",\n".join(json.dumps({"id": number, "name": "x" * 9}) for number in range(100, 100 + count))
        text = ("[" + rows + "]\n").encode()
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(gzip.compress(text, mtime=0) if pack else text)
        return os.path.join(self.folder, name)

    def test_that_differ_behind_a_long_header_are_refused(self):
        header = ",".join(f"a column with a rather long name {number}" for number in range(110))
        lines = [",".join([str(number)] * 110) + "\n" for number in range(1000, 1100)]
        path = self.file("a.csv", header + "\n" + "".join(lines))
        self.assertEqual(self.load(path, "--create")[0], 0)
        lines[50] = lines[50].replace("1050", "2050")
        status, answer, err = self.load(self.file("b.csv", header + "\n" + "".join(lines)))
        self.assertEqual(status, 3, err)
        self.assertIn("differs further on", str(answer) + err)
        self.assertEqual(len(self.rows()), 100)

    def test_of_an_input_are_known_where_another_begins_alike(self):
        self.loaded(300)
        status, _, err = self.load(self.copy(400), "--as", "b.jsonl")
        self.assertEqual(status, 0, err)
        status, answer, err = self.load(self.copy(400, "c.jsonl"))
        self.assertEqual((status, answer["nothing_new"]), (0, True), err)


class Begun(LoadCase):
    def test_with_a_nested_record_that_was_cut_off_it_goes_on(self):
        path = self.file("a.jsonl", '{"id": 1, "o": {"a": 1}}\n{"id": 2, "o": {"a": 2}')
        status, answer, err = self.load(path, "--create")
        self.assertEqual((status, answer["account"]["rejected"]), (3, 0), err)
        self.file("a.jsonl", '{"id": 1, "o": {"a": 1}}\n{"id": 2, "o": {"a": 2}}\n')
        self.assertEqual(self.load(path)[0], 0)
        self.assertEqual(len(self.rows()), 2)

    def test_empty_it_takes_the_header_of_later(self):
        self.sql("create table orders (id integer, name text)")
        path = self.file("a.csv", "")
        self.assertEqual(self.load(path)[0], 0)
        self.file("a.csv", "id,name\n1,a\n")
        self.assertEqual(self.load(path)[0], 0)
        status, answer, err = self.load(path)
        self.assertEqual((status, answer["nothing_new"]), (0, True), err)

    def test_with_a_key_it_counts_the_rows_of_a_file_that_is_empty_now(self):
        path = self.file("a.csv", "id,name\n1,a\n2,b\n")
        self.assertEqual(self.load(path, "--create", *KEY)[0], 0)
        self.file("a.csv", "id,name\n")
        status, answer, err = self.load(path, *KEY)
        self.assertEqual((status, answer["rows_not_in_input"]), (0, 2), err)

    def test_a_file_that_is_changed_while_it_is_read_is_told(self):
        path = self.file("a.jsonl", json_lines(orders(200_000)))
        process = self.start("load", path, "--to", "sqlite:" + self.database, "--table", "orders", "--create", "--json",
                             cwd=self.folder)
        while process.poll() is None and not self.there():
            pass
        with open(path, "r+b") as file:
            file.write(b'{"id": 9')
        process.communicate()
        self.assertEqual(process.returncode, 3)

    def while_read(self, change):
        """(status, the account) of a load of a file that is changed as soon as some of it was loaded."""
        path = self.file("a.jsonl", json_lines(orders(100_000)))
        process = self.start("load", path, "--to", "sqlite:" + self.database, "--table", "orders", "--create", "--json",
                             cwd=self.folder)
        while process.poll() is None and not self.there():
            pass
        change(path)
        out, _ = process.communicate()
        return process.returncode, json.loads(out)

    def test_a_file_that_is_replaced_by_one_of_the_same_time_and_size_is_told(self):
        def replace(path):
            facts = os.stat(path)
            with open(path, "rb") as file:
                text = file.read()
            other = self.file("other", text.replace(b'"id": 99999', b'"id": 11111').decode())
            os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            os.replace(other, path)
        self.assertEqual(self.while_read(replace)[0], 3)

    def test_a_file_that_is_written_to_and_whose_time_is_set_back_is_told(self):
        def change(path):
            facts = os.stat(path)
            with open(path, "r+b") as file:
                file.write(b'{"id": 9')
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        self.assertEqual(self.while_read(change)[0], 3)

    def test_a_file_that_is_deleted_is_loaded_to_its_end(self):
        status, answer = self.while_read(os.remove)
        self.assertEqual((status, answer["account"]["written"]), (0, 100_000), answer)
        self.assertIn("was deleted while it was read", str(answer["remarks"]))

    def test_a_dry_run_tells_of_a_change(self):
        path = self.file("a.csv", "id,name\n1,a\n2,b\n")
        self.assertEqual(self.load(path, "--create", *KEY)[0], 0)
        self.assertFalse(self.load(path, "--dry-run")[1]["inputs"][0]["changed"])
        self.file("a.csv", "id,name\n1,a\n2,c\n")
        self.assertTrue(self.load(path, "--dry-run")[1]["inputs"][0]["changed"])
        for flags, words in (((), "would be refused"), (KEY, "would be read again")):
            status, out, err = call("load", path, "--to", "sqlite:" + self.database, "--table", "orders", "--dry-run", *flags)
            self.assertEqual(status, 0, err)
            self.assertIn("its content has changed: it " + words, out)

    def there(self):
        try:
            return self.rows("select count(*) from orders")[0][0]
        except sqlite3.OperationalError:
            return 0


class OldLedger(LoadCase):
    """A ledger that version 0.1 made has ranges without digests."""

    def forget_digests(self):
        for column in ("digest_high", "digest_low", "written_at", "input_version"):
            self.sql(f"alter table perdure_load_range drop column {column}")

    def test_without_a_key_goes_on_and_says_that_changes_cannot_be_seen(self):
        path = self.file("a.csv", "id,name\n1,one\n2,two\n")
        self.assertEqual(self.load(path, "--create")[0], 0)
        self.forget_digests()
        self.assertEqual(self.load(path, "--dry-run")[0], 0)
        self.file("a.csv", "id,name\n1,one\n2,two\n3,three\n")
        status, answer, err = self.load(path)
        self.assertEqual((status, answer["account"]["written"]), (0, 1), err)
        self.assertIn("kept no digests", str(answer["remarks"]))
        self.file("a.csv", "id,name\n1,one\n2,TWO\n3,three\n")
        self.assertEqual(self.load(path)[0], 3)

    def test_with_a_key_is_read_again(self):
        path = self.file("a.csv", "id,name\n1,one\n2,two\n")
        self.assertEqual(self.load(path, "--create", "--key", "id")[0], 0)
        self.forget_digests()
        status, answer, err = self.load(path, "--key", "id")
        self.assertEqual((status, answer["account"]["already_there"]), (0, 2), err)
        self.assertTrue(self.load(path, "--key", "id")[1]["nothing_new"])


if __name__ == "__main__":
    assert TOOL
    unittest.main()
