# SPDX-License-Identifier: Apache-2.0
"""Does `perdure load` reject what a column of SQLite would change without an error?"""

import unittest

from load_sqlite import LoadCase
from tool import TOOL

# What SQLite makes a number of, in another way than it was written; and what it keeps.
CHANGED = ["12345678901234567890", "007", "1.12345678901234567890123", "0.1234567890123456", "+7", " 7 ", "-0", "1e400",
           "5.", ".5", "-0.0"]
KEPT = ["9007199254740993", "-9223372036854775808", "1.5", "2026-01-31", "20260131", "abc", "0x10", "1 2", "1e3", "12.50", "+"]


class Numbers(LoadCase):
    def load_texts(self, column_type, texts, *flags, options=""):
        self.sql(f"create table orders (id integer primary key, z {column_type}){options}")
        text = "".join(f'{number},"{value}"\n' for number, value in enumerate(texts))
        return self.load(self.file("a.csv", "id,z\n" + text), "--key", "id", *flags)

    def drop(self):
        for table in ("orders", "perdure_load", "perdure_load_range", "perdure_load_rejected"):
            self.sql("drop table if exists " + table)

    def test_that_a_column_would_change_are_rejected(self):
        for kind in ("numeric", "decimal(10,2)", "date", "datetime", "decimal", "anything"):
            with self.subTest(kind=kind):
                self.drop()
                status, answer, err = self.load_texts(kind, CHANGED)
                self.assertEqual((status, self.account(answer)), (4, (len(CHANGED), 0, 0, len(CHANGED))), self.rows())

    def test_that_a_column_keeps_are_loaded(self):
        status, answer, err = self.load_texts("numeric", KEPT, "--verify")
        self.assertEqual((status, answer["account"]["written"]), (0, len(KEPT)), err + str(answer))
        for (_, found), sent in zip(self.rows(), KEPT):
            same = float(found) == float(sent) if isinstance(found, float) or "e" in sent and sent != "0x10" else str(found) == sent
            self.assertTrue(same, (found, sent))

    def test_are_texts_in_columns_that_are_none_or_blobs_and_in_a_strict_table(self):
        for kind, options in (("", ""), ("blob", ""), ("any", " strict")):
            with self.subTest(kind=kind):
                self.drop()
                status, _, err = self.load_texts(kind, CHANGED, options=options)
                self.assertEqual((status, [row[1] for row in self.rows()]), (0, CHANGED), err)

    def test_that_differ_in_the_last_digit_are_not_one_key(self):
        self.sql("create table orders (id numeric primary key, z text)")
        path = self.file("a.csv", "id,z\n12345678901234567890,a\n12345678901234567891,a\n")
        status, answer, err = self.load(path, "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (2, 0, 0, 2)), err)


if __name__ == "__main__":
    assert TOOL
    unittest.main()
