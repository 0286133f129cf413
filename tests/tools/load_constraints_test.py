# SPDX-License-Identifier: Apache-2.0
"""What does `perdure load` do where a constraint of SQLite says which row gives way?"""

import unittest

from load_sqlite import LoadCase
from tool import TOOL


class Constraints(LoadCase):
    """A constraint that says which row gives way must not decide it."""

    def test_that_replace_rows_replace_none(self):
        self.sql("create table orders (id integer primary key on conflict replace, z text)")
        self.sql("insert into orders values (1, 'old')")
        status, answer, err = self.load(self.file("a.csv", "id,z\n1,a\n2,b\n"), "--key", "id")
        self.assertEqual((status, self.account(answer)), (4, (2, 1, 0, 1)), err)
        self.assertEqual(self.rows(), [(1, "old"), (2, "b")])

    def test_that_replace_or_leave_out_other_rows_reject_the_record(self):
        for clause in ("replace", "ignore", "rollback", "fail"):
            for key in (("--key", "id"), ()):
                with self.subTest(clause=clause, key=key):
                    for table in ("orders", "perdure_load", "perdure_load_range", "perdure_load_rejected"):
                        self.sql("drop table if exists " + table)
                    self.sql(f"create table orders (id integer primary key, z text unique on conflict {clause})")
                    status, answer, err = self.load(self.file("a.csv", "id,z\n1,a\n2,a\n3,b\n"), *key)
                    self.assertEqual((status, self.account(answer)), (4, (3, 2, 0, 1)), err)
                    self.assertEqual(len(self.rows()), 2)


if __name__ == "__main__":
    assert TOOL
    unittest.main()
