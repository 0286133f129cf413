# SPDX-License-Identifier: Apache-2.0
"""Does `perdure explain` know Cosmos DB's statuses, for reads and for writes, and is its page the same?"""

import json
import os
import pathlib
import re
import sys
import unittest

from tool import Case, call

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/cosmos-status.md"
PLANS = ROOT / "docs/reference/cosmos-plans.md"


def explain(*arguments, columns=None):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = str(columns)
    return call("explain", "cosmos", *arguments, env=environment)


def row(code):
    return json.loads(explain(code, "--json")[1])


class Rows(Case):
    def test_rows_say_cause_effect_rule_and_who_may_repeat(self):
        table = [
            # code, cause, effect, rule of a write, repeated: read, once
            ("403/3", "wrong_region", "none", "write-forbidden", False, True),
            ("403/1008", "wrong_region", "none", "region-gone", True, True),
            ("404/1002", "wrong_region", "none", "session-elsewhere", True, True),
            ("429/3200", "throttled", "none", "throttled", True, True),
            ("449", "contended", "none", "contended", True, True),
            ("410/1007", "stale_route", "none", "gone", True, True),
            ("500", "internal", "unknown", "in-region", True, False),
            ("503", "unavailable", "none", "in-region", True, True),
            ("503/21006", "unavailable", "unknown", "in-region", True, False),
            ("409", "conflict", "none", "conflict", False, False),
            ("403/1014", "too_large", "none", "too_large", False, False),
            ("ECONNRESET", "unavailable", "unknown", "connection", True, False),
            ("ECONNREFUSED", "unavailable", "none", "connection", True, True),
        ]
        for code, cause, effect, rule, read, once in table:
            with self.subTest(code=code):
                status, out, err = explain(code, "--json")
                self.assertEqual((status, err), (0, ""))
                seen = json.loads(out)
                self.assertEqual((seen["code"], seen["cause"], seen["effect"], seen["rule"]),
                                 (code, cause, effect, rule))
                self.assertEqual((seen["repeat"]["read"], seen["repeat"]["once"]), (read, once))
                self.assertEqual(seen["reads"] != "no", read)

    def test_reads_and_writes_are_told_apart_and_so_are_several_write_regions(self):
        session = row("404/1002")
        self.assertEqual(session["reads"], "session: write_endpoint; "
                         "with several write regions session-elsewhere: next_endpoint")
        self.assertEqual(session["writes"], "no; with several write regions session-elsewhere: next_endpoint")
        out = explain("403/3", columns=200)[1]
        self.assertRegex(out, r"(?m)^reads +no$")
        self.assertRegex(out, r"(?m)^writes +write-forbidden: .*mark_endpoint")

    def test_waits_are_those_of_the_plan(self):
        for code, words in (("429", "10 attempts or for 30 s of waiting, 100 ms"),
                            ("449", "until the deadline or for 30 s, 10 ms"),
                            ("403/3", "until the deadline or for 5 s, at once, then"),
                            ("410/1000", "2 attempts, at once")):
            self.assertTrue(row(code)["waits"].startswith(words), row(code)["waits"])
        self.assertIn("what the service asks for and up to 50 ms more", row("429")["waits"])

    def test_a_row_says_where_the_sdks_and_the_article_differ(self):
        for code, words in (("403/3", "120 times"), ("404/1002", "without the token"),
                            ("500", "The article says not to repeat it"), ("449", "JS and Python")):
            self.assertIn(words, row(code)["differs"])
            self.assertIn("differs ", explain(code, columns=200)[1])

    def test_codes_are_found_by_range_by_number_and_without_a_substatus(self):
        for one, other in (("403/5302", "403/5300-5306"), ("404", "404/0"), ("503/0", "503"),
                           ("20003", "503/20003"), ("econnreset", "ECONNRESET")):
            self.assertEqual(explain(one), explain(other))
            self.assertEqual(explain(one)[0], 0)

    def test_a_code_without_a_row_exits_3_and_is_judged_all_the_same(self):
        for code, cause, taken_as in (("429/77", "throttled", "429"), ("404/7", "not_found", "404/*"),
                                      ("418", "invalid", None), ("501", "invalid", None)):
            status, out, err = explain(code, "--json")
            self.assertEqual(status, 3)
            self.assertIn("no row", err)
            self.assertEqual((json.loads(out)["cause"], json.loads(out)["taken_as"]), (cause, taken_as))
        for code in ("200", "SomethingNew", "403/", "1/2/3"):
            self.assertEqual(explain(code)[0], 3)

    def test_without_a_code_it_prints_the_whole_table(self):
        rows = json.loads(explain("--json")[1])
        codes = [one["code"] for one in rows]
        self.assertEqual(len(set(codes)), len(codes))
        self.assertGreater(len(codes), 70)
        out = explain(columns=120)[1]
        for code in codes:
            self.assertRegex(out, rf"(?m)^{re.escape(code)} ")
        for one in rows:
            self.assertFalse(one["repeat"]["once"] and one["effect"] != "none", one)

    def test_it_stands_in_the_list_of_services(self):
        self.assertRegex(call("explain")[1], r"(?m)^  cosmos ")


class Page(Case):
    maxDiff = None

    def test_the_page_in_the_docs_is_what_the_tool_prints(self):
        status, out, _ = explain("--markdown")
        self.assertEqual(status, 0)
        self.assertEqual(PAGE.read_text(encoding="utf-8"), out,
                         f"perdure explain cosmos --markdown > docs/reference/{PAGE.name}")

    def test_the_page_of_plans_names_every_mode_and_every_rule(self):
        text = PLANS.read_text(encoding="utf-8")
        header = (ROOT / "include/perdure/cosmos/plans.hpp").read_text(encoding="utf-8")
        modes = re.search(r"enum class Retries[^{]*\{([^}]*)\}", header)[1]
        for mode in re.findall(r"(?m)^\s*(\w+),", modes):
            self.assertIn(f"`{mode}`", text)
        rules = (ROOT / "src/cosmos/plans.cpp").read_text(encoding="utf-8")
        for rule in re.findall(r'\{"([\w-]+)"', rules):
            self.assertIn(f"`{rule}`", text)


if __name__ == "__main__":
    if "  cosmos " not in call("explain")[1]:
        print("skipped: the room cosmos is not furnished")
        sys.exit(77)
    unittest.main()
