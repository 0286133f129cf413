# SPDX-License-Identifier: Apache-2.0
"""Does `perdure explain` know the databases' errors, and are their pages in the docs the same?"""

import json
import os
import pathlib
import re
import sys
import unittest

from tool import Case, call

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference"
DATABASES = ("postgres", "mariadb", "sqlite", "sqlserver", "odbc")


def explain(*arguments, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = str(columns)
    return call("explain", *arguments, env=environment)


class Databases(Case):
    def test_rows_say_letters_commit_cause_and_rule(self):
        table = [
            ("postgres", "40001", "T", "definite", "contended", "lock-conflict"),
            ("postgres", "57P01", "K,T,A", "ambiguous", "unavailable", "unavailable"),
            ("postgres", "25006", "K,T", "definite", "stale_route", "failover"),
            ("postgres", "23505", "N", "definite", "conflict", "conflict"),
            ("postgres", "57014", "N", "definite", "timed_out", "timed_out"),
            ("postgres", "connection-lost", "K,T,A", "ambiguous", "unavailable", "unavailable"),
            ("mariadb", "1213", "T", "definite", "contended", "lock-conflict"),
            ("mariadb", "2013", "K,T,A", "ambiguous", "unavailable", "unavailable"),
            ("sqlite", "517", "T", "definite", "contended", "lock-conflict"),
            ("sqlserver", "40501", "S,T", "definite", "throttled", "busy-database"),
            ("sqlserver", "41302", "T", "definite", "contended", "in-memory-conflict"),
            ("sqlserver", "-2", "C,A,N", "ambiguous", "timed_out", "connect"),
            ("odbc", "08S01", "K,T,A", "ambiguous", "unavailable", "unavailable"),
        ]
        for service, code, letters, commit, cause, rule in table:
            with self.subTest(service=service, code=code):
                status, out, err = explain(service, code, "--json")
                self.assertEqual((status, err), (0, ""))
                seen = json.loads(out)
                self.assertEqual((seen["service"], seen["code"]), (service, code))
                self.assertEqual((seen["reactions"], seen["at_commit"]), (letters, commit))
                self.assertEqual((seen["cause"], seen["rule"]), (cause, rule))
                self.assertEqual(seen["waits"] is None, "N" in letters)
                self.assertEqual(seen["repeat"]["read"], "N" not in letters)

    def test_waits_are_those_of_the_strategy(self):
        table = [("postgres", "40001", "10 attempts, 5"), ("sqlserver", "40501", "4 attempts, 5"),
                 ("postgres", "25006", "until the deadline, 100")]
        for service, code, words in table:
            self.assertTrue(json.loads(explain(service, code, "--json")[1])["waits"].startswith(words))

    def test_databases_and_codes_have_other_names(self):
        for alias, name in (("postgresql", "postgres"), ("mysql", "mariadb"), ("sqlite3", "sqlite"),
                            ("mssql", "sqlserver"), ("azuresql", "sqlserver")):
            self.assertEqual(explain(alias), explain(name))
        by_name = explain("sqlite", "sqlite_busy_snapshot")
        self.assertEqual(by_name, explain("sqlite", "517"))
        self.assertEqual(by_name[0], 0)

    def test_people_get_a_row_in_words(self):
        for service, code, expected in (
                ("postgres", "57P01", ("K the session is dropped", "ambiguous: it may have been committed",
                                       "once no (unsafe)", "fresh_connection", "Appendix A")),
                ("sqlserver", "40501", ("definite: it is not committed", "busy-database: 4 attempts", "ten seconds")),
                ("postgres", "23505", ("none: not repeated",))):
            status, out, err = explain(service, code, columns=200)
            self.assertEqual((status, err), (0, ""))
            for words in expected:
                self.assertIn(words, out)

    def test_without_a_code_it_prints_the_whole_table(self):
        for service in DATABASES:
            rows = json.loads(explain(service, "--json")[1])
            codes = [one["code"] for one in rows]
            self.assertEqual(len(set(codes)), len(codes))
            self.assertIn("deadline", codes)
            for columns in (80, 120):
                out = explain(service, columns=columns)[1]
                self.assertLessEqual(max(map(len, out.splitlines())), columns)
            for code in codes:
                self.assertRegex(out, rf"(?m)^{code} ")
        self.assertGreater(len(json.loads(explain("sqlserver", "--json")[1])), 176)

    def test_no_write_that_may_have_happened_is_repeated_once(self):
        for service in DATABASES:
            for one in json.loads(explain(service, "--json")[1]):
                self.assertFalse(one["repeat"]["once"] and one["at_commit"] == "ambiguous", one)

    def test_a_code_without_a_row_exits_3_and_says_what_would_happen(self):
        table = [("postgres", "08999", "08", "unavailable"), ("postgres", "ZZ999", None, "invalid"),
                 ("sqlite", "526", "14", "unavailable"), ("odbc", "40P01", "40P01", "contended"),
                 ("sqlserver", "77777", None, "invalid"), ("mariadb", "2099", None, "internal")]
        for service, code, taken_as, cause in table:
            with self.subTest(service=service, code=code):
                status, out, err = explain(service, code, "--json")
                seen = json.loads(out)
                self.assertEqual(status, 3)
                self.assertIn("no row", err)
                self.assertEqual((seen["code"], seen["taken_as"], seen["cause"]), (code, taken_as, cause))

    def test_every_code_that_the_room_makes_has_a_row(self):
        known = {one["code"] for service in DATABASES for one in json.loads(explain(service, "--json")[1])}
        for source in sorted((ROOT / "src/sql").rglob("*.cpp")):
            for code in re.findall(r'\.code = "([\w-]+)"', source.read_text(encoding="utf-8")):
                self.assertIn(code, known, source.name)

    def test_they_stand_in_the_list_of_services(self):
        out = explain()[1]
        for service in DATABASES:
            self.assertRegex(out, rf"(?m)^  {service} ")


class Pages(Case):
    maxDiff = None

    def test_the_pages_in_the_docs_are_what_the_tool_prints(self):
        for service in DATABASES:
            status, out, _ = explain(service, "--markdown")
            self.assertEqual(status, 0)
            page = REFERENCE / f"{service}-errors.md"
            self.assertEqual(page.read_text(encoding="utf-8"), out,
                             f"perdure explain {service} --markdown > docs/reference/{page.name}")


if __name__ == "__main__":
    if "  postgres " not in call("explain")[1]:
        print("skipped: the room sql is not furnished")
        sys.exit(77)
    unittest.main()
