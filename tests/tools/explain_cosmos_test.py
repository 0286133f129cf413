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
            ("503/0", "unavailable", "none", "in-region", True, True),
            ("503/*", "unavailable", "unknown", "in-region", True, False),
            ("503/1022", "unavailable", "unknown", "in-region", True, False),
            ("503/21006", "unavailable", "unknown", "in-region", True, False),
            ("503/21012", "unavailable", "unknown", "in-region", True, False),
            ("410/0", "stale_route", "none", "gone", True, True),
            ("410/1022", "stale_route", "unknown", "gone", True, False),
            ("404/1013", "unavailable", "unknown", "in-region", True, False),
            ("401/5202", "forbidden", "none", "forbidden", False, False),
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
                           ("410", "410/0"), ("410/21003", "410/21001-21005"),
                           ("20003", "503/20003"), ("econnreset", "ECONNRESET")):
            self.assertEqual(explain(one), explain(other))
            self.assertEqual(explain(one)[0], 0)

    def test_a_code_without_a_row_exits_3_and_is_judged_all_the_same(self):
        for code, cause, effect, taken_as in (("429/77", "throttled", "none", "429"),
                                              ("429/21011", "throttled", "unknown", "429"),
                                              ("404/7", "not_found", "none", "404/*"),
                                              ("503/77", "unavailable", "unknown", "503/*"),
                                              ("410/77", "stale_route", "unknown", "410/*"),
                                              ("418", "invalid", "unknown", None),
                                              ("501", "invalid", "unknown", None)):
            status, out, err = explain(code, "--json")
            self.assertEqual(status, 3)
            self.assertIn("no row", err)
            seen = json.loads(out)
            self.assertEqual((seen["cause"], seen["effect"], seen["taken_as"]), (cause, effect, taken_as))
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


# A copy of its own: it is not made from the table that the tool prints.
NOT_PROCESSED = {0, 1000, 1002, 1007, 1008, 20009, *range(21001, 21006), 21007, 21008}
REFUSALS = {207, 400, 401, 403, 404, 405, 409, 412, 413, 423, 424, 429, 449}
MADE_ON_THE_WAY = 10_000


def effect_of_a_write(status, substatus):
    if status in (410, 503):
        return "none" if substatus in NOT_PROCESSED else "unknown"
    not_yet = status == 404 and substatus in (1013, 1023)
    refused = status in REFUSALS and substatus < MADE_ON_THE_WAY and not not_yet
    return "none" if refused else "unknown"


class Effects(Case):
    """What is said of writes, by the table and by each code, is what the white list says."""

    def expected(self, code):
        if code == "header-too-large":
            return "none"
        status, _, substatus = code.partition("/")
        # Every other substatus of a status that has a row for none: one that nobody knows.
        return effect_of_a_write(int(status), 77 if substatus == "*" else int(substatus.split("-")[0] or 0))

    def test_the_table_says_of_each_answer_what_the_white_list_says(self):
        rows = [one for one in json.loads(explain("--json")[1])
                if one["code"][0].isdigit() or one["code"] == "header-too-large"]
        self.assertGreater(len(rows), 70)
        lines = explain(columns=300)[1].splitlines()
        page = explain("--markdown")[1].splitlines()
        for one in rows:
            code, effect = one["code"], self.expected(one["code"])
            with self.subTest(code=code):
                self.assertEqual(one["effect"], effect)
                told = [line.split()[:3] for line in lines if line.startswith(code + " ")]
                self.assertEqual(told, [[code, one["cause"], effect]])
                cells = [line.split(" | ") for line in page if line.startswith(f"| `{code}` | ")
                         and line.count(" | ") > 6]
                self.assertEqual([line[3] for line in cells], [effect])
                self.assertEqual(one["repeat"]["once"], effect == "none" and one["repeat"]["idempotent"])

    def test_each_code_says_in_text_and_in_json_what_the_white_list_says(self):
        words = {"none": "surely not applied", "unknown": "may have been applied"}
        known = {404: (0, 1002, 1003, 1013, 1023), 408: (20913, 21013), 500: (1007,),
                 429: (3092, 3200, 21011), 400: (1001, 13020), 403: (3, 1008, 1028, 5400), 418: (0,)}
        substatuses = {*NOT_PROCESSED, 7, 1022, 1024, 9999, *range(20001, 20007), 20913, 21006,
                       *range(21009, 21014), 65535}
        pairs = [(status, substatus) for status in (410, 503) for substatus in sorted(substatuses)]
        pairs += [(status, substatus) for status, each in known.items() for substatus in each]
        for status, substatus in pairs:
            code, effect = f"{status}/{substatus}", effect_of_a_write(status, substatus)
            with self.subTest(code=code):
                self.assertEqual(row(code)["effect"], effect)
                self.assertRegex(explain(code, columns=200)[1],
                                 rf"(?m)^effect +{effect}: {words[effect]}$")


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
