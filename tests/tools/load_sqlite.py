# SPDX-License-Identifier: Apache-2.0
"""What do tests of `perdure load` have in common? Inputs that are made, and SQLite read by somebody else."""

import json
import os
import sqlite3

from tool import Case, call


def orders(count, first=1):
    """Records with every type, keys in order."""
    for number in range(first, first + count):
        yield {"id": number, "name": f"Zoë {number}", "price": number / 4, "paid": number % 3 == 0,
               "note": None if number % 5 == 0 else f"line\n\"{number}\"", "tags": [number, "x"]}


def json_lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


class LoadCase(Case):
    def setUp(self):
        super().setUp()
        self.database = os.path.join(self.folder, "shop.db")

    def load(self, *arguments, given=b"", table="orders", **options):
        """(exit status, the account as JSON or None, standard error)"""
        status, out, err = call("load", *arguments, "--to", "sqlite:" + self.database, "--table",
                                table, "--json", given=given, cwd=self.folder, **options)
        return status, json.loads(out) if out else None, err

    def rows(self, statement="select * from orders order by 1"):
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()

    def sql(self, statement):
        connection = sqlite3.connect(self.database)
        try:
            with connection:
                connection.execute(statement)
        finally:
            connection.close()

    def rejected(self, name="orders.rejected.jsonl"):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def account(self, answer):
        seen = answer["account"]
        self.assertEqual(seen["read"], seen["written"] + seen["already_there"] + seen["rejected"])
        self.assertTrue(answer["adds_up"])
        return seen["read"], seen["written"], seen["already_there"], seen["rejected"]
