# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` notice how a file changed since it was loaded, and is its status 0 true?

A nightly export is written under its old name, again and again. For each variant in load_variants.py: load a
file, change it, give the same command again. After every run, whatever the variant, the table is read by
Python's sqlite3, the file by Python's csv and json, and these must hold:

- status 0: every record of the file as it is now is in the table, with its values;
- a row that was there is still there, with its values; no record is there more often than the file has it.
"""

import collections
import os
import re
import shutil
import signal
import sqlite3
import unittest

from load_sqlite import LoadCase
from load_variants import FIRST, VARIANTS, Export, append, records, rows, pay_one
from tool import call

KEY = ("--key", "id")
ROWS = 400


class ReexportCase(LoadCase):
    """One table, `orders`, and one file."""

    def setUp(self):
        super().setUp()
        self.exports = os.path.join(self.folder, "exports")
        os.mkdir(self.exports)

    def export(self, form, count=ROWS, **options):
        made = Export(os.path.join(self.exports, "orders." + form), form, **options)
        made.write(records(count))
        return made

    def table(self):
        return collections.Counter(self.rows("select id, status, name, cents from orders"))

    def told(self, answer, err):
        """Everything a person could read, from JSON and from standard error."""
        return " ".join(str((answer or {}).get(name, "")) for name in ("stopped", "error", "nothing_new", "input")) + err

    def run_and_check(self, export, *flags):
        """Runs the load of a changed file, and checks what must hold after each run. (status, answer, words)"""
        before = self.table()
        status, answer, err = self.load(export.path, *flags, *export.flags)
        words, now, table = self.told(answer, err), export.now() if status in (0, 4) else [], self.table()
        self.assertFalse(before - table, "rows were changed or deleted: " + words)
        wanted = collections.Counter(record for record in now if record)
        if status == 0:
            self.assertNotIn(None, now, "a record that is cut off, and status 0")
            missing = (collections.Counter(set(now)) if "--key" in flags else wanted) - table
            self.assertEqual(len(missing), 0, f"status 0, but records of the file are not in the table: {list(missing)[:3]}")
        if "other" not in export.flags:
            doubled = [row for row, count in table.items() if count > max(1, before[row], wanted[row])]
            self.assertEqual(len(doubled), 0, f"rows are there twice, status {status}: {doubled[:3]}")
        if answer and "account" in answer:
            self.account(answer)
        return status, answer, words

    def check_end(self, end, status, answer, words):
        self.assertEqual(status, end.status, words)
        for word in end.words:
            self.assertIn(word, words)
        answer = answer or {}
        found = {**answer, **answer.get("account", {})}
        wanted = dict(end.numbers)
        if status == 0 and "rows_not_in_input" in wanted:
            found.setdefault("rows_not_in_input", 0)
        self.assertEqual({name: found.get(name) for name in wanted}, wanted, answer)


class Snapshot:
    """A database and its files, kept to begin each variant from."""

    def __init__(self, case, name):
        self.case, self.folder = case, os.path.join(case.folder, name)
        shutil.copytree(case.exports, os.path.join(self.folder, "exports"))
        for path in self.of_database(case.folder):
            shutil.copy(path, self.folder)

    @staticmethod
    def of_database(folder):
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("shop.db")]

    def restore(self):
        for path in self.of_database(self.case.folder):
            os.remove(path)
        for path in self.of_database(self.folder):
            shutil.copy(path, self.case.folder)
        shutil.rmtree(self.case.exports)
        shutil.copytree(os.path.join(self.folder, "exports"), self.case.exports)


class Reexported(ReexportCase):
    """After a load that ended."""

    def check(self, form, *key):
        snapshots = {}
        for variant in VARIANTS:
            if form not in variant.forms:
                continue
            begin = str(variant.first)
            if begin not in snapshots:
                self.assertEqual(self.begin(form, variant, *key)[0], 0)
                snapshots[begin] = Snapshot(self, f"{form}-{len(snapshots)}")
            with self.subTest(changed=variant.name):
                snapshots[begin].restore()
                export = self.export(form, **variant.first)
                variant.change(export)
                self.check_end(variant.keyed if key else variant.plain, *self.run_and_check(export, *key))

    def begin(self, form, variant, *key):
        for path in Snapshot.of_database(self.folder):
            os.remove(path)
        return self.load(self.export(form, **variant.first).path, "--create", "--batch", "50", *key)

    def test_csv_without_a_key_goes_on_or_is_refused(self):
        self.check("csv")

    def test_csv_with_a_key_is_read_again(self):
        self.check("csv", *KEY)

    def test_json_lines_without_a_key_go_on_or_are_refused(self):
        self.check("jsonl")

    def test_json_lines_with_a_key_are_read_again(self):
        self.check("jsonl", *KEY)


class Killed(ReexportCase):
    """After a load that was killed in the middle: kill -9 with a part of the rows in the table."""

    # Enough for batches of ten to take longer than it takes to see the first rows.
    COUNT = 4_000

    def kill(self, form, *key):
        process = self.start("load", self.export(form, self.COUNT).path, "--to", "sqlite:" + self.database, "--table",
                             "orders", "--create", "--batch", "10", *key, cwd=self.folder)
        while process.poll() is None and self.there() < 600:
            pass
        process.send_signal(signal.SIGKILL)
        self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assertLess(self.there(), self.COUNT)

    def there(self):
        try:
            return self.rows("select count(*) from orders")[0][0]
        except sqlite3.OperationalError:
            return 0

    def check(self, form, *key):
        self.kill(form, *key)
        begun = Snapshot(self, form)
        for variant in VARIANTS:
            if form not in variant.forms or variant.first:
                continue
            with self.subTest(changed=variant.name):
                begun.restore()
                export = self.export(form, self.COUNT)
                variant.change(export)
                status, _, words = self.run_and_check(export, *key)
                self.assertIn(status, self.allowed(variant.keyed if key else variant.plain, export, key), words)
        begun.restore()
        self.check_places(form, begun, *key)

    def allowed(self, end, export, key):
        """With which statuses a load may end after the kill that ends so after a load to the end."""
        path = os.path.join(self.exports, "orders." + export.form)
        same_name = os.path.realpath(export.path) == path or export.flags
        if end.status == 0 and not key and not same_name:
            return {3}  # the input that has these bytes is not loaded to its end
        if end.status in (0, 125):
            return {end.status}
        return {0, end.status}  # what changed may lie behind the place that the killed load reached

    def check_places(self, form, begun, *key):
        """The last row was not loaded; the first was, unless its worker waited for the other one all the time."""
        first = 3  # the digests of later ranges cover the first row, loaded or not
        if key:
            first = 4 if self.rows("select 1 from orders where id = 100000") else 0
        for place, wanted in ((0, first), (-1, 0)):
            with self.subTest(changed=f"row {place}"):
                begun.restore()
                export = self.export(form, self.COUNT)
                rows(pay_one(place))(export)
                status, _, words = self.run_and_check(export, *key)
                self.assertEqual(status, wanted, words)

    def test_csv_without_a_key_goes_on_or_is_refused(self):
        self.check("csv")

    def test_csv_with_a_key_goes_on_or_is_read_again(self):
        self.check("csv", *KEY)

    def test_json_lines_without_a_key_go_on_or_are_refused(self):
        self.check("jsonl")

    def test_json_lines_with_a_key_go_on_or_are_read_again(self):
        self.check("jsonl", *KEY)


class Nightly(ReexportCase):
    """Several nights in a row."""

    def test_two_appends_are_both_loaded(self):
        for key in ((), KEY):
            with self.subTest(key=key):
                self.database = os.path.join(self.folder, f"shop{len(key)}.db")
                export = self.export("csv")
                self.assertEqual(self.load(export.path, "--create", *key)[0], 0)
                for night in range(2):
                    export.append(export.lines_of(records(3, FIRST + ROWS + 3 * night)))
                    status, answer, words = self.run_and_check(export, *key)
                    self.assertEqual((status, answer["account"]["written"]), (0, 3), words)
                status, answer, words = self.run_and_check(export, *key)
                self.assertEqual((status, answer.get("nothing_new")), (0, True), words)

    def test_a_file_that_was_refused_is_loaded_again_once_it_is_as_it_was(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create")[0], 0)
        rows(pay_one(200))(export)
        self.assertEqual(self.run_and_check(export)[0], 3)
        export = self.export("csv")
        append(export)
        status, answer, words = self.run_and_check(export)
        self.assertEqual((status, answer["account"]["written"]), (0, 3), words)

    def test_a_window_that_moves_on_keeps_its_old_rows_in_the_table(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create", *KEY)[0], 0)
        for night in range(1, 4):
            export.write(records(ROWS, FIRST + 10 * night))
            status, answer, words = self.run_and_check(export, *KEY)
            account = answer["account"]
            self.assertEqual((status, account["written"], account["already_there"]), (0, 10, ROWS - 10), words)
            self.assertEqual(answer["rows_not_in_input"], 10 * night)

    def test_a_change_is_rejected_every_night_until_it_is_taken_back(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create", *KEY)[0], 0)
        rows(pay_one(200))(export)
        self.assertEqual(self.run_and_check(export, *KEY)[0], 4)
        status, answer, words = self.run_and_check(export, *KEY)
        self.assertEqual(status, 4, words)
        self.assertIn("--again", words + str(answer))
        export = self.export("csv")
        self.assertEqual(self.run_and_check(export, *KEY)[0], 0)

    def test_two_files_that_exchange_their_contents_are_not_loaded_twice(self):
        for key in ((), KEY):
            with self.subTest(key=key):
                self.database = os.path.join(self.folder, f"shop{len(key)}.db")
                first, second = self.export("csv"), self.export("csv")
                second.path = os.path.join(self.exports, "more.csv")
                second.write(records(ROWS, 500_000))
                self.assertEqual(self.load(first.path, second.path, "--create", *key)[0], 0)
                first.write(records(ROWS, 500_000))
                second.write(records(ROWS))
                for export in (first, second):
                    self.assertIn(self.run_and_check(export, *key)[0], (0,) if key else (0, 3))
                self.assertEqual(len(self.rows()), 2 * ROWS)

    def test_a_renamed_file_that_grew_goes_on_under_its_old_name_or_is_loaded_whole_under_a_new_one(self):
        export = self.export("csv")
        old = export.path
        self.assertEqual(self.load(old, "--create")[0], 0)
        export.path = os.path.join(self.exports, "moved.csv")
        os.rename(old, export.path)
        append(export)
        status, _, words = self.run_and_check(export)
        self.assertEqual(status, 3, words)
        self.assertIn("--as", words)
        self.assertIn(old, words)
        export.flags = ["--as", old]
        status, answer, words = self.run_and_check(export)
        self.assertEqual((status, answer["account"]["written"]), (0, 3), words)
        export.flags = ["--as", "other"]
        status, answer, words = self.run_and_check(export)
        self.assertEqual((status, answer["account"]["written"]), (0, ROWS + 3), words)


class Words(ReexportCase):
    """What a person reads."""

    def say(self, export, *flags):
        status, out, err = call("load", export.path, "--to", "sqlite:" + self.database, "--table", "orders", *flags,
                                cwd=self.folder)
        return status, out + err

    def test_of_a_file_that_was_loaded_tell_when_and_how_to_read_it_again(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create")[0], 0)
        status, said = self.say(export)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"nothing new: '" + re.escape(export.path) + r"' was loaded on \d{4}-\d\d-\d\d \d\d:\d\d UTC, "
                               r"400 records; --again reads it once more")
        self.assertIn("rows deleted or changed in the table since are found by --verify only", said)
        self.sql("delete from orders where id = 100007")
        status, said = self.say(export)
        self.assertEqual((status, "nothing new" in said), (0, True), said)
        status, said = self.say(export, "--verify")
        self.assertEqual((status, "found by --verify only" in said), (6, False), said)

    def test_of_a_renamed_or_packed_file_tell_the_name_it_was_loaded_by(self):
        export = self.export("csv")
        old = export.path
        self.assertEqual(self.load(old, "--create")[0], 0)
        for variant in ("its name", "its packing: gzip of the same, and .gz"):
            with self.subTest(changed=variant):
                next(each for each in VARIANTS if each.name == variant).change(export)
                status, said = self.say(export)
                self.assertEqual(status, 0, said)
                self.assertIn("nothing new", said)
                self.assertIn(old, said)

    def test_of_rejected_records_in_a_file_without_news_name_the_way_to_read_it_again(self):
        export = self.export("csv")
        export.append("not,a,record\n")
        self.assertEqual(self.load(export.path, "--create", *KEY)[0], 4)
        status, said = self.say(export, *KEY)
        self.assertEqual(status, 4, said)
        self.assertIn("nothing new", said)
        self.assertIn("--again", said)

    def test_of_rows_that_are_not_in_the_file_any_more_tell_how_many_and_name_some(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create", *KEY)[0], 0)
        export.write([record for record in export.records if record["id"] not in (100_105, 100_107)])
        status, said = self.say(export, *KEY)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"2 rows of the table are not in the file any more: key 100105, ")
        self.assertIn("100107", said)

    def test_of_a_changed_file_name_all_three_ways_on(self):
        export = self.export("csv")
        self.assertEqual(self.load(export.path, "--create")[0], 0)
        rows(pay_one(200))(export)
        status, said = self.say(export)
        self.assertEqual(status, 3, said)
        for cure in ("--key", "--as", "--again"):
            self.assertIn(cure, said)



if __name__ == "__main__":
    unittest.main()
